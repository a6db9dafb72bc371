/**
 * The values that a client can register. Discovery publishes these lists, and registration accepts only their values: one
 * list serves both, so that they cannot differ.
 */
export const SIGNING_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Returns the algorithms that a setting names, in our order. */
export const signatureAlgorithms = (
  names: readonly string[],
): readonly (typeof SIGNING_ALGORITHMS)[number][] =>
  SIGNING_ALGORITHMS.filter((algorithm) => names.includes(algorithm));

/** Signature algorithms of SAML assertions, by their JOSE names (RFC 9231 §2.3). SHA-1, HMAC and DSA are absent. */
export const XML_SIGNING_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'ES256',
  'ES384',
  'ES512',
] as const;

/** MAC algorithms of client_secret_jwt, keyed with the client secret (RFC 7518 §3.2). */
export const HMAC_ALGORITHMS = ['HS256', 'HS384', 'HS512'] as const;

/** RFC 7518 §4.1 without RSA1_5 (Bleichenbacher), direct keys and passwords. */
export const KEY_MANAGEMENT_ALGORITHMS = [
  'RSA-OAEP',
  'RSA-OAEP-256',
  'ECDH-ES',
  'ECDH-ES+A128KW',
  'ECDH-ES+A256KW',
] as const;

/** RFC 7518 §5.1. */
export const CONTENT_ENCRYPTION_ALGORITHMS = [
  'A128CBC-HS256',
  'A192CBC-HS384',
  'A256CBC-HS512',
  'A128GCM',
  'A192GCM',
  'A256GCM',
] as const;

/** OpenID Connect Dynamic Client Registration 1.0 §2: "If *_encrypted_response_alg is specified, the default … is A128CBC-HS256." */
export const DEFAULT_CONTENT_ENCRYPTION = 'A128CBC-HS256';

/**
 * How the server verifies client certificates. `none`: it receives none. `keys`: by registered keys only. `chains`: also by
 * configured authorities.
 */
export type CertificateTrust = 'none' | 'keys' | 'chains';

export const SUBJECT_TYPES = ['public', 'pairwise'] as const;

export const CODE_CHALLENGE_METHODS = ['S256'] as const;

/** OAuth 2.0 Multiple Response Types, Form Post Response Mode and JARM §2.3. */
export const RESPONSE_MODES = [
  'query',
  'fragment',
  'form_post',
  'jwt',
  'query.jwt',
  'fragment.jwt',
  'form_post.jwt',
] as const;

/** The response modes whose responses the server signs (JARM §2.3). */
export const SIGNED_RESPONSE_MODES = RESPONSE_MODES.filter((mode) => mode.endsWith('jwt'));

/** How tokens get to a client that asks without a browser (OpenID Connect CIBA Core 1.0 §5). */
export const DELIVERY_MODES = ['poll', 'ping', 'push'] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];
