import { createHash } from 'node:crypto';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';

/** What an ID token says (OpenID Connect Core 1.0 §2). Times are in seconds. */
export interface IdTokenContent {
  /** As the client knows the end-user: a pairwise identifier where it is registered for them (§8). */
  readonly sub: string;
  readonly client_id: string;
  /** Whom it is meant for besides the client. */
  readonly otherAudiences?: readonly string[];
  readonly iat: number;
  readonly exp: number;
  readonly auth_time?: number;
  readonly nonce?: string;
  readonly acr?: string;
  readonly amr?: readonly string[];
  readonly sid?: string;
  /** Issued with it, and bound to it by their hashes (§3.1.3.6, §3.3.2.11). */
  readonly access_token?: string;
  readonly code?: string;
  /** About the end-user; none of them can stand in for a claim of the protocol. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** RFC 8725 §3.11 would have one of its own; this is the one that clients of OpenID Connect accept. */
export const ID_TOKEN_TYPE = 'JWT';

/** Claims that the protocol gives a meaning: RFC 7519 §4.1 and OpenID Connect Core 1.0 §2, with those of the logouts. */
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
]);

/** @param alg that the ID token is signed with: the hashes in it are of the same strength */
export function idTokenClaims(
  issuer: string,
  content: IdTokenContent,
  alg: SignatureAlgorithm,
): Readonly<Record<string, unknown>> {
  const { client_id, otherAudiences = [], access_token, code, claims = {} } = content;
  const { sub, exp, iat, auth_time, nonce, acr, amr, sid } = content;
  const given = Object.entries(claims).filter(([name]) => !PROTOCOL_CLAIMS.has(name));
  return {
    ...Object.fromEntries(given),
    iss: issuer,
    sub,
    // §2: "If there are multiple audiences … "; one is a string, which every client reads.
    ...(otherAudiences.length === 0
      ? { aud: client_id }
      : { aud: [client_id, ...otherAudiences], azp: client_id }),
    exp,
    iat,
    ...present({ auth_time, nonce, acr, amr, sid }),
    ...(access_token === undefined ? {} : { at_hash: halfHash(access_token, alg) }),
    ...(code === undefined ? {} : { c_hash: halfHash(code, alg) }),
  };
}

function present(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/**
 * "The base64url encoding of the left-most half of the hash of the octets of the ASCII representation" (§3.1.3.6). For
 * Ed25519 the hash is the one within the signature (RFC 8032 §5.1): SHA-512.
 */
function halfHash(text: string, alg: SignatureAlgorithm): string {
  const hash = createHash(alg === 'EdDSA' ? 'sha512' : `sha${alg.slice(2)}`)
    .update(text, 'ascii')
    .digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
