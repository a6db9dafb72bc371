import type { Awaitable } from '../spec/awaitable.ts';
import type { Digest } from '../spec/identifiers.ts';
import type { ChangeOutcome } from './client-store.ts';

/** A request that waits for its end-user: what the pages will do is kept here, not in hidden fields (decision 31). */
export interface StoredInteraction {
  /** Digest of the handle that the page's address carries. */
  readonly key: Digest;
  readonly kind: 'authorization' | 'logout' | 'pushed';
  /**
   * Digest of the cookie of the browser that it began in: in any other one the handle is good for nothing. Of a pushed request
   * (RFC 9126) the digest of its client's identifier.
   */
  readonly browser: Digest;
  /** Grows by one with every change; the ticket of every conditional write. */
  readonly version: number;
  /** JSON text of bounded length; the storage floor does not read it. */
  readonly content: string;
  readonly created_at: number;
  readonly expires_at: number;
}

export interface InteractionStore {
  begin(interaction: StoredInteraction): Promise<void>;
  /** Undefined for an unknown or completed one; one that has expired may still be found. */
  find(key: Digest): Awaitable<StoredInteraction | undefined>;
  /** Replaces the content, and raises the version by one, if the stored version is still that of `interaction`. */
  change(interaction: Pick<StoredInteraction, 'key' | 'version'>, content: string): Promise<ChangeOutcome>;
  /**
   * Removes the interaction if it is still as it was read. Of any number of callers at once exactly one gets `done`:
   * that one does what was to be done.
   */
  complete(interaction: Pick<StoredInteraction, 'key' | 'version'>): Promise<ChangeOutcome>;
  /** Removes at most `limit` interactions that expired before `now`; answers how many it removed. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
