import type { Account } from '../ports/account-directory.ts';

const PROFILE = [
  'name',
  'family_name',
  'given_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'gender',
  'birthdate',
  'zoneinfo',
  'locale',
  'updated_at',
] as const;

/** OpenID Connect Core §5.4: the claims that a scope value asks for. */
export const SCOPE_CLAIMS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['profile', PROFILE],
  ['email', ['email', 'email_verified']],
  ['address', ['address']],
  ['phone', ['phone_number', 'phone_number_verified']],
]);

/**
 * What of an account a client is told: what its scope values ask for, and what it asked for by name (§5.5), in any
 * language (§5.2). Claims that the account does not have are left out: §5.3.2, "If a Claim is not returned, that Claim Name
 * SHOULD be omitted".
 */
export function releasedClaims(
  { claims, username }: Pick<Account, 'claims' | 'username'>,
  scope: readonly string[],
  requested: readonly string[],
): Readonly<Record<string, unknown>> {
  const wanted = new Set([...scope.flatMap((value) => SCOPE_CLAIMS.get(value) ?? []), ...requested]);
  const known = { preferred_username: username, ...claims };
  return Object.fromEntries(
    Object.entries(known).filter(([name]) => wanted.has(name) || wanted.has(name.replace(/#.*$/su, ''))),
  );
}
