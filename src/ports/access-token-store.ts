import type { Awaitable } from '../spec/awaitable.ts';
import type { AccessTokenKey, ClientId, ClientInstance, GrantId } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** An issued access token never changes: it may be kept, parsed and rendered ahead. */
export interface StoredAccessToken {
  readonly key: AccessTokenKey;
  readonly expires_at: number;
  readonly client_id: ClientId;
  /** Null for a token that belongs to no registered client, such as an initial access token. */
  readonly client_instance: ClientInstance | null;
  /** The grant that ends it; null for a token that stands alone. */
  readonly grant_id: GrantId | null;
  /** The introspection response as JSON text, ready to be sent (RFC 7662 §2.2). */
  readonly introspection: string;
}

/** What is remembered of an initial access token besides its record. */
export interface InitialAccessTokenLabel {
  readonly label: string;
  readonly issued_at: number;
  /** Scope values, separated by spaces. */
  readonly scope: string;
  /** Hosts that redirection URIs of the client may have; null where any may be registered. */
  readonly redirect_hosts: readonly string[] | null;
}

/** An initial access token as an operator sees it: what became of it, and which client it made. */
export interface InitialAccessToken extends InitialAccessTokenLabel {
  readonly key: AccessTokenKey;
  readonly expires_at: number;
  readonly used_at: number | null;
  readonly used_by_client_id: ClientId | null;
  /** Of the client it made; an id that was registered again later is not it. */
  readonly used_by_instance: ClientInstance | null;
  readonly revoked_at: number | null;
}

export interface AccessTokenStore {
  /** Durable when it resolves. A token of a grant is issued by the verbs of `GrantStore`. */
  issue(token: StoredAccessToken): Promise<void>;
  /** As `issue`, and valid for one registration only. */
  issueInitial(token: StoredAccessToken, label: InitialAccessTokenLabel, event: AuditEvent): Promise<void>;
  /** Undefined for an unknown, revoked or used-up token and for one whose client is gone. Expired tokens may still be found. */
  find(key: AccessTokenKey): Awaitable<StoredAccessToken | undefined>;
  /** The label of an initial access token that was neither used nor revoked; it may have expired. */
  findInitial(key: AccessTokenKey): Awaitable<InitialAccessTokenLabel | undefined>;
  /** At most `limit` initial access tokens with a key greater than `after`, oldest first, whatever became of them. */
  pageInitial(after: AccessTokenKey | undefined, limit: number): Awaitable<readonly InitialAccessToken[]>;
  /**
   * Ends an initial access token that was neither used nor revoked and has not expired at the time of the event;
   * answers whether it did. In a race with a registration that uses it exactly one of the two happens.
   * @param event recorded in the same transaction, where it was there
   */
  revokeInitial(key: AccessTokenKey, event: AuditEvent): Promise<boolean>;
  /**
   * Ends an access token of any kind; answers whether it was there. From then on nobody finds it, and an initial access
   * token among them registers nobody: in a race with a registration that uses it exactly one of the two happens.
   */
  revoke(key: AccessTokenKey, now: number, event?: AuditEvent): Promise<boolean>;
  /** Removes at most `limit` tokens that expired before `now`; answers how many it removed. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
