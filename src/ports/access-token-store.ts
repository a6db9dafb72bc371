import type { AccessTokenKey, ClientId, ClientInstance } from '../spec/identifiers.ts';
import type { Awaitable } from './storage.ts';

/** An issued access token never changes: it may be kept, parsed and rendered ahead. */
export interface StoredAccessToken {
  readonly key: AccessTokenKey;
  readonly expires_at: number;
  readonly client_id: ClientId;
  /** Null for a token that belongs to no registered client, such as an initial access token. */
  readonly client_instance: ClientInstance | null;
  /** The introspection response as JSON text, ready to be sent (RFC 7662 §2.2). */
  readonly introspection: string;
}

export interface InitialAccessTokenLabel {
  readonly label: string;
  readonly issued_at: number;
}

export interface AccessTokenStore {
  /** Durable when it resolves. */
  issue(token: StoredAccessToken): Promise<void>;
  /** As `issue`, and valid for one registration only. */
  issueInitial(token: StoredAccessToken, label: InitialAccessTokenLabel): Promise<void>;
  /** Undefined for an unknown, revoked or used-up token and for one whose client is gone. Expired tokens may still be found. */
  find(key: AccessTokenKey): Awaitable<StoredAccessToken | undefined>;
  /** The label of an unused initial access token. */
  findInitial(key: AccessTokenKey): Awaitable<InitialAccessTokenLabel | undefined>;
  /** Removes at most `limit` tokens that expired before `now`; answers how many it removed. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
