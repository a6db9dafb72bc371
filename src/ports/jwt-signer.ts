import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

export interface JwtSigner {
  /**
   * Returns a compact JWS of these claims (RFC 7515 §7.1), signed beside other requests. The key must fit the algorithm.
   * The imported key is cached for as long as the caller keeps this object: do not copy private keys.
   */
  sign(
    claims: Readonly<Record<string, unknown>>,
    header: { readonly alg: SignatureAlgorithm; readonly kid: string; readonly typ?: string },
    privateKey: JsonWebKey,
  ): Promise<string>;
  /** Returns the signature of octets as the algorithm makes it for a JWS (RFC 7518 §3), made beside other requests. */
  signOctets(octets: Uint8Array, alg: SignatureAlgorithm, privateKey: JsonWebKey): Promise<Uint8Array>;
}
