import type { AuditAction } from '../spec/audit-events.ts';

/** One audit event: the action, its actor and its outcome. It never holds a secret or a token. */
export interface AuditEvent {
  /** Seconds since the Unix epoch. */
  readonly at: number;
  readonly action: AuditAction;
  readonly outcome: 'done' | 'refused';
  /** `AUDIT_MEMBERS` has the forms. */
  readonly actor: string;
  readonly client_id: string | null;
  readonly request_id: string;
  /** The error code of a refusal; otherwise further facts, or null. */
  readonly detail: string | null;
  /** The account concerned. Absent where none is known. */
  readonly sub?: string;
  /** The network address of the request, shortened as the settings say. Absent for commands and the server itself. */
  readonly address?: string;
  readonly user_agent?: string;
}

export interface RecordedAuditEvent extends AuditEvent {
  /** Grows in the order in which events are recorded. */
  readonly sequence: number;
}

/** The least and the greatest sequence of some events. */
export interface AuditSpan {
  readonly first: number;
  readonly last: number;
}

export interface AuditLog {
  /** Records an event that accompanies no change. A change records its own event in its transaction. */
  append(event: AuditEvent): Promise<void>;
  /** Returns at most `limit` events after `sequence`, oldest first. */
  page(sequence: number, limit: number): Promise<readonly RecordedAuditEvent[]>;
  /** Returns at most `limit` events before `sequence`, newest first. */
  pageBefore(sequence: number, limit: number): Promise<readonly RecordedAuditEvent[]>;
  /**
   * Returns where the events from `since` on and before `until` are; undefined if there are none. Events of other times can
   * lie between: clocks of servers differ, and sequences grow in commit order.
   */
  span(since: number, until: number): Promise<AuditSpan | undefined>;
  /** Deletes at most `limit` events from before `at` and returns their number. */
  sweep(at: number, limit: number): Promise<number>;
}
