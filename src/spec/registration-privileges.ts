import type { MemberPrivilege } from './client-metadata.ts';
import { GRANT_TYPES, type GrantType } from './grant-types.ts';
import { memberOf } from './scope.ts';

/** The privileges of a registrant (interface, Initial access token scopes). Plain data, stored with the client. */
export interface RegistrationPrivileges {
  readonly grant_types: 'any' | readonly GrantType[];
  /** Values that the `scope` member may hold. An empty list forbids the member. */
  readonly scope: 'any' | readonly string[];
  readonly data: boolean;
  readonly set_id: boolean;
  readonly set_secret: boolean;
  /** Whether the registrant may choose the form of the client's access tokens; absent means no. */
  readonly token_policy?: boolean;
  /** Values of the administration API that the `scope` member may hold; absent means none. */
  readonly admin_scope?: 'any' | readonly string[];
  /** Hosts that redirection URIs may have, in lower case, compared exactly. */
  readonly redirect_hosts: 'any' | readonly string[];
}

export const ALL_PRIVILEGES: RegistrationPrivileges = {
  grant_types: 'any',
  scope: 'any',
  data: true,
  set_id: true,
  set_secret: true,
  token_policy: true,
  redirect_hosts: 'any',
};

/** The privileges of the command line: those of the master token, and scope of the administration API. */
export const OPERATOR_PRIVILEGES: RegistrationPrivileges = { ...ALL_PRIVILEGES, admin_scope: 'any' };

const SCOPE_PREFIX = 'client-reg:scope:';

/** Beyond this number, the challenge names the one scope that permits all: proxies limit the size of headers. */
const SCOPE_VALUES_NAMED_MAX = 20;

/** The privileges of every registrant in open mode. */
export function openPrivileges(scopeValues: readonly string[]): RegistrationPrivileges {
  const grants = Object.keys(GRANT_TYPES).filter(
    (grant): grant is GrantType => GRANT_TYPES[grant as GrantType].open,
  );
  return {
    grant_types: grants,
    scope: scopeValues,
    data: false,
    set_id: false,
    set_secret: false,
    redirect_hosts: 'any',
  };
}

/**
 * Returns the privileges that the scope of an initial access token grants. Compares exact values, so that look-alikes grant
 * nothing. One `client-reg:scope:VALUE` restricts the scope member even beside wider values.
 */
export function privilegesOfScope(scope: readonly string[]): RegistrationPrivileges {
  if (scope.includes('client-reg')) return ALL_PRIVILEGES;
  const grants = Object.keys(GRANT_TYPES).filter((grant): grant is GrantType =>
    scope.includes(GRANT_TYPES[grant as GrantType].scope),
  );
  const values = scope
    .filter((value) => value.startsWith(SCOPE_PREFIX))
    .map((value) => value.slice(SCOPE_PREFIX.length));
  const anyScope = scope.includes('client-reg:scope') && values.length === 0;
  return {
    grant_types: grants,
    scope: anyScope ? 'any' : values.filter((value) => value !== ''),
    data: scope.includes('client-reg:data'),
    set_id: scope.includes('client-reg:set-id'),
    set_secret: scope.includes('client-reg:set-secret'),
    redirect_hosts: 'any',
  };
}

/** The parts of a registration that need a privilege. */
export interface RegistrationNeeds {
  readonly grant_types: readonly GrantType[];
  /** Undefined if the member is absent. The empty scope counts as a scope. */
  readonly scope: readonly string[] | undefined;
  readonly members: ReadonlySet<MemberPrivilege>;
}

/** Returns every missing `client-reg:*` scope value, in a fixed order. */
export function missingScopes(
  needs: RegistrationNeeds,
  privileges: RegistrationPrivileges,
): readonly string[] {
  const missing: string[] = [];
  for (const grant of new Set(needs.grant_types)) {
    if (privileges.grant_types !== 'any' && !privileges.grant_types.includes(grant)) {
      missing.push(GRANT_TYPES[grant].scope);
    }
  }
  missing.push(...missingScopeValues(needs.scope, privileges.scope));
  if (needs.members.has('data') && !privileges.data) missing.push('client-reg:data');
  if (needs.members.has('set-id') && !privileges.set_id) missing.push('client-reg:set-id');
  if (needs.members.has('set-secret') && !privileges.set_secret) missing.push('client-reg:set-secret');
  // The interface names no narrower scope for it.
  if (needs.members.has('token-policy') && privileges.token_policy !== true) missing.push('client-reg');
  return missing;
}

function missingScopeValues(
  wanted: readonly string[] | undefined,
  allowed: RegistrationPrivileges['scope'],
): readonly string[] {
  if (wanted === undefined || allowed === 'any') return [];
  if (allowed.length === 0) return ['client-reg:scope'];
  const isAllowed = memberOf(allowed);
  const missing = wanted.filter((value) => !isAllowed(value));
  return missing.length > SCOPE_VALUES_NAMED_MAX
    ? ['client-reg:scope']
    : missing.map((value) => `${SCOPE_PREFIX}${value}`);
}

/** Returns whether a scope value makes an access token an initial access token. */
export function isRegistrationScope(value: string): boolean {
  if (value === 'client-reg') return true;
  return (
    REGISTRATION_SCOPES.has(value) || (value.startsWith(SCOPE_PREFIX) && value.length > SCOPE_PREFIX.length)
  );
}

const REGISTRATION_SCOPES: ReadonlySet<string> = new Set([
  ...Object.values(GRANT_TYPES).map((grant) => grant.scope),
  'client-reg:scope',
  'client-reg:data',
  'client-reg:set-id',
  'client-reg:set-secret',
]);
