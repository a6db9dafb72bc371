/** OpenID Connect Core §5.1, table 1: the types of the standard claims that an account holds. */
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

/** The type that OpenID Connect Core §5.1 gives to a claim; undefined for one that it does not know. */
export function claimType(name: string): 'string' | 'boolean' | 'object' | undefined {
  return STANDARD_CLAIMS.get(withoutLanguage(name));
}

/** OpenID Connect Core §5.2: `family_name#ja-Kana-JP`. */
function withoutLanguage(name: string): string {
  return name.replace(/#.*$/su, '');
}
