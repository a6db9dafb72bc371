/**
 * The scope values of the administration API. `admin:X:read` is contained in `admin:X` and in `admin:X:write`. A value that
 * begins with `admin:` is reserved for this server, also one that it does not know yet.
 */
export const ADMIN_SCOPES = [
  'admin:clients:read',
  'admin:clients:write',
  'admin:tokens:read',
  'admin:tokens',
  'admin:accounts:read',
  'admin:accounts',
  'admin:sessions:read',
  'admin:sessions',
  'admin:keys:read',
  'admin:keys',
  'admin:federation:read',
  'admin:federation',
  'admin:tenants:read',
  'admin:tenants',
  'admin:audit:read',
  'admin:settings:read',
  'admin:backups:read',
  'admin:backups',
  'admin:webhooks:read',
  'admin:webhooks',
  'admin:all-tenants',
] as const;

export type AdminScope = (typeof ADMIN_SCOPES)[number];

const RESERVED = 'admin:';
const READ = ':read';

/** Says whether a scope value is reserved for the administration API, known or not. */
export function isAdminScope(value: string): boolean {
  return value.startsWith(RESERVED);
}

/** Says whether this server knows a reserved scope value. */
export function isKnownAdminScope(value: string): value is AdminScope {
  return (ADMIN_SCOPES as readonly string[]).includes(value);
}

/** Says whether a scope permits an operation that needs this value: it has the value, or one that contains it. */
export function permitsAdmin(scope: readonly string[], needed: AdminScope): boolean {
  if (scope.includes(needed)) return true;
  if (!needed.endsWith(READ)) return false;
  const area = needed.slice(0, -READ.length);
  return scope.includes(area) || scope.includes(`${area}:write`);
}

/** The roles that an account may have in the administration, each contained in the next. */
export const ADMIN_ROLES = ['viewer', 'operator', 'administrator'] as const;

export type AdminRole = (typeof ADMIN_ROLES)[number];

export function isAdminRole(text: unknown): text is AdminRole {
  return (ADMIN_ROLES as readonly unknown[]).includes(text);
}

const VIEWER = ADMIN_SCOPES.filter((value) => value.endsWith(READ));

const OPERATOR: readonly AdminScope[] = [
  ...VIEWER,
  'admin:clients:write',
  'admin:tokens',
  'admin:accounts',
  'admin:sessions',
  'admin:keys',
  'admin:federation',
];

const SCOPE_OF_ROLE: Readonly<Record<AdminRole, readonly AdminScope[]>> = {
  viewer: VIEWER,
  operator: OPERATOR,
  administrator: ADMIN_SCOPES,
};

/** Returns the scope values of the administration API that a role may have. */
export function scopeOfRole(role: AdminRole | null): readonly AdminScope[] {
  return role === null ? [] : SCOPE_OF_ROLE[role];
}

/** Returns a scope without the reserved values that the role does not have; all other values stay. */
export function scopeWithinRole(scope: readonly string[], role: AdminRole | null): readonly string[] {
  const allowed: readonly string[] = scopeOfRole(role);
  return scope.filter((value) => !isAdminScope(value) || allowed.includes(value));
}

/** Says whether a scope permits all that the role permits, so that its holder gains nothing from such an account. */
export function permitsRole(scope: readonly string[], role: AdminRole | null): boolean {
  return scopeOfRole(role).every((value) => permitsAdmin(scope, value));
}
