import type { Account } from '../ports/account-directory.ts';

/** The standard claims of an account and their types (OpenID Connect Core 1.0 §5.1, table 1). */
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

/**
 * Claims about a token, a session or the account itself. They are never taken from the claims of an account.
 */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'sub iss aud exp iat nbf jti auth_time nonce acr amr azp at_hash c_hash s_hash sid cnf client_id scope act may_act ' +
    'events typ updated_at _claim_names _claim_sources'
  ).split(' '),
);

const NAME = /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/;
const CLAIMS_BYTES_MAX = 16_384;

/**
 * Returns why these cannot be the claims of an account, for the caller who sets them; undefined if they can.
 */
export function claimsFault(claims: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, value] of Object.entries(claims)) {
    const fault = claimFault(name, value);
    if (fault !== undefined) return fault;
  }
  const bytes = Buffer.byteLength(JSON.stringify(claims));
  return bytes > CLAIMS_BYTES_MAX
    ? `the claims have ${bytes} bytes; the limit is ${CLAIMS_BYTES_MAX}`
    : undefined;
}

function claimFault(name: string, value: unknown): string | undefined {
  if (!NAME.test(name))
    return `${JSON.stringify(name)} is not a valid claim name: use 1 to 128 visible ASCII characters other than quotation mark and backslash`;
  const type = claimType(name);
  if (RESERVED.has(withoutLanguage(name))) return `the claim ${name} is reserved for the server`;
  const actual = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return type === undefined || type === actual
    ? undefined
    : `the claim ${name} must be of the type ${type}, not ${actual}`;
}

/**
 * Returns the type of a claim by OpenID Connect Core 1.0 §5.1; undefined for a claim that it does not define.
 */
export function claimType(name: string): 'string' | 'boolean' | 'object' | undefined {
  return STANDARD_CLAIMS.get(withoutLanguage(name));
}

/** Removes the language tag: `family_name#ja-Kana-JP` (OpenID Connect Core 1.0 §5.2). */
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

/** The claims that a scope value requests (OpenID Connect Core 1.0 §5.4). */
export const SCOPE_CLAIMS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['profile', PROFILE],
  ['email', ['email', 'email_verified']],
  ['address', ['address']],
  ['phone', ['phone_number', 'phone_number_verified']],
]);

/**
 * Returns the claims of an account that a client receives: those that its scope requests and those it
 * requested by name (OpenID Connect Core 1.0 §5.5), in any language (§5.2). Claims that the account lacks are
 * left out. §5.3.2: "If a Claim is not returned, that Claim Name SHOULD be omitted".
 */
export function releasedClaims(
  { claims, username }: Pick<Account, 'claims' | 'username'>,
  scope: readonly string[],
  requested: readonly string[],
): Readonly<Record<string, unknown>> {
  const known = { preferred_username: username, ...claims };
  const released = new Set(releasedNames(Object.keys(known), scope, requested));
  return Object.fromEntries(Object.entries(known).filter(([name]) => released.has(name)));
}

/** Returns those of these names of claims that a scope, or a request by name, releases, in any language. */
export function releasedNames(
  names: readonly string[],
  scope: readonly string[],
  requested: readonly string[],
): readonly string[] {
  const wanted = new Set([...scope.flatMap((value) => SCOPE_CLAIMS.get(value) ?? []), ...requested]);
  return names.filter((name) => wanted.has(name) || wanted.has(withoutLanguage(name)));
}
