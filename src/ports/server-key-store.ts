import type { Awaitable } from '../spec/awaitable.ts';
import type { KeyId, Sealed } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** All times are seconds since the Unix epoch. */
export interface StoredServerKey {
  readonly kid: KeyId;
  /**
   * `sig` and `enc` keys are published. `federation` keys sign for OpenID Federation only. `mac` is the secret of
   * identifier-based access tokens. `pairwise` is the secret of pairwise subjects (OpenID Connect Core 1.0 §8.1); it never
   * has a successor.
   */
  readonly use: 'sig' | 'enc' | 'federation' | 'mac' | 'pairwise';
  readonly created_at: number;
  /** The start of its use. Until then it is announced: published, so that clients know it before it signs. */
  readonly active_at: number;
  /** The time when its successor takes over; null without a successor. */
  readonly retired_at: number | null;
  /** The key that it replaces. */
  readonly succeeds: KeyId | null;
  /** JSON text of the JWK with public members only; null for a symmetric key. */
  readonly public_jwk: string | null;
  /** The whole JWK, encrypted; null for a public key that the server publishes but cannot use. */
  readonly sealed_jwk: Sealed | null;
}

/** OpenID Federation 1.0 §8.7.3. */
export type RemovalReason = 'superseded' | 'compromised';

/** The record of a key that is no longer published. Its private half is destroyed. */
export type RemovedServerKey = Omit<StoredServerKey, 'sealed_jwk'> & {
  readonly removed_at: number;
  readonly reason: RemovalReason;
};

export interface Removal {
  readonly at: number;
  readonly reason: RemovalReason;
  /** Takes over at once if the key is in use. Its own times and predecessor are ignored. */
  readonly replacement?: StoredServerKey;
}

/** Every change except `addFirst` and `reseal` adds an entry to the journal. */
export interface ServerKeyStore {
  /**
   * Returns the keys that are not removed, in order of addition. Returns the same array as before if nothing has changed.
   * @param from `last-reading`: as of the last reading of the journal, for a request that has read it already, by a look-up
   */
  all(from?: 'last-reading'): Awaitable<readonly StoredServerKey[]>;
  /** Returns the removed keys, oldest removal first. */
  removed(): Promise<readonly RemovedServerKey[]>;
  /** Adds keys if there are none. In a race one caller's keys win, and all callers get those. */
  addFirst(keys: readonly StoredServerKey[]): Promise<readonly StoredServerKey[]>;
  /** Adds keys if none has this use, and returns the same as `all`. In a race one caller's keys win. */
  addFirstOf(
    use: StoredServerKey['use'],
    keys: readonly StoredServerKey[],
  ): Promise<readonly StoredServerKey[]>;
  /** Adds a key without a predecessor. Returns false if its `kid` is known, even from a removed key. */
  add(key: StoredServerKey, event: AuditEvent): Promise<boolean>;
  /**
   * Adds a key and retires its predecessor from its `active_at` on. Returns false and changes nothing if the predecessor
   * is gone or has a successor, or the `kid` is known. If two processes rotate at once, one succeeds.
   */
  succeed(successor: StoredServerKey, event: AuditEvent): Promise<boolean>;
  /** Makes an announced key active at `at`. Returns false if the key is gone, or active at that time. */
  advance(kid: KeyId, at: number, event: AuditEvent): Promise<boolean>;
  /**
   * Removes a key at once and destroys its private half. The replacement of an active key takes over at that time. The
   * predecessor of an announced key stays in use. Returns false and changes nothing if the key is gone, or is active and
   * has no replacement.
   */
  remove(kid: KeyId, removal: Removal, event: AuditEvent): Promise<boolean>;
  /** Replaces the ciphertext of one key. */
  reseal(kid: KeyId, sealed: Sealed): Promise<void>;
}
