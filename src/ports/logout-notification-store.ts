import type { Awaitable } from '../spec/awaitable.ts';
import type { ClientId, ClientInstance, SessionId, Subject } from '../spec/identifiers.ts';

/**
 * That a client is to hear, or has heard, of the end of a session that it took part in (OpenID Connect Back-Channel Logout 1.0 §2.5).
 * Written in the act that ends the session; a client that is gone by then gets none.
 */
export interface StoredLogoutNotification {
  readonly sid: SessionId;
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  readonly sub: Subject;
  /** The name of ours under which the client took part; null: the tenant's first one. */
  readonly issuer: string | null;
  readonly state: 'waiting' | 'delivered' | 'failed';
  /** How many times somebody took it to deliver it. */
  readonly attempts: number;
  /** Seconds since the Unix epoch; null where nobody has tried yet. */
  readonly attempted_at: number | null;
  /** From when on somebody may take it; null where it is done with. */
  readonly due_at: number | null;
  /** Why the last attempt failed, for the operator; null where none did. */
  readonly problem: string | null;
}

type Place = Pick<StoredLogoutNotification, 'sid' | 'client_id' | 'instance'>;

/** The ticket of whoever took a notification: good until somebody else takes it. */
export type TakenLogoutNotification = Place & Pick<StoredLogoutNotification, 'sub' | 'issuer' | 'attempts'>;

export interface Taking {
  readonly now: number;
  /** When others may take what is taken now, because nobody has said how it went. */
  readonly until: number;
  readonly limit: number;
  /** Of these sessions only; of all where none are named. */
  readonly sids?: readonly SessionId[];
}

/** How an attempt went. `unneeded`: there is nobody to tell, and no record is kept. */
export type LogoutAttempt =
  | { readonly outcome: 'delivered' | 'unneeded' }
  | { readonly outcome: 'failed'; readonly problem: string }
  | { readonly outcome: 'postponed'; readonly problem: string; readonly due_at: number };

export interface LogoutNotificationStore {
  /** When the next one is due; undefined where none waits. */
  nextDue(): Awaitable<number | undefined>;
  /** Takes what is due, longest due first. Of any number of callers at once, in whatever process, each is given to one. */
  take(taking: Taking): Promise<readonly TakenLogoutNotification[]>;
  /** Answers false, and changes nothing, where somebody else has taken it since. */
  settle(taken: TakenLogoutNotification, attempt: LogoutAttempt): Promise<boolean>;
  /** At most `limit` beyond `after`, in the order of session and client. */
  page(after: Place | undefined, limit: number): Awaitable<readonly StoredLogoutNotification[]>;
  /** Removes at most `limit` that were done with before `before`; answers how many it removed. */
  sweepSettled(before: number, limit: number): Promise<number>;
}
