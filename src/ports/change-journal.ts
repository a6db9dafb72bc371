import type { Awaitable } from '../spec/awaitable.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';

/** A change after which something that was read before is not true any more. */
export type Change =
  | { readonly kind: 'client-changed'; readonly client_id: ClientId }
  /** Its tokens are not found any more. */
  | { readonly kind: 'client-ended'; readonly client_id: ClientId; readonly instance: ClientInstance }
  | { readonly kind: 'access-token-ended'; readonly key: AccessTokenKey }
  /** A server key was added, retired or removed. */
  | { readonly kind: 'server-keys-changed' };

/**
 * The changes of a tenant's records, numbered in the order of their commits, whichever process made them. What was read
 * when the journal stood at a number is still true while it stands there: that lets caches answer without being able to
 * lie. Issuing and expiry are not in it: an issued record never changes, and what expires says when.
 */
export interface ChangeJournal {
  /** The number of the last change, as of this call. Cheap enough to be asked before each answer. */
  head(): Awaitable<number>;
  /** Every change after `sequence`; undefined when they are too many or not all kept: then everything must be forgotten. */
  since(sequence: number): Awaitable<readonly Change[] | undefined>;
}
