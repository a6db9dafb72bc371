import type { ContentEncryptionAlgorithm, KeyManagementAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonValue } from '../spec/json.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

export interface JweHeader {
  readonly alg: KeyManagementAlgorithm;
  readonly enc: ContentEncryptionAlgorithm;
  /** `JWT` if the plaintext is a JWT (RFC 7519 §5.2). */
  readonly cty?: string;
  readonly typ?: string;
  /** The `kid` of the recipient's key. */
  readonly kid?: string;
}

export interface JweEncrypter {
  /**
   * Returns a compact JWE (RFC 7516 §7.1). Uses only the public half of `recipient`, which must have passed the key
   * policy. Rejects if the key does not fit the algorithm.
   */
  encrypt(plaintext: string, recipient: JsonWebKey, header: JweHeader): Promise<string>;
}

/** The algorithms that one use of JWEs accepts. */
export interface JweProfile {
  readonly algorithms: readonly KeyManagementAlgorithm[];
  readonly encryptions: readonly ContentEncryptionAlgorithm[];
  /** The maximum characters of the JWE, if it is not `JWE_LENGTH_MAX`. */
  readonly lengthMax?: number;
}

/** The reason why a JWE is refused, for the log. */
export type JweRefusal =
  | 'too-large'
  /** Not five segments of canonical base64url, or a header that is not a JSON object with unique members. */
  | 'malformed'
  /** A header member that changes how to read the JWE (`crit`, `zip`), causes work (`p2c`), or has the wrong type. */
  | 'header'
  /** An `alg` or `enc` that this use does not accept. */
  | 'algorithm'
  | 'unknown-key'
  /** Encrypted for another recipient, altered, or not UTF-8. The reasons are not distinguished. */
  | 'decryption';

export type JweDecryption =
  | {
      readonly decrypted: true;
      readonly plaintext: string;
      readonly header: { readonly [name: string]: JsonValue };
    }
  | { readonly decrypted: false; readonly reason: JweRefusal };

export interface JweDecrypter {
  /** Decrypts a compact JWE with one of the server's private keys. Never throws. */
  decrypt(jwe: string, keys: readonly JsonWebKey[], profile: JweProfile): Promise<JweDecryption>;
}

/** The usual maximum characters of a JWE, checked before decoding. It fits the longest accepted JWT, encoded in base64url again. */
export const JWE_LENGTH_MAX = 16_384;
