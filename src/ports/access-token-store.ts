import type { Awaitable } from '../spec/awaitable.ts';
import type { AccessTokenKey, ClientId, ClientInstance, GrantId } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';
import type { Listing, ListRange } from './listing.ts';

/** An issued access token. The record never changes, so it may be cached, parsed and rendered ahead. */
export interface StoredAccessToken {
  readonly key: AccessTokenKey;
  readonly expires_at: number;
  readonly client_id: ClientId;
  /** Null for a token that belongs to no registered client, such as an initial access token. */
  readonly client_instance: ClientInstance | null;
  /** The grant that the token belongs to; null for a token without a grant. */
  readonly grant_id: GrantId | null;
  /** The account or other subject that it is for, by which it is listed; absent for a client that acts for itself. */
  readonly sub?: string;
  /** The introspection response as JSON text, ready to be sent (RFC 7662 §2.2). */
  readonly introspection: string;
  /**
   * The instances of the clients whose tokens it was exchanged from (RFC 8693), separated by spaces. The token ends with each of
   * them. Only `find` tells it; absent for a token that was not exchanged.
   */
  readonly via?: string;
}

/** Facts about an initial access token that its record does not hold. */
export interface InitialAccessTokenLabel {
  readonly label: string;
  readonly issued_at: number;
  /** Scope values, separated by spaces. */
  readonly scope: string;
  /** Hosts that the client's redirection URIs may have; null if any host may be registered. */
  readonly redirect_hosts: readonly string[] | null;
}

/** An initial access token as an operator sees it: its state, and the client that it registered. */
export interface InitialAccessToken extends InitialAccessTokenLabel {
  readonly key: AccessTokenKey;
  readonly expires_at: number;
  readonly used_at: number | null;
  readonly used_by_client_id: ClientId | null;
  /** The instance of the client that it registered. A later client with the same id has another instance. */
  readonly used_by_instance: ClientInstance | null;
  readonly revoked_at: number | null;
}

/** The rows that a list has: of a subject, of an instance of a client, of both, or all. */
export interface AccessTokenFilter {
  readonly sub?: string | undefined;
  readonly client?: { readonly client_id: ClientId; readonly instance: ClientInstance } | undefined;
  readonly now: number;
}

export interface AccessTokenStore {
  /** Returns a page of the access tokens of clients that have not expired, latest first, without those of deleted clients. */
  list(filter: AccessTokenFilter, range: ListRange): Promise<Listing<StoredAccessToken>>;
  /** Stores a token; durable when it resolves. `GrantStore` issues the tokens of grants. */
  issue(token: StoredAccessToken): Promise<void>;
  /**
   * Stores a token that was exchanged from others (RFC 8693), and records the event, if each of those still exists, and so do its
   * client and those before it. Returns whether it stored the token. The token ends when one of them is revoked or its grant ends, and
   * when a token that they were exchanged from does. In a race with such an end, the token is not stored, or it ends too.
   * @param origins the keys of the tokens; none for a token that comes from other issuers alone
   */
  exchange(token: StoredAccessToken, origins: readonly AccessTokenKey[], event: AuditEvent): Promise<boolean>;
  /** Stores an initial access token, which is valid for one registration. Durable when it resolves. */
  issueInitial(token: StoredAccessToken, label: InitialAccessTokenLabel, event: AuditEvent): Promise<void>;
  /** Returns undefined for an unknown, revoked or used token, and for a token whose client was deleted. May return an expired token. */
  find(key: AccessTokenKey): Awaitable<StoredAccessToken | undefined>;
  /** Returns the label of an initial access token that was neither used nor revoked. The token may have expired. */
  findInitial(key: AccessTokenKey): Promise<InitialAccessTokenLabel | undefined>;
  /** Returns at most `limit` initial access tokens in any state with a key greater than `after`, oldest first. */
  pageInitial(after: AccessTokenKey | undefined, limit: number): Promise<readonly InitialAccessToken[]>;
  /**
   * Revokes an initial access token that was neither used nor revoked and has not expired at the time of the event.
   * Returns whether it revoked one. In a race with a registration that uses the token, exactly one of the two happens.
   * @param event recorded in the same transaction if a token was revoked
   */
  revokeInitial(key: AccessTokenKey, event: AuditEvent): Promise<boolean>;
  /**
   * Revokes an access token of any kind, with all that was exchanged from it, and returns whether it existed. No later `find`
   * returns one of them. In a race with a registration that uses an initial access token, exactly one of the two happens.
   */
  revoke(key: AccessTokenKey, now: number, event?: AuditEvent): Promise<boolean>;
  /** Deletes at most `limit` tokens that expired before `now` and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
