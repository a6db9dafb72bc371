import type { Awaitable } from '../spec/awaitable.ts';
import type { ClientId, ClientInstance, Digest, SessionId, Subject } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** An end-user's session in one browser. All times in seconds since the Unix epoch. */
export interface StoredSession {
  /** Digest of the cookie's value: what is stored opens nothing. */
  readonly key: Digest;
  readonly sid: SessionId;
  readonly sub: Subject;
  /** When the end-user last authenticated (OpenID Connect Core 1.0 §2). */
  readonly auth_time: number;
  readonly acr: string | null;
  /** RFC 8176. */
  readonly amr: readonly string[];
  readonly created_at: number;
  /** Coarse. */
  readonly last_seen_at: number;
  /** When it ends if it is not used before; never later than `ends_at`. */
  readonly expires_at: number;
  /** When it ends however much it is used. */
  readonly ends_at: number;
}

/** A client that was given something in a session. The client may be gone meanwhile: its instance tells. */
export interface SessionClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** The name of ours under which it takes part; absent: the tenant's first one. */
  readonly issuer?: string;
  readonly first_used_at: number;
  readonly last_used_at: number;
}

/**
 * A session that is not there any more, with the clients that took part. The act that ended it has noted that they are to
 * hear of it (OpenID Connect Back-Channel Logout 1.0 §2.3; `LogoutNotificationStore`), and has ended the grants that end with it.
 */
export interface EndedSession extends StoredSession {
  readonly clients: readonly SessionClient[];
}

export interface SessionConditions {
  /** The session that the browser had so far. It ends, whoever's it was, so that no id outlives a sign-in. */
  readonly replaces: Digest | undefined;
  /**
   * For an account in our own store its version when the password was checked: whoever was disabled, deleted or given
   * another password since then gets no session.
   */
  readonly accountVersion: number | undefined;
  /** How many sessions `sub` may have after this; the ones not seen for longest end. */
  readonly sessionsMax: number;
  readonly now: number;
}

export type SessionCreation =
  | {
      readonly outcome: 'created';
      /** As it is kept: it goes on under the `sid` of the replaced session, with its clients, where `sub` is the same. */
      readonly session: StoredSession;
      /** What had to end: not the replaced session of the same `sub`, which goes on in the new one. */
      readonly ended: readonly EndedSession[];
    }
  | { readonly outcome: 'account_changed' };

export interface SessionStore {
  /** Undefined for an unknown or ended session; one that has expired may still be found. */
  find(key: Digest): Awaitable<StoredSession | undefined>;
  findBySid(sid: SessionId): Awaitable<StoredSession | undefined>;
  /** The one seen last first. */
  ofSubject(sub: Subject): Awaitable<readonly StoredSession[]>;
  /** The clients that took part, the first one first. */
  clients(sid: SessionId): Awaitable<readonly SessionClient[]>;
  /** Of two sign-ins that replace one session, one goes on with its `sid`; the other begins anew. */
  create(session: StoredSession, conditions: SessionConditions): Promise<SessionCreation>;
  /** Moves both times on, never back; answers whether the session is still there. */
  touch(key: Digest, last_seen_at: number, expires_at: number): Promise<boolean>;
  /** Notes that the client was given something; answers false, and notes nothing, when the session is gone. */
  addClient(
    sid: SessionId,
    client: Pick<SessionClient, 'client_id' | 'instance' | 'issuer'>,
    at: number,
  ): Promise<boolean>;
  /**
   * Of any number of callers at once exactly one gets the session; every later request finds none, in any process.
   * @param event recorded in the same transaction, by that one
   */
  end(key: Digest, event?: AuditEvent): Promise<EndedSession | undefined>;
  /** Every session of `sub`, but for the one in `except`. Each ended session is given to one caller only. */
  endAllOf(sub: Subject, except?: Digest): Promise<readonly EndedSession[]>;
  /** Removes at most `limit` sessions that expired before `now`; answers how many it removed. No client is told. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
