import type { FetchPurpose } from './outbound-http.ts';
import type { FileSize } from './storage.ts';

/** `busy`: the limits of fetches refused it or ended it. */
export type FetchOutcome = 'ok' | 'failed' | 'busy';

/** Fetches at one moment. */
export interface FetchQueue {
  readonly running: number;
  readonly waiting: number;
}

/** The metrics that the management listener publishes. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** Counts one answered request. Every request calls it, so it is cheap. */
  observeRequest(endpoint: string, status: number, seconds: number): void;
  /** Counts a refusal by an endpoint. `reason` is an error code, `not_found` or `too_many_requests`. */
  countRefusal(endpoint: string, reason: string): void;
  /** Says whether `encryption.key` opens the database (ADR 45). */
  noteEncryptionKey(opens: boolean): void;
  /** Sets the bytes of the database file, of its free pages, and of its log. */
  observeFile(size: FileSize): void;
  /** Sets how far the clock is ahead of the remembered time while it is in doubt; negative if it is behind, 0 without doubt. */
  observeClock(seconds: number): void;
  /** Counts a server key that this process announced, activated, removed or revoked. */
  countServerKeyEvent(event: string): void;
  /**
   * Counts what happened to a key of a trust anchor: `announced` and not trusted yet, `accepted`, `missing` from the anchor's
   * configuration, `withdrawn`, or `untrusted`: it signs, and chains to the anchor are refused.
   */
  countTrustAnchorEvent(event: string): void;
  /** Counts a read of the database that failed because of the disk or the data (ADR 39). */
  countFailedRead(): void;
  /** Counts an attempt to notify a client of a logout (OpenID Connect Back-Channel Logout 1.0 §2.5), by its outcome. */
  countLogoutAttempt(outcome: string): void;
  /** Counts a connection that was refused, or ended in its handshake, because of a limit. */
  countConnectionRefusal(reason: ConnectionRefusal): void;
  /**
   * Counts what happened to a tenant besides the default one: `opened`, `failed` to open, `refused` because too many wait,
   * or `closed` for another one.
   */
  countTenant(event: 'opened' | 'failed' | 'refused' | 'closed'): void;
  /** Counts a fetch from another server, or a form that was posted to one, by its purpose and outcome. */
  countFetch(purpose: FetchPurpose, outcome: FetchOutcome): void;
  /** Publishes the queues of fetches, read when the metrics are read. */
  showFetchQueues(read: (purpose: FetchPurpose) => FetchQueue): void;
}

/** The limit that a connection exceeded. */
export type ConnectionRefusal = 'max-connections' | 'network' | 'handshakes' | 'all-handshakes';
