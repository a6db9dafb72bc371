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
  /** The words in which the operator said why. Absent where none were given. */
  readonly reason?: string;
}

export interface RecordedAuditEvent extends AuditEvent {
  /** Grows in the order of commits, without gaps: one that is missing was swept. */
  readonly sequence: number;
}

/** Conditions that an event must meet. A member that is absent permits everything. */
export interface AuditFilter {
  /** One of these. */
  readonly actions?: readonly AuditAction[];
  readonly actor?: string;
  /** The actor is this one with any label: `master` stands for `master:LABEL`. */
  readonly actorKind?: string;
  readonly client_id?: string;
  readonly sub?: string;
  readonly address?: string;
  readonly outcome?: AuditEvent['outcome'];
  readonly request_id?: string;
}

/** A place in the audit, in the order of time. Events of one second are in the order of their sequences. */
export interface AuditPlace {
  readonly at: number;
  readonly sequence: number;
}

export interface AuditSearch {
  readonly filter: AuditFilter;
  /** The events looked at lie between these places, which are not among them. */
  readonly after: AuditPlace;
  readonly before: AuditPlace;
  readonly order: 'newest-first' | 'oldest-first';
  /** How many matching events are returned at most. */
  readonly limit: number;
  /** How many events are looked at at most, among those that an index finds for one member of the filter. */
  readonly examined: number;
}

export interface AuditFindings {
  readonly events: readonly RecordedAuditEvent[];
  /** Where the search goes on; undefined if everything was looked at. Fewer events than the limit say nothing about the rest. */
  readonly next: AuditPlace | undefined;
}

export interface AuditLog {
  /** Records an event that accompanies no change. A change records its own event in its transaction. */
  append(event: AuditEvent): Promise<void>;
  /** Returns at most `limit` events after `sequence`, in the order of sequences. */
  page(sequence: number, limit: number): Promise<readonly RecordedAuditEvent[]>;
  /** Returns the events that match, in the order of their times. */
  search(search: AuditSearch): Promise<AuditFindings>;
  /** Returns the greatest sequence that was ever given, also if its event was swept; 0 if there was none. */
  head(): Promise<number>;
  /** Deletes at most `limit` events from before `at` and returns their number. */
  sweep(at: number, limit: number): Promise<number>;
}
