import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import type { JwtRefusal } from './jwt-verifier.ts';

/** A decoded compact JWS around a JSON object. Nothing in it is verified: its claims only tell where to find keys. */
export interface UnverifiedJwt {
  readonly compact: string;
  readonly header: { readonly [name: string]: JsonValue };
  readonly claims: { readonly [name: string]: JsonValue };
}

/**
 * Decodes and verifies in two steps, for JWTs whose own content locates the keys, such as entity statements (OpenID
 * Federation 1.0 §3). Use `JwtVerifier` for everything else.
 */
export interface JwtInspector {
  /** @param lengthMax the maximum characters, checked before decoding */
  inspect(jwt: string, lengthMax: number): UnverifiedJwt | { readonly reason: JwtRefusal };
  /**
   * Returns undefined if one of the keys made the signature. If the header has a `kid`, only keys with that `kid` are tried. The
   * signature of one object by one key is verified once.
   */
  signatureProblem(
    jwt: UnverifiedJwt,
    keys: readonly JsonWebKey[],
    algorithms: readonly SignatureAlgorithm[],
  ): Promise<JwtRefusal | undefined>;
}
