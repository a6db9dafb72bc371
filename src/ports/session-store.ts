import type { ClientId, ClientInstance, Digest, SessionId, Subject } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';
import type { Listing, ListRange } from './listing.ts';

/** An end-user's session in one browser. All times are seconds since the Unix epoch. */
export interface StoredSession {
  /** Digest of the cookie's value, so that a stolen database opens no session. */
  readonly key: Digest;
  readonly sid: SessionId;
  readonly sub: Subject;
  /** When the end-user last authenticated (OpenID Connect Core 1.0 §2). */
  readonly auth_time: number;
  readonly acr: string | null;
  /** RFC 8176. */
  readonly amr: readonly string[];
  readonly created_at: number;
  /** Updated coarsely. */
  readonly last_seen_at: number;
  /** The end of the session without further use; never later than `ends_at`. */
  readonly expires_at: number;
  /** The end of the session in any case. */
  readonly ends_at: number;
}

/** A client that received tokens or codes in a session. The instance tells whether the client was deleted since. */
export interface SessionClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** The issuer identifier under which it takes part; absent for the tenant's first one. */
  readonly issuer?: string;
  readonly first_used_at: number;
  readonly last_used_at: number;
}

/**
 * An ended session with the clients that took part. The transaction that ended it has also ended its grants and written
 * the logout notifications (OpenID Connect Back-Channel Logout 1.0 §2.3; `LogoutNotificationStore`).
 */
export interface EndedSession extends StoredSession {
  readonly clients: readonly SessionClient[];
}

export interface SessionConditions {
  /** The browser's earlier session. It ends, whichever end-user it belongs to, so that no session id survives a sign-in. */
  readonly replaces: Digest | undefined;
  /**
   * The account's version when the password was checked. An account that was disabled, deleted or given another password
   * since then gets no session. Undefined for an external directory.
   */
  readonly accountVersion: number | undefined;
  /** The maximum number of sessions of `sub`. The sessions with the oldest use end. */
  readonly sessionsMax: number;
  readonly now: number;
  /** Recorded in the same transaction if the session begins. */
  readonly event?: AuditEvent;
}

export type SessionCreation =
  | {
      readonly outcome: 'created';
      /** The stored session. It keeps the `sid` and clients of the replaced session if `sub` is the same. */
      readonly session: StoredSession;
      /** The sessions that ended. A replaced session of the same `sub` is not among them: it continues in the new one. */
      readonly ended: readonly EndedSession[];
    }
  | { readonly outcome: 'account_changed' };

/** The rows that a list has: of a subject, of an instance of a client, of both, or all. */
export interface SessionFilter {
  readonly sub?: Subject | undefined;
  readonly client?: { readonly client_id: ClientId; readonly instance: ClientInstance } | undefined;
  readonly now: number;
}

export interface SessionStore {
  /** Returns a page of the sessions that have not expired, the latest sign-in first; of a client: the latest that it took part in first. */
  list(filter: SessionFilter, range: ListRange): Promise<Listing<StoredSession>>;
  /** Returns undefined for an unknown or ended session. May return an expired one. */
  find(key: Digest): Promise<StoredSession | undefined>;
  findBySid(sid: SessionId): Promise<StoredSession | undefined>;
  /** Returns the sessions of a subject, latest use first. */
  ofSubject(sub: Subject): Promise<readonly StoredSession[]>;
  /** Returns the clients that took part, in order of their first use. */
  clients(sid: SessionId): Promise<readonly SessionClient[]>;
  /** Creates a session. If two sign-ins replace one session, one keeps its `sid` and the other gets a new one. */
  create(session: StoredSession, conditions: SessionConditions): Promise<SessionCreation>;
  /** Moves both times forward, never back. Returns whether the session still exists. */
  touch(key: Digest, last_seen_at: number, expires_at: number): Promise<boolean>;
  /** Records that the client takes part. Returns false and records nothing if the session has ended. */
  addClient(
    sid: SessionId,
    client: Pick<SessionClient, 'client_id' | 'instance' | 'issuer'>,
    at: number,
  ): Promise<boolean>;
  /**
   * Ends a session. Among concurrent callers exactly one gets the session, and no process finds it afterwards.
   * @param event recorded in the same transaction by that caller
   */
  end(key: Digest, event?: AuditEvent): Promise<EndedSession | undefined>;
  /** Ends every session of `sub` except `except`. Each ended session is returned to one caller only. */
  endAllOf(sub: Subject, except?: Digest): Promise<readonly EndedSession[]>;
  /** Deletes at most `limit` sessions that expired before `now` and returns their number. Notifies no client. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
