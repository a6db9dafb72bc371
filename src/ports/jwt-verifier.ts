import type { MacAlgorithm, SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

declare const verified: unique symbol;

/** The claims of a JWT whose signature and profile hold. Only the implementation of `JwtVerifier` makes one. */
export type VerifiedClaims = { readonly [name: string]: JsonValue } & { readonly [verified]: true };

/** What one use of JWTs accepts. Each member is said for each use: no default that is right for one and wrong for another. */
export interface JwtProfile<Algorithm = SignatureAlgorithm> {
  readonly algorithms: readonly Algorithm[];
  /** Accepted `typ` values in lower case, without `application/` (RFC 7515 §4.1.9); undefined stands for an absent `typ`. */
  readonly types: readonly (string | undefined)[];
  readonly requiredClaims: readonly string[];
  /** Compared exactly. */
  readonly issuer: string;
  readonly audience: AudienceRule;
  /** Seconds that `exp` may lie ahead of now; undefined = any. */
  readonly lifetimeMax: number | undefined;
  /** Seconds that `iat` may lie behind now; undefined = any. */
  readonly ageMax: number | undefined;
  /** Seconds by which clocks may differ, where it is not `CLOCK_SKEW`. */
  readonly clockSkew?: number;
  /** For what only tells who somebody was: a hint holds beyond its `exp`, which must be there all the same. */
  readonly expiredToo?: true;
}

export type AudienceRule =
  /** `aud` is one string, and one of these; never an array, which an attacker's server could share (draft-ietf-oauth-rfc7523bis). */
  | { readonly kind: 'sole'; readonly values: readonly string[] }
  /** RFC 7519 §4.1.3: where `aud` is present, one of its values must be one of these. */
  | { readonly kind: 'where-present'; readonly values: readonly string[] }
  /** For what this server made for others, and that comes back to it. */
  | { readonly kind: 'any' };

/** Why a JWT does not hold; for the log and, in the words of the caller, for whoever sent it. */
export type JwtRefusal =
  | 'too-large'
  /** Not three segments of canonical base64url around two JSON objects without a member twice. */
  | 'malformed'
  /** A header member that changes how the JWT is to be read: `crit`, `zip`, `b64`; or one of the wrong type. */
  | 'header'
  | 'algorithm'
  | 'type'
  /** No key of the set has the header's `kid`, or fits the algorithm. A newer set may have one. */
  | 'unknown-key'
  | 'signature'
  /** A required claim is absent, or a registered claim (RFC 7519 §4.1) is not of its type. */
  | 'claims'
  | 'issuer'
  | 'audience'
  | 'expired'
  | 'not-yet-valid'
  | 'lifetime'
  | 'age';

export type JwtVerification =
  | {
      readonly verified: true;
      readonly claims: VerifiedClaims;
      readonly header: { readonly [name: string]: JsonValue };
    }
  | { readonly verified: false; readonly reason: JwtRefusal };

export type MacVerification =
  | {
      readonly verified: true;
      readonly claims: VerifiedClaims;
      /** Which of the secrets it was made with. */
      readonly secretIndex: number;
    }
  | { readonly verified: false; readonly reason: JwtRefusal };

export interface JwtVerifier {
  /**
   * Verifies a compact JWS against public keys that have passed the key policy. Never throws and never uses a key that
   * the JWT itself brings or names (`jwk`, `jku`, `x5u`, `x5c`).
   */
  verify(jwt: string, keys: readonly JsonWebKey[], profile: JwtProfile): Promise<JwtVerification>;
  /**
   * Verifies a compact JWS against secrets that nobody publishes. One shorter than the hash is not used: RFC 7518 §3.2,
   * "A key of the same size as the hash output … or larger MUST be used". Never throws.
   */
  verifyMac(jwt: string, secrets: readonly Uint8Array[], profile: JwtProfile<MacAlgorithm>): MacVerification;
  /** What the JWT says its issuer is: unverified, to find the keys by which it is then verified, and for nothing else. */
  claimedIssuer(jwt: string): ClaimedIssuer;
}

export type ClaimedIssuer = { readonly iss: string } | { readonly reason: JwtRefusal };

/** Characters of a JWT, checked before anything is decoded. */
export const JWT_LENGTH_MAX = 8192;

/** Seconds by which clocks may differ. */
export const CLOCK_SKEW = 60;

/** Verifications for one JWT whose header names no key. */
export const KEYS_TRIED_MAX = 3;
