import type { Account } from '../ports/account-directory.ts';

/** OpenID Connect Core 1.0 §5.1, table 1: the types of the standard claims that an account holds. */
const STANDARD_CLAIMS: ReadonlyMap<string, 'string' | 'boolean' | 'object'> = new Map([
  ...(
    [
      'name',
      'given_name',
      'family_name',
      'middle_name',
      'nickname',
      'preferred_username',
      'profile',
      'picture',
      'website',
      'email',
      'gender',
      'birthdate',
      'zoneinfo',
      'locale',
      'phone_number',
    ] as const
  ).map((name) => [name, 'string'] as const),
  ['email_verified', 'boolean'],
  ['phone_number_verified', 'boolean'],
  ['address', 'object'],
]);

/** What says something of a token, a session or the account itself is never taken from an account's claims. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'sub iss aud exp iat nbf jti auth_time nonce acr amr azp at_hash c_hash s_hash sid cnf client_id scope act may_act ' +
    'events typ updated_at _claim_names _claim_sources'
  ).split(' '),
);

const NAME = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;
const CLAIMS_BYTES_MAX = 16_384;

/** Why these cannot be the claims of an account, as words for whoever sets them; undefined where they can. */
export function claimsFault(claims: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, value] of Object.entries(claims)) {
    const fault = claimFault(name, value);
    if (fault !== undefined) return fault;
  }
  const bytes = Buffer.byteLength(JSON.stringify(claims));
  return bytes > CLAIMS_BYTES_MAX ? `the claims are larger than ${CLAIMS_BYTES_MAX} bytes` : undefined;
}

function claimFault(name: string, value: unknown): string | undefined {
  if (!NAME.test(name)) return `${JSON.stringify(name)} cannot be the name of a claim`;
  const type = claimType(name);
  if (RESERVED.has(withoutLanguage(name))) return `the claim ${name} is set by the server`;
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return type === undefined || type === actual ? undefined : `the claim ${name} must be a ${type}`;
}

/** The type that OpenID Connect Core 1.0 §5.1 gives to a claim; undefined for one that it does not know. */
export function claimType(name: string): 'string' | 'boolean' | 'object' | undefined {
  return STANDARD_CLAIMS.get(withoutLanguage(name));
}

/** OpenID Connect Core 1.0 §5.2: `family_name#ja-Kana-JP`. */
function withoutLanguage(name: string): string {
  return name.replace(/#.*$/su, '');
}

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

/** OpenID Connect Core 1.0 §5.4: the claims that a scope value asks for. */
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
