import type { ClientId, ClientInstance, Digest, GrantId, SessionId } from '../spec/identifiers.ts';
import type { StoredAccessToken } from './access-token-store.ts';
import type { AuditEvent } from './audit-log.ts';
import type { Listing, ListRange } from './listing.ts';

export interface StoredRefreshToken {
  readonly digest: Digest;
  /** Seconds since the Unix epoch; null = never. */
  readonly expires_at: number | null;
}

/** An authorisation that a subject, or the operator on its behalf, gave a client. Tokens belong to it. */
export interface StoredGrant {
  readonly grant_id: GrantId;
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  readonly sub: string;
  /**
   * The session that the grant ends with, in the same transaction (OpenID Connect Back-Channel Logout 1.0 §2.7). Absent for a
   * grant with `offline_access` or without a session.
   */
  readonly sid?: SessionId;
  /** The authorisation as JSON text. Storage neither reads nor changes it. */
  readonly authorization: string;
  readonly created_at: number;
  /** The time when all its tokens have expired and it may be swept; null = never. */
  readonly expires_at: number | null;
  /** The current refresh token. Earlier ones are not stored. */
  readonly refresh_token: StoredRefreshToken | null;
}

/** The changes of one use of a refresh token. */
export interface Refreshing {
  readonly grant_id: GrantId;
  /** The digest of the presented refresh token, whose MAC was verified. */
  readonly presented: Digest;
  /** The next refresh token; it has the same digest without rotation. */
  readonly next: StoredRefreshToken;
  /** The new expiry of the grant. Tokens issued earlier may expire later. */
  readonly expires_at: number | null;
  /** The access token to issue. */
  readonly token: StoredAccessToken;
  readonly now: number;
  /** Recorded in the same transaction if the use of an old refresh token ends the grant. */
  readonly onReuse?: AuditEvent;
}

/**
 * `reused`: the token is not the current one, so it was used before or copied, and the grant is now ended.
 * `absent`: the grant has ended, its refresh token has expired, or its client was deleted.
 */
export type RefreshOutcome = 'refreshed' | 'reused' | 'absent';

/** The rows that a list has: of a subject, of an instance of a client, of both, or all. */
export interface GrantFilter {
  readonly sub?: string | undefined;
  readonly client?: { readonly client_id: ClientId; readonly instance: ClientInstance } | undefined;
  readonly now: number;
}

export interface GrantStore {
  /** Returns a page of the grants that have not expired, latest first, without those of deleted clients. */
  list(filter: GrantFilter, range: ListRange): Promise<Listing<StoredGrant>>;
  /** Stores a grant and its first access token in one transaction. Durable when it resolves. */
  create(grant: StoredGrant, token: StoredAccessToken): Promise<void>;
  /**
   * Stores a grant that ends with its session, like `create`, if the session exists. Returns whether it exists. A session
   * that ends at the same moment ends the grant too, or the result is false.
   */
  createInSession(
    grant: StoredGrant & { readonly sid: SessionId },
    token: StoredAccessToken,
  ): Promise<boolean>;
  /** Returns undefined for an unknown or ended grant, and for a grant whose client was deleted. May return an expired grant. */
  find(grant_id: GrantId): Promise<StoredGrant | undefined>;
  /** Returns the grants of a subject, oldest first. */
  ofSubject(sub: string): Promise<readonly StoredGrant[]>;
  /**
   * Issues an access token for a refresh token. Among concurrent callers with one rotated token, in any process, exactly
   * one gets `refreshed`. The next gets `reused`, which ends the grant with all its access tokens, the first caller's
   * included (RFC 9700 §4.14.2).
   */
  refresh(refreshing: Refreshing): Promise<RefreshOutcome>;
  /** Ends a grant with all its tokens, records the event in the same transaction, and returns whether the grant existed. No token is issued for an ended grant. */
  end(grant_id: GrantId, event?: AuditEvent): Promise<boolean>;
  /** Ends every grant of a subject and returns their number. */
  endAllOf(sub: string): Promise<number>;
  /**
   * Deletes at most `limit` grants that expired before `now`, and at most `limit` grants of deleted clients. Returns
   * `limit` if more may remain.
   */
  sweepExpired(now: number, limit: number): Promise<number>;
}
