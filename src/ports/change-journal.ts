import type { Awaitable } from '../spec/awaitable.ts';
import type {
  AccessTokenKey,
  ClientId,
  ClientInstance,
  GrantId,
  KeyId,
  SessionId,
} from '../spec/identifiers.ts';

/** A change that makes an earlier read out of date, or that other parties follow. */
export type Change =
  | { readonly kind: 'client-changed'; readonly client_id: ClientId }
  /** The client was deleted, and its tokens with it. */
  | { readonly kind: 'client-ended'; readonly client_id: ClientId; readonly instance: ClientInstance }
  | AccessTokenEnd
  /** A grant ended before it expired. The ends of its access tokens follow, from the same transaction. */
  | {
      readonly kind: 'grant-ended';
      readonly grant_id: GrantId;
      readonly client_id: ClientId;
      readonly sub: string;
    }
  /** A session ended before it expired. The ends of its grants stand before it, from the same transaction. */
  | { readonly kind: 'session-ended'; readonly sid: SessionId; readonly sub: string }
  /** A server key was added, retired or removed. `removed` is the key that was removed. */
  | { readonly kind: 'server-keys-changed'; readonly removed?: KeyId };

/** The end of an access token before it expires. A row of an older program lacks everything but the key. */
export interface AccessTokenEnd {
  readonly kind: 'access-token-ended';
  readonly key: AccessTokenKey;
  readonly expires_at?: number;
  readonly client_id?: ClientId;
  /** The account or other subject, as in `StoredAccessToken`. */
  readonly sub?: string;
}

export interface NumberedChange {
  readonly sequence: number;
  readonly change: Change;
}

/**
 * The changes of a tenant's records by any process, numbered in the order of their commits. A record that was read at one
 * number is current as long as the journal stays at that number, so caches never answer with an outdated record. Issuing
 * and expiry are not in the journal: an issued record never changes, and it names its own expiry.
 */
export interface ChangeJournal {
  /**
   * Returns the number of the last change at the time of the call. Cheap enough to call before each response.
   * @param atOnce whether a remote engine asks without waiting for other questions of the turn
   */
  head(atOnce?: boolean): Awaitable<number>;
  /** Returns every change after `sequence`. Returns undefined if there are too many or some were deleted: drop the whole cache then. */
  since(sequence: number): Awaitable<readonly Change[] | undefined>;
  /** Returns at most `limit` changes after `sequence`, in their order. The first one has the next number, unless earlier ones were deleted. */
  page(sequence: number, limit: number): Promise<readonly NumberedChange[]>;
}
