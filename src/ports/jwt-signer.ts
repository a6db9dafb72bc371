import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

export interface JwtSigner {
  /**
   * A compact JWS of these claims (RFC 7515 §7.1), off the event loop. The key must be one that the algorithm takes.
   * What was imported is remembered for as long as the caller keeps this very object: private keys are not to be copied.
   */
  sign(
    claims: Readonly<Record<string, unknown>>,
    header: { readonly alg: SignatureAlgorithm; readonly kid: string; readonly typ?: string },
    privateKey: JsonWebKey,
  ): Promise<string>;
}
