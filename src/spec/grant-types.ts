/** RFC 8628 §3.4. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** OpenID Connect CIBA Core 1.0 §4. */
export const CIBA_GRANT = 'urn:openid:params:grant-type:ciba';

/** RFC 7523 §2.1. */
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** RFC 8693 §2.1. */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Grant types that a client can register, each with the initial access token scope that permits it (interface). */
export const GRANT_TYPES = {
  authorization_code: { scope: 'client-reg:grant:code', open: true, redirects: true },
  implicit: { scope: 'client-reg:grant:implicit', open: true, redirects: true },
  refresh_token: { scope: 'client-reg:grant:refresh', open: true, redirects: false },
  password: { scope: 'client-reg:grant:password', open: false, redirects: false },
  client_credentials: { scope: 'client-reg:grant:client', open: false, redirects: false },
  [DEVICE_GRANT]: { scope: 'client-reg:grant:device', open: false, redirects: false },
  [CIBA_GRANT]: { scope: 'client-reg:grant:ciba', open: false, redirects: false },
  [TOKEN_EXCHANGE_GRANT]: { scope: 'client-reg:grant:exchange', open: false, redirects: false },
  [JWT_BEARER_GRANT]: { scope: 'client-reg:grant:jwt', open: false, redirects: false },
  'urn:ietf:params:oauth:grant-type:saml2-bearer': {
    scope: 'client-reg:grant:saml',
    open: false,
    redirects: false,
  },
} as const;

export type GrantType = keyof typeof GRANT_TYPES;

export function isGrantType(text: string): text is GrantType {
  return Object.hasOwn(GRANT_TYPES, text);
}

/** The grant types that each response type needs (OpenID Connect Dynamic Client Registration 1.0 §2, "grant_types"). */
export const RESPONSE_TYPES: Readonly<Record<string, readonly GrantType[]>> = {
  code: ['authorization_code'],
  token: ['implicit'],
  id_token: ['implicit'],
  'id_token token': ['implicit'],
  'code id_token': ['authorization_code', 'implicit'],
  'code token': ['authorization_code', 'implicit'],
  'code id_token token': ['authorization_code', 'implicit'],
};

/** Returns the response types that need none but these grant types, as discovery lists them. */
export function responseTypesOf(grant_types: readonly string[]): readonly string[] {
  return Object.entries(RESPONSE_TYPES)
    .filter(([, needed]) => needed.every((grant) => grant_types.includes(grant)))
    .map(([name]) => name);
}

/** Response types are sets of words (OAuth 2.0 Multiple Response Type Encoding Practices §3): `token id_token` equals `id_token token`. */
export function responseTypeName(text: string): string | undefined {
  if (Object.hasOwn(RESPONSE_TYPES, text)) return text;
  const name = text.split(' ').sort().join(' ');
  return Object.hasOwn(RESPONSE_TYPES, name) ? name : undefined;
}
