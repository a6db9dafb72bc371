import { hash } from 'node:crypto';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';

/** The content of an ID token (OpenID Connect Core 1.0 §2). Times in seconds since the Unix epoch. */
export interface IdTokenContent {
  /** The subject that the client sees, possibly pairwise (§8). */
  readonly sub: string;
  readonly client_id: string;
  /** Audiences besides the client. */
  readonly otherAudiences?: readonly string[];
  readonly iat: number;
  readonly exp: number;
  readonly auth_time?: number;
  readonly nonce?: string;
  readonly acr?: string;
  readonly amr?: readonly string[];
  readonly sid?: string;
  /** Issued together with the ID token, which holds their hashes (§3.1.3.6, §3.3.2.11). */
  readonly access_token?: string;
  readonly code?: string;
  /** The state of the request, for the ID token of its authorisation response: a detached signature of that response. */
  readonly state?: string;
  /** The request and the refresh token of tokens that are pushed to the client (OpenID Connect CIBA Core 1.0 §10.3.1). */
  readonly auth_req_id?: string;
  readonly refresh_token?: string;
  /** Claims about the end-user. They cannot replace a claim of the protocol. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** RFC 8725 §3.11 recommends a specific type; clients of OpenID Connect accept this one. */
export const ID_TOKEN_TYPE = 'JWT';

/** OpenID Connect CIBA Core 1.0 §10.3.1. */
const AUTH_REQ_ID = 'urn:openid:params:jwt:claim:auth_req_id';
const RT_HASH = 'urn:openid:params:jwt:claim:rt_hash';

/**
 * Claims with a meaning in the protocol: RFC 7519 §4.1, OpenID Connect Core 1.0 §2 and the logout
 * specifications.
 */
const PROTOCOL_CLAIMS: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'auth_time',
  'nonce',
  'acr',
  'amr',
  'azp',
  'at_hash',
  'c_hash',
  's_hash',
  'sid',
  'events',
  AUTH_REQ_ID,
  RT_HASH,
]);

/**
 * Returns the claims of an ID token (OpenID Connect Core 1.0 §2).
 * @param alg the signature algorithm; it determines the hash of `at_hash`, `c_hash` and `s_hash` (FAPI 1.0 Advanced §5.2.2.1)
 */
export function idTokenClaims(
  issuer: string,
  content: IdTokenContent,
  alg: SignatureAlgorithm,
): Readonly<Record<string, unknown>> {
  const { client_id, otherAudiences = [], access_token, code, state, claims = {} } = content;
  const { auth_req_id, refresh_token } = content;
  const { sub, exp, iat, auth_time, nonce, acr, amr, sid } = content;
  const given = Object.entries(claims).filter(([name]) => !PROTOCOL_CLAIMS.has(name));
  return {
    ...Object.fromEntries(given),
    iss: issuer,
    sub,
    // §2: "If there are multiple audiences … ". A single audience is a string, which every client accepts.
    ...(otherAudiences.length === 0
      ? { aud: client_id }
      : { aud: [client_id, ...otherAudiences], azp: client_id }),
    exp,
    iat,
    ...present({ auth_time, nonce, acr, amr, sid }),
    ...(access_token === undefined ? {} : { at_hash: halfHash(access_token, alg) }),
    ...(code === undefined ? {} : { c_hash: halfHash(code, alg) }),
    ...(state === undefined ? {} : { s_hash: halfHash(state, alg) }),
    ...(auth_req_id === undefined ? {} : { [AUTH_REQ_ID]: auth_req_id }),
    ...(refresh_token === undefined ? {} : { [RT_HASH]: halfHash(refresh_token, alg) }),
  };
}

function present(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/**
 * Returns "the base64url encoding of the left-most half of the hash of the octets of the ASCII
 * representation" (§3.1.3.6). For Ed25519 the hash is that of the signature (RFC 8032 §5.1): SHA-512.
 */
function halfHash(text: string, alg: SignatureAlgorithm): string {
  // At once: a `Hash` object costs three times as much.
  const octets = hash(alg === 'EdDSA' ? 'sha512' : `sha${alg.slice(2)}`, text, 'buffer');
  return octets.subarray(0, octets.length / 2).toString('base64url');
}
