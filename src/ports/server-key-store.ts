import type { Awaitable } from '../spec/awaitable.ts';
import type { KeyId, Sealed } from '../spec/identifiers.ts';

export interface StoredServerKey {
  readonly kid: KeyId;
  /** `sig` and `enc` keys are published; `mac` is the secret of identifier-based access tokens. */
  readonly use: 'sig' | 'enc' | 'mac';
  readonly created_at: number;
  /** JSON text of the JWK with public members only; null for a symmetric key. */
  readonly public_jwk: string | null;
  /** The whole JWK. */
  readonly sealed_jwk: Sealed;
}

export interface ServerKeyStore {
  /** In the order they were added. */
  all(): Awaitable<readonly StoredServerKey[]>;
  /** Adds `keys` where there are none. In a race one caller's keys win, and everyone gets those. */
  addFirst(keys: readonly StoredServerKey[]): Promise<readonly StoredServerKey[]>;
  /** Replaces the ciphertext of one key. */
  reseal(kid: KeyId, sealed: Sealed): Promise<void>;
}
