import type { ClientId, ClientInstance, SessionId, Subject } from '../spec/identifiers.ts';

/**
 * An entry of the logout outbox: one client to notify of the end of one session (OpenID Connect Back-Channel Logout 1.0
 * §2.5). The transaction that ends the session writes it. A deleted client gets no entry.
 */
export interface StoredLogoutNotification {
  readonly sid: SessionId;
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  readonly sub: Subject;
  /** The issuer identifier under which the client took part; null for the tenant's first one. */
  readonly issuer: string | null;
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** The number of times a process took it for delivery. */
  readonly attempts: number;
  /** Seconds since the Unix epoch; null before the first attempt. */
  readonly attempted_at: number | null;
  /** The time from which a process may take it; null once it is settled. */
  readonly due_at: number | null;
  /** The cause of the last failed attempt, for the operator; null without one. */
  readonly problem: string | null;
}

type Place = Pick<StoredLogoutNotification, 'sid' | 'client_id' | 'instance'>;

/** A lease on a notification. It ends when another process takes the notification. */
export type TakenLogoutNotification = Place & Pick<StoredLogoutNotification, 'sub' | 'issuer' | 'attempts'>;

export interface Taking {
  readonly now: number;
  /** The end of the lease: other processes may take an unsettled notification after it. */
  readonly until: number;
  readonly limit: number;
  /** Only notifications of these sessions; all if absent. */
  readonly sids?: readonly SessionId[];
}

/** The outcome of an attempt. `unneeded`: no client needs the notification, and the entry is deleted. */
export type LogoutAttempt =
  | { readonly outcome: 'delivered' | 'unneeded' }
  | { readonly outcome: 'failed'; readonly problem: string }
  | { readonly outcome: 'postponed'; readonly problem: string; readonly due_at: number };

export interface LogoutNotificationStore {
  /** Returns the time when the next notification is due; undefined if none waits. */
  nextDue(): Promise<number | undefined>;
  /** Returns how many notifications wait for delivery, counted up to `limit`. */
  countWaiting(limit: number): Promise<number>;
  /** Leases due notifications, longest due first. Among concurrent callers, in any process, each goes to one caller. */
  take(taking: Taking): Promise<readonly TakenLogoutNotification[]>;
  /** Records the outcome of an attempt. Returns false and changes nothing if another process holds the lease now. */
  settle(taken: TakenLogoutNotification, attempt: LogoutAttempt): Promise<boolean>;
  /** Returns at most `limit` notifications after `after`, ordered by session and client. */
  page(after: Place | undefined, limit: number): Promise<readonly StoredLogoutNotification[]>;
  /** Deletes at most `limit` notifications that were settled before `before` and returns their number. */
  sweepSettled(before: number, limit: number): Promise<number>;
}
