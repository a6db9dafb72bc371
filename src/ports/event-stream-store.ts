import type { ClientId, ClientInstance, Digest, Sealed, StreamId, Subject } from '../spec/identifiers.ts';
import type { SignalKind, StreamStatus } from '../spec/security-events.ts';
import type { AuditEvent } from './audit-log.ts';

/** The content that a client sets of its stream, with the additions of the server (OpenID Shared Signals Framework 1.0 §8.1.1). */
export interface StreamContent {
  /** JSON text: what the client may read again. */
  readonly configuration: string;
  /** The parts of a delivery that may hold a secret. */
  readonly sealed: Sealed | null;
  readonly method: 'push' | 'poll';
  /** The kinds of events that are delivered, separated by spaces. */
  readonly events: string;
  readonly status: StreamStatus;
  /** Why the stream has this status, in the words of the party that set it. */
  readonly status_reason: string | null;
  /** The most events that the outbox of the stream holds. */
  readonly held_max: number;
  readonly updated_at: number;
}

/** A stream of security events to a client. All times are seconds since the Unix epoch. */
export interface StoredStream extends StreamContent {
  readonly id: StreamId;
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** The issuer identifier under which it was made, which its events have too. */
  readonly issuer: string;
  /** Grows by one with each change of the content. */
  readonly version: number;
  readonly created_at: number;
  /** When the client asked for a verification event last. */
  readonly verified_at: number | null;
  /** The number of the newest event. Numbers grow in the order of commits. */
  readonly sequence: number;
  /** Events up to this number are delivered in whatever state the stream is. */
  readonly drains_to: number;
  /** Events in the outbox: those that wait, and those that failed. */
  readonly held: number;
  readonly delivered: number;
  readonly delivered_at: number | null;
  /** How often a process took the stream for its oldest event. */
  readonly attempts: number;
  readonly attempted_at: number | null;
  /** When a process may take the stream for a delivery; null if it has nothing to push. */
  readonly due_at: number | null;
  /** The cause of the last failed attempt, for the operator. */
  readonly problem: string | null;
}

/** An event in the outbox of a stream. The transaction of the act that it tells of writes it. */
export interface StoredSecurityEvent {
  readonly stream_id: StreamId;
  readonly sequence: number;
  readonly kind: SignalKind;
  /** JSON text: the facts, with local identifiers. */
  readonly content: string;
  /** When it happened; null if the act did not say. */
  readonly at: number | null;
  readonly state: 'waiting' | 'failed';
  readonly attempted_at: number | null;
  readonly problem: string | null;
}

/** A new event for one stream. */
export type NewSecurityEvent = Pick<StoredSecurityEvent, 'kind' | 'content' | 'at'>;

/** A lease on a stream. It ends when another process takes the stream. */
export interface TakenStream {
  readonly id: StreamId;
  readonly lease: number;
  readonly attempts: number;
}

/**
 * The outcome of one attempt. `unneeded`: the client must not or need not have the event, and it goes. `idle`: there was
 * nothing to deliver.
 */
export type StreamOutcome =
  | { readonly outcome: 'delivered'; readonly sequence: number; readonly at: number }
  | { readonly outcome: 'unneeded'; readonly sequence: number }
  | { readonly outcome: 'failed'; readonly sequence: number; readonly problem: string }
  | { readonly outcome: 'postponed'; readonly problem: string; readonly due_at: number }
  | { readonly outcome: 'idle' };

export interface StreamChange {
  /** Absent for maintenance without a visible effect. */
  readonly event?: AuditEvent;
  /** Appended in the same transaction, and delivered in whatever state the stream is then. */
  readonly notice?: NewSecurityEvent;
  /** Whether the events that wait are dropped. */
  readonly discards?: boolean;
}

/** Answers of a client that polls (RFC 8936 §2.4). */
export interface Acknowledgement {
  readonly accepted: readonly number[];
  readonly refused: readonly { readonly sequence: number; readonly problem: string }[];
  /** Events that the client must not or need not have: they go, and do not count as delivered. */
  readonly unneeded?: readonly number[];
  readonly at: number;
}

/** A subject that a client wants no events about. */
export interface ExcludedSubject {
  /** The digest of its canonical form. */
  readonly key: Digest;
  /** JSON text, as the client sent it. */
  readonly content: string;
}

/** The streams of a tenant together. */
export interface StreamFigures {
  readonly waiting: number;
  readonly failed: number;
}

type Client = Pick<StoredStream, 'client_id' | 'instance'>;

/**
 * Streams of security events, and their outbox. Events come into it in the transactions that end sessions and grants, and that
 * change accounts; so a crash loses none, and there is none of an act that did not happen.
 */
export interface EventStreamStore {
  find(id: StreamId): Promise<StoredStream | undefined>;
  /** Returns the streams of a client, ordered by id. */
  ofClient(client: Client): Promise<readonly StoredStream[]>;
  /** Returns at most `limit` streams after `after`, ordered by id. */
  page(after: StreamId | undefined, limit: number): Promise<readonly StoredStream[]>;
  /** Returns at most `limit` events of a stream in this state with a number above `after`, in their order. */
  events(
    id: StreamId,
    state: StoredSecurityEvent['state'],
    after: number,
    limit: number,
  ): Promise<readonly StoredSecurityEvent[]>;
  /** Returns the subjects that a stream leaves out, ordered by key. */
  excluded(id: StreamId): Promise<readonly ExcludedSubject[]>;
  /** Returns the time when the next stream is due; undefined if none has anything to push. */
  nextDue(): Promise<number | undefined>;
  figures(): Promise<StreamFigures>;
  /** Adds a stream. Returns false if the client has `max` streams already, also if they were made at the same moment, or is gone. */
  create(stream: StoredStream, max: number, event: AuditEvent): Promise<boolean>;
  /** Replaces the content if the version is the given one. One of two callers that have read the same version succeeds. */
  replace(
    stream: StreamContent & Pick<StoredStream, 'id' | 'version'>,
    expectedVersion: number,
    change: StreamChange,
  ): Promise<boolean>;
  /** Deletes a stream with its outbox. Returns false if there is none. */
  delete(id: StreamId, event: AuditEvent): Promise<boolean>;
  /**
   * Appends a verification event. One of several concurrent requests succeeds in each interval. `refused`: the stream is disabled, or its
   * outbox is full.
   * @param before the last request must be from before this time
   */
  verify(
    id: StreamId,
    event: NewSecurityEvent & { readonly at: number },
    before: number,
  ): Promise<'queued' | 'too_soon' | 'refused'>;
  /** Leaves a subject out. Returns false if `max` others are left out already. */
  exclude(id: StreamId, subject: ExcludedSubject, max: number): Promise<boolean>;
  /** Takes a subject in again. */
  include(id: StreamId, key: Digest): Promise<void>;
  /** Leases streams with something to push, longest due first. Among concurrent callers, in any process, each goes to one caller. */
  take(taking: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly TakenStream[]>;
  /** Records the outcome of an attempt. Returns false and changes nothing if another process holds the lease now. */
  settle(taken: TakenStream, outcome: StreamOutcome, now: number): Promise<boolean>;
  /** Removes the events that a client took, and keeps those that it refused. Returns how many it took. */
  acknowledge(id: StreamId, acknowledgement: Acknowledgement): Promise<number>;
  /** Makes failed events wait again: one, or all. Returns their number. */
  redeliver(id: StreamId, sequence: number | undefined, event: AuditEvent): Promise<number>;
  /** Deletes failed events: one, or all. Returns their number. */
  drop(id: StreamId, sequence: number | undefined, event: AuditEvent): Promise<number>;
  /** Deletes at most `limit` events that failed before `before`, and as many streams of clients that are gone. Returns the greater number. */
  sweep(before: number, limit: number): Promise<number>;
}

/** A change of an account that clients with sessions or grants of it learn of, in the transaction of the change. */
export interface AccountSignal {
  readonly kind: 'credential-change' | 'token-claims-change';
  readonly sub: Subject;
  /** Facts of the event, beside those of every event. */
  readonly facts: Readonly<Record<string, unknown>>;
}
