export type Role = 'viewer' | 'operator' | 'administrator';

/** Returns the role that a scope shows. A narrower token of an administrator counts as what it permits. */
export function roleOf(scope: readonly string[]): Role {
  if (scope.includes('admin:tenants')) return 'administrator';
  return scope.includes('admin:clients:write') ? 'operator' : 'viewer';
}
