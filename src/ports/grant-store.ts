import type { Awaitable } from '../spec/awaitable.ts';
import type { ClientId, ClientInstance, Digest, GrantId, SessionId } from '../spec/identifiers.ts';
import type { StoredAccessToken } from './access-token-store.ts';
import type { AuditEvent } from './audit-log.ts';

export interface StoredRefreshToken {
  readonly digest: Digest;
  /** Seconds since the Unix epoch; null = never. */
  readonly expires_at: number | null;
}

/** What a subject, or somebody who decides for it, has authorised a client to: the root of its tokens. */
export interface StoredGrant {
  readonly grant_id: GrantId;
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  readonly sub: string;
  /**
   * The session that it was given in, where it ends with it: in the same act (OpenID Connect Back-Channel Logout 1.0 §2.7; for a grant
   * without `offline_access`).
   */
  readonly sid?: SessionId;
  /** JSON text of what was authorised; the storage floor neither reads nor changes it. */
  readonly authorization: string;
  readonly created_at: number;
  /** Nothing of the grant is good from then on, and it may be swept; null = never. */
  readonly expires_at: number | null;
  /** The one that is good now; of those before it nothing is kept. */
  readonly refresh_token: StoredRefreshToken | null;
}

/** What one use of a refresh token changes. */
export interface Refreshing {
  readonly grant_id: GrantId;
  /** Of the refresh token that was presented, and is genuine. */
  readonly presented: Digest;
  /** The same digest where the token is not rotated. */
  readonly next: StoredRefreshToken;
  /** Until when something of the grant may be good from now on; what was issued before may be good for longer. */
  readonly expires_at: number | null;
  /** The access token that is issued for it. */
  readonly token: StoredAccessToken;
  readonly now: number;
  /** Recorded in the same transaction if the grant ends because the token was used before. */
  readonly onReuse?: AuditEvent;
}

/**
 * `reused`: the token is not the one that is good now, so it has been used before, or copied, and the grant is ended.
 * `absent`: the grant has ended, its refresh token has expired, or its client is gone.
 */
export type RefreshOutcome = 'refreshed' | 'reused' | 'absent';

export interface GrantStore {
  /** Stores the grant and its first access token, both or neither. Durable when it resolves. */
  create(grant: StoredGrant, token: StoredAccessToken): Promise<void>;
  /**
   * The same for a grant that ends with its session, if that is there; answers whether it was. A session that ends at the
   * same moment ends the grant too, or is found to have ended.
   */
  createInSession(
    grant: StoredGrant & { readonly sid: SessionId },
    token: StoredAccessToken,
  ): Promise<boolean>;
  /** Undefined for an unknown or ended grant, and for one whose client is gone. Expired ones may still be found. */
  find(grant_id: GrantId): Awaitable<StoredGrant | undefined>;
  /** Every one that is found, the oldest first. */
  ofSubject(sub: string): Awaitable<readonly StoredGrant[]>;
  /**
   * Issues an access token for a refresh token. Of any number of callers at once with one token that is rotated, in
   * whatever process, exactly one gets `refreshed`; the next one gets `reused`, and the grant ends with every access
   * token of it, the winner's too (RFC 9700 §4.14.2).
   */
  refresh(refreshing: Refreshing): Promise<RefreshOutcome>;
  /** Ends a grant with every token of it, and records the event with that; answers whether there was one. A token is never issued for an ended grant. */
  end(grant_id: GrantId, event?: AuditEvent): Promise<boolean>;
  /** Ends every grant of a subject; answers how many there were. */
  endAllOf(sub: string): Promise<number>;
  /**
   * Removes at most `limit` grants that expired before `now`, and at most `limit` of clients that are gone; answers
   * `limit` where there may be more.
   */
  sweepExpired(now: number, limit: number): Promise<number>;
}
