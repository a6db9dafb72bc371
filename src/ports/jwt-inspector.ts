import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import type { JwtRefusal } from './jwt-verifier.ts';

/** A compact JWS around a JSON object, taken apart. Nothing in it is verified: its claims say where to look for keys. */
export interface UnverifiedJwt {
  readonly compact: string;
  readonly header: { readonly [name: string]: JsonValue };
  readonly claims: { readonly [name: string]: JsonValue };
}

/**
 * For JWTs whose keys are found by what they say themselves, such as entity statements (OpenID Federation 1.0 §3): reading
 * and verifying are two steps, and what is between them is the caller's. Every other use belongs to `JwtVerifier`.
 */
export interface JwtInspector {
  /** @param lengthMax characters, checked before anything is decoded */
  inspect(jwt: string, lengthMax: number): UnverifiedJwt | { readonly reason: JwtRefusal };
  /** Undefined when one of the keys made the signature. Only keys with the header's `kid`, where there is one, are tried. */
  signatureProblem(
    jwt: UnverifiedJwt,
    keys: readonly JsonWebKey[],
    algorithms: readonly SignatureAlgorithm[],
  ): Promise<JwtRefusal | undefined>;
}
