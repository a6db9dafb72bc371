import type { MacAlgorithm, SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

declare const verified: unique symbol;

/** The claims of a JWT that passed verification. Only an implementation of `JwtVerifier` creates them. */
export type VerifiedClaims = { readonly [name: string]: JsonValue } & { readonly [verified]: true };

/** The rules that one use of JWTs applies. Every use states every member, because no default is right for all. */
export interface JwtProfile<Algorithm = SignatureAlgorithm> {
  readonly algorithms: readonly Algorithm[];
  /** Accepted `typ` values in lower case, without `application/` (RFC 7515 §4.1.9); undefined stands for an absent `typ`. */
  readonly types: readonly (string | undefined)[];
  readonly requiredClaims: readonly string[];
  /** The exact issuer. */
  readonly issuer: string;
  readonly audience: AudienceRule;
  /** The maximum seconds from now to `exp`; undefined = any. */
  readonly lifetimeMax: number | undefined;
  /** The maximum seconds from `iat` to now; undefined = any. */
  readonly ageMax: number | undefined;
  /** The tolerated clock difference in seconds, if it is not `CLOCK_SKEW`. */
  readonly clockSkew?: number;
  /** The maximum characters of the JWT, if it is not `JWT_LENGTH_MAX`. */
  readonly lengthMax?: number;
  /** Whether a JWT is accepted after its `exp`, as a hint is. The claim must still be present. */
  readonly expiredToo?: true;
}

export type AudienceRule =
  /**
   * `aud` is one of these values, as a string or as an array with this value only (RFC 7519 §4.1.3). More values are refused:
   * another recipient could use the JWT here (draft-ietf-oauth-rfc7523bis). With `asText`, an array is refused too.
   */
  | { readonly kind: 'sole'; readonly values: readonly string[]; readonly asText?: boolean }
  /** If `aud` is present, it must contain one of these values (RFC 7519 §4.1.3). */
  | { readonly kind: 'where-present'; readonly values: readonly string[] }
  /** Any audience, for JWTs that this server issued to others and receives back. */
  | { readonly kind: 'any' };

/** The reason why a JWT is refused, for the log. The caller words it for the sender. */
export type JwtRefusal =
  | 'too-large'
  /** Not three segments of canonical base64url around two JSON objects with unique members. */
  | 'malformed'
  /** A header member that changes how to read the JWT (`crit`, `zip`, `b64`), or one of the wrong type. */
  | 'header'
  | 'algorithm'
  | 'type'
  /** No key of the set has the header's `kid` or fits the algorithm. A newer set may contain one. */
  | 'unknown-key'
  | 'signature'
  /** A required claim is absent, or a registered claim (RFC 7519 §4.1) has the wrong type. */
  | 'claims'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet-valid'
  | 'lifetime'
  | 'age';

export interface JwtProblem {
  readonly reason: JwtRefusal;
  /** The header member or the claim that failed, with its value, for the log. It comes from the sender of the JWT. */
  readonly found?: Readonly<Record<string, JsonValue>>;
}

export type JwtVerification =
  | {
      readonly verified: true;
      readonly claims: VerifiedClaims;
      readonly header: { readonly [name: string]: JsonValue };
    }
  | ({ readonly verified: false } & JwtProblem);

export type MacVerification =
  | {
      readonly verified: true;
      readonly claims: VerifiedClaims;
      /** The index of the secret that made the MAC. */
      readonly secretIndex: number;
    }
  | ({ readonly verified: false } & JwtProblem);

export interface JwtVerifier {
  /**
   * Verifies a compact JWS against public keys that have passed the key policy. Never throws, and never uses a key that
   * the JWT contains or names (`jwk`, `jku`, `x5u`, `x5c`).
   */
  verify(jwt: string, keys: readonly JsonWebKey[], profile: JwtProfile): Promise<JwtVerification>;
  /**
   * Verifies a compact JWS against secrets. Ignores a secret shorter than the hash (RFC 7518 §3.2: "A key of the same size
   * as the hash output … or larger MUST be used"). Never throws.
   */
  verifyMac(jwt: string, secrets: readonly Uint8Array[], profile: JwtProfile<MacAlgorithm>): MacVerification;
  /** Returns the unverified issuer of a JWT. Use it only to find the keys that verify the JWT. */
  claimedIssuer(jwt: string): ClaimedIssuer;
}

export type ClaimedIssuer = { readonly iss: string } | JwtProblem;

/** The usual maximum characters of a JWT, checked before decoding. */
export const JWT_LENGTH_MAX = 8192;

/** The tolerated clock difference in seconds. */
export const CLOCK_SKEW = 60;

/** The maximum number of keys tried for a JWT whose header names no key. */
export const KEYS_TRIED_MAX = 3;
