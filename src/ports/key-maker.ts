import type { JsonWebKey } from '../spec/jwk.ts';

/** A kind of key pair this server can make. */
export type KeyKind =
  | 'RSA-2048'
  | 'RSA-3072'
  | 'RSA-4096'
  | 'P-256'
  | 'P-384'
  | 'P-521'
  | 'Ed25519'
  | 'X25519';

export interface KeyMaker {
  /** Returns a new private key as a JWK, made off the event loop. */
  makePrivateKey(kind: KeyKind): Promise<JsonWebKey>;
  /** Returns the RFC 7638 thumbprint with SHA-256, in base64url. */
  thumbprint(jwk: JsonWebKey): Promise<string>;
}
