import type { Awaitable } from '../spec/awaitable.ts';
import type { KeyId, Sealed } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** All times are seconds since the Unix epoch. */
export interface StoredServerKey {
  readonly kid: KeyId;
  /**
   * `sig` and `enc` keys are published; `federation` keys sign for OpenID Federation and nothing else; `mac` is the
   * secret of identifier-based access tokens; `pairwise` the one that subjects are made of (OpenID Connect Core 1.0 §8.1),
   * which never has a successor.
   */
  readonly use: 'sig' | 'enc' | 'federation' | 'mac' | 'pairwise';
  readonly created_at: number;
  /** From when it is used. Until then it is announced: published, so that everybody knows it before they need it. */
  readonly active_at: number;
  /** From when its successor is used instead; null while none is appointed. */
  readonly retired_at: number | null;
  /** The key it takes over from. */
  readonly succeeds: KeyId | null;
  /** JSON text of the JWK with public members only; null for a symmetric key. */
  readonly public_jwk: string | null;
  /** The whole JWK; null for a key that others have the private half of: it is published and never used. */
  readonly sealed_jwk: Sealed | null;
}

/** OpenID Federation 1.0 §8.7.3. */
export type RemovalReason = 'superseded' | 'compromised';

/** What is kept of a key that is not published any more. Its private half is destroyed. */
export type RemovedServerKey = Omit<StoredServerKey, 'sealed_jwk'> & {
  readonly removed_at: number;
  readonly reason: RemovalReason;
};

export interface Removal {
  readonly at: number;
  readonly reason: RemovalReason;
  /** Takes over at once, where the key is in use; the times and the predecessor in it are not looked at. */
  readonly replacement?: StoredServerKey;
}

/** Every change but `addFirst` and `reseal` is told in the journal. */
export interface ServerKeyStore {
  /** Those that are not removed, in the order they were added. The same array where it is known that nothing changed. */
  all(): Awaitable<readonly StoredServerKey[]>;
  /** Oldest removal first. */
  removed(): Awaitable<readonly RemovedServerKey[]>;
  /** Adds `keys` where there are none. In a race one caller's keys win, and everyone gets those. */
  addFirst(keys: readonly StoredServerKey[]): Promise<readonly StoredServerKey[]>;
  /** Adds `keys` where there is none of this use; answers as `all`. In a race one caller's keys win. */
  addFirstOf(
    use: StoredServerKey['use'],
    keys: readonly StoredServerKey[],
  ): Promise<readonly StoredServerKey[]>;
  /** Adds a key that takes over from none. False where its `kid` is known, be it of a removed key. */
  add(key: StoredServerKey, event: AuditEvent): Promise<boolean>;
  /**
   * Adds a key and retires the one it `succeeds` from its `active_at` on. False, and nothing has happened, where that
   * one is gone or has a successor already, or the `kid` is known: of two processes that rotate at once one does.
   */
  succeed(successor: StoredServerKey, event: AuditEvent): Promise<boolean>;
  /** Lets an announced key take over at `at` already. False where it is gone, or active at that time. */
  advance(kid: KeyId, at: number, event: AuditEvent): Promise<boolean>;
  /**
   * Ends a key at once and destroys its private half. Where it is active its replacement takes over at that time; where
   * it is announced its predecessor goes on. False, and nothing has happened, where it is gone, or active and without a
   * replacement.
   */
  remove(kid: KeyId, removal: Removal, event: AuditEvent): Promise<boolean>;
  /** Replaces the ciphertext of one key. */
  reseal(kid: KeyId, sealed: Sealed): Promise<void>;
}
