import type { MemberPrivilege } from './client-metadata.ts';
import { GRANT_TYPES, type GrantType } from './grant-types.ts';

/** What a registrant may register (interface, Initial access token scopes). Plain data: it is stored with the client. */
export interface RegistrationPrivileges {
  readonly grant_types: 'any' | readonly GrantType[];
  /** Values the `scope` member may hold; an empty list: the member may not be set at all. */
  readonly scope: 'any' | readonly string[];
  readonly data: boolean;
  readonly set_id: boolean;
  readonly set_secret: boolean;
  /** How access tokens of the client are made; absent: no. */
  readonly token_policy?: boolean;
  /** Hosts that redirection URIs may have; compared exactly, in lower case. */
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

const SCOPE_PREFIX = 'client-reg:scope:';

/** Beyond this the one scope that permits them all is named: what is missing goes into a header, and proxies limit those. */
const SCOPE_VALUES_NAMED_MAX = 20;

/** What anyone may register in open mode. */
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
 * What the scope of an initial access token permits; exact values only, so that look-alikes permit nothing. One
 * `client-reg:scope:VALUE` among the values restricts the scope member, whatever stands beside it.
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

/** What a registration asks for, as far as it needs a privilege. */
export interface RegistrationNeeds {
  readonly grant_types: readonly GrantType[];
  /** Undefined where the member is absent; the empty scope is a scope. */
  readonly scope: readonly string[] | undefined;
  readonly members: ReadonlySet<MemberPrivilege>;
}

/** Every `client-reg:*` scope value that would have been needed and is not there, in a fixed order. */
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
  // No narrower scope permits it: the interface names none.
  if (needs.members.has('token-policy') && privileges.token_policy !== true) missing.push('client-reg');
  return missing;
}

function missingScopeValues(
  wanted: readonly string[] | undefined,
  allowed: RegistrationPrivileges['scope'],
): readonly string[] {
  if (wanted === undefined || allowed === 'any') return [];
  if (allowed.length === 0) return ['client-reg:scope'];
  const missing = wanted.filter((value) => !allowed.includes(value));
  return missing.length > SCOPE_VALUES_NAMED_MAX
    ? ['client-reg:scope']
    : missing.map((value) => `${SCOPE_PREFIX}${value}`);
}

/** Whether a scope is one of those that make an access token an initial access token. */
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
