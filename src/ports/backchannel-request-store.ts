import type { ClientId, ClientInstance, Digest, Subject } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** An authentication request of a client without a browser (OpenID Connect CIBA Core 1.0 §7). Times are seconds since the Unix epoch. */
export interface StoredBackchannelRequest {
  /** Digest of the `auth_req_id`. */
  readonly key: Digest;
  /** Names the request where its end-user, the page of the operator or an administrator decides about it. The client never learns it. */
  readonly id: string;
  /** Digest of what names the end-user. It counts the open requests to one person, whether there is such an account or not. */
  readonly person: Digest;
  /** The end-user who decides; null if the hint names no account, or if its end-user has blocked the client: no one is asked. */
  readonly sub: Subject | null;
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  readonly state: 'open' | 'allowed' | 'denied';
  /** The key of the authorisation code with the end-user's consent; null until the request is allowed. */
  readonly code: Digest | null;
  /** Seconds between two requests for the tokens. */
  readonly poll_interval: number;
  /** JSON text of bounded length. Storage does not read it. */
  readonly content: string;
  readonly created_at: number;
  readonly expires_at: number;
  /** When the record goes. */
  readonly kept_until: number;
  /** The number of times a process took its notification for delivery. */
  readonly attempts: number;
  /** When its client is to be notified: at once after a decision, and otherwise at the end; null if no notification is due. */
  readonly due_at: number | null;
  /** The cause of the last failed attempt, for the operator; null without one. */
  readonly problem: string | null;
}

/** The most open requests to one end-user, and of one client. */
export interface BackchannelLimits {
  readonly perPerson: number;
  readonly perClient: number;
}

export type BackchannelBeginning = 'begun' | 'too_many_of_person' | 'too_many_of_client';

export type BackchannelDecision =
  | { readonly state: 'allowed'; readonly code: Digest }
  | { readonly state: 'denied' };

/** An end-user's wish not to be asked by a client. */
export interface BackchannelBlock {
  readonly sub: Subject;
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  readonly blocked_at: number;
  readonly expires_at: number;
}

type BlockPlace = Pick<BackchannelBlock, 'sub' | 'client_id' | 'client_instance'>;

/** The outcome of an attempt. `unneeded`: no client needs the notification. */
export type BackchannelAttempt =
  | { readonly outcome: 'delivered' | 'unneeded' }
  | { readonly outcome: 'failed'; readonly problem: string }
  | { readonly outcome: 'postponed'; readonly problem: string; readonly due_at: number };

/** Which requests a list has; absent: all that are kept. */
export interface BackchannelFilter {
  readonly sub?: Subject | undefined;
  readonly client_id?: ClientId | undefined;
}

export interface BackchannelRequestStore {
  /**
   * Stores a request, unless its end-user or its client has too many that are open. Requests that begin at once never exceed a limit.
   * A request whose end-user has blocked its client is stored without `sub`.
   */
  begin(
    request: StoredBackchannelRequest,
    limits: BackchannelLimits,
    event: AuditEvent,
  ): Promise<BackchannelBeginning>;
  /** Returns undefined for an unknown key. May return an expired request. */
  find(key: Digest): Promise<StoredBackchannelRequest | undefined>;
  findById(id: string): Promise<StoredBackchannelRequest | undefined>;
  /** Returns the requests that wait for this end-user, the oldest first. */
  openOf(sub: Subject, now: number, limit: number): Promise<readonly StoredBackchannelRequest[]>;
  /** Returns at most `limit` kept requests with an `id` after this one, ordered by `id`. */
  page(filter: BackchannelFilter, after: string, limit: number): Promise<readonly StoredBackchannelRequest[]>;
  /** Replaces the content of a request if it is still that of `request`. Nothing else of it changes, so no decision is lost. */
  reseal(request: Pick<StoredBackchannelRequest, 'key' | 'content'>, content: string): Promise<boolean>;
  /** Makes the interval longer, if it is still that of `request` and the request is open. */
  slowDown(
    request: Pick<StoredBackchannelRequest, 'key' | 'poll_interval'>,
    poll_interval: number,
  ): Promise<boolean>;
  /**
   * Records the decision about an open request. Among concurrent callers, in any process, one gets true: of an end-user who allows in
   * one window and refuses in another, one decision counts. A decision makes the notification of the client due.
   * @param sub the end-user who decides; undefined for an administrator
   */
  decide(
    request: { readonly id: string; readonly sub: Subject | undefined; readonly now: number },
    decision: BackchannelDecision,
    event: AuditEvent,
  ): Promise<boolean>;
  /** Blocks a client for an end-user, and refuses its open requests to that end-user. Returns how many were refused. */
  block(block: BackchannelBlock, event: AuditEvent): Promise<number>;
  /** Returns whether there was such a block. */
  unblock(block: BlockPlace, event: AuditEvent): Promise<boolean>;
  /** Returns the blocks of an end-user that have not expired, ordered by client. */
  blocksOf(sub: Subject, now: number): Promise<readonly BackchannelBlock[]>;
  /** Returns the time when the next notification is due; undefined if none waits. */
  nextDue(): Promise<number | undefined>;
  /**
   * Leases notifications that are due, longest due first. Among concurrent callers, in any process, each goes to one caller. A request
   * whose lease ends without an outcome is due again.
   */
  take(now: number, until: number, limit: number): Promise<readonly StoredBackchannelRequest[]>;
  /** Records the outcome of an attempt. Returns false and changes nothing if another process holds the lease now. */
  settle(
    taken: Pick<StoredBackchannelRequest, 'key' | 'attempts'>,
    attempt: BackchannelAttempt,
  ): Promise<boolean>;
  /** Deletes at most `limit` requests, and as many blocks, that are not kept at `now`, and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
