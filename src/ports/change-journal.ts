import type { Awaitable } from '../spec/awaitable.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';

/** A change that makes an earlier read out of date. */
export type Change =
  | { readonly kind: 'client-changed'; readonly client_id: ClientId }
  /** The client was deleted, and its tokens with it. */
  | { readonly kind: 'client-ended'; readonly client_id: ClientId; readonly instance: ClientInstance }
  | { readonly kind: 'access-token-ended'; readonly key: AccessTokenKey }
  /** A server key was added, retired or removed. */
  | { readonly kind: 'server-keys-changed' };

/**
 * The changes of a tenant's records by any process, numbered in the order of their commits. A record that was read at one
 * number is current as long as the journal stays at that number, so caches never answer with an outdated record. Issuing
 * and expiry are not in the journal: an issued record never changes, and it names its own expiry.
 */
export interface ChangeJournal {
  /** Returns the number of the last change at the time of the call. Cheap enough to call before each response. */
  head(): Awaitable<number>;
  /** Returns every change after `sequence`. Returns undefined if there are too many or some were deleted: drop the whole cache then. */
  since(sequence: number): Awaitable<readonly Change[] | undefined>;
}
