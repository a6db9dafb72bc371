import type { ContentEncryptionAlgorithm, KeyManagementAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

export interface JweHeader {
  readonly alg: KeyManagementAlgorithm;
  readonly enc: ContentEncryptionAlgorithm;
  /** `JWT` where the plaintext is one (RFC 7519 §5.2). */
  readonly cty?: string;
  readonly typ?: string;
  /** Of the recipient's key. */
  readonly kid?: string;
}

export interface JweEncrypter {
  /**
   * A compact JWE (RFC 7516 §7.1). Only the public half of `recipient` is used; it must have passed the key policy.
   * Rejects when the key is none that the algorithm takes.
   */
  encrypt(plaintext: string, recipient: JsonWebKey, header: JweHeader): Promise<string>;
}

/** What one use of JWEs accepts. */
export interface JweProfile {
  readonly algorithms: readonly KeyManagementAlgorithm[];
  readonly encryptions: readonly ContentEncryptionAlgorithm[];
}

/** Why a JWE is not read; for the log. */
export type JweRefusal =
  | 'too-large'
  /** Not five segments of canonical base64url, or a header that is no JSON object without a member twice. */
  | 'malformed'
  /** A member that changes how the JWE is to be read (`crit`, `zip`), asks for work (`p2c`), or has the wrong type. */
  | 'header'
  /** An `alg` or `enc` that this use does not accept. */
  | 'algorithm'
  | 'unknown-key'
  /** Another's, changed on the way, or no UTF-8: not told apart. */
  | 'decryption';

export type JweDecryption =
  | {
      readonly decrypted: true;
      readonly plaintext: string;
      readonly header: { readonly [name: string]: JsonValue };
    }
  | { readonly decrypted: false; readonly reason: JweRefusal };

export interface JweDecrypter {
  /** Reads a compact JWE with one of our private keys. Never throws. */
  decrypt(jwe: string, keys: readonly JsonWebKey[], profile: JweProfile): Promise<JweDecryption>;
}

/** Characters of a JWE, checked before anything is decoded: room for the longest JWT that is read, in base64url once more. */
export const JWE_LENGTH_MAX = 16_384;
