import type { AuditEvent } from '../ports/audit-log.ts';
import type { SignalKind } from '../spec/security-events.ts';

/** The act behind an event. */
export type Cause = Pick<AuditEvent, 'actor' | 'action'> & {
  readonly at: number | null;
  readonly request_id: string | null;
};

/** Returns the act that an audit event tells of. Without one, the server is the actor. */
export const causeOf = (
  event: AuditEvent | undefined,
  action: AuditEvent['action'],
  at: number | null = null,
): Cause => event ?? { at, actor: 'server', action, request_id: null };

/** The facts of an event, with local identifiers: the delivery decides which of them a client may see. */
export interface Facts {
  readonly kind: SignalKind;
  readonly sub?: string;
  readonly sid?: string;
  readonly [fact: string]: unknown;
}

const FULL = 'too many events wait';

/** Returns the values of `APPENDED`, and of the row that is appended. */
export function appended({ kind, ...facts }: Facts, { at, actor, action, request_id }: Cause) {
  return {
    kind,
    wanted: `%${kind}%`,
    content: JSON.stringify({ ...facts, actor, action, request_id }),
    at,
    full_reason: FULL,
    full_content: JSON.stringify({ status: 'disabled', reason: FULL }),
  };
}

/**
 * Changes a stream that gets an event. The last place of its outbox is for the event that says that the stream is
 * disabled: from there on its client misses events, and learns so.
 */
export const APPENDED = `sequence = sequence + 1, held = held + 1,
  status = CASE WHEN held + 1 >= held_max THEN 'disabled' ELSE status END,
  status_reason = CASE WHEN held + 1 >= held_max THEN :full_reason ELSE status_reason END,
  version = CASE WHEN held + 1 >= held_max THEN version + 1 ELSE version END,
  drains_to = CASE WHEN held + 1 >= held_max THEN sequence + 1 ELSE drains_to END,
  due_at = CASE WHEN method = 'push' AND (status = 'enabled' OR held + 1 >= held_max) THEN coalesce(due_at, 0)
    ELSE due_at END`;

/** The streams that get an event: those of the chosen clients that asked for its kind. */
export const WANTED = `event_stream.tenant = :tenant AND status <> 'disabled' AND events LIKE :wanted`;

/** Chooses the clients that took part in a session. */
export const OF_SESSION = `(client_id, instance) IN (
  SELECT client_id, instance FROM session_client WHERE tenant = :tenant AND sid = :sid)`;
/** Chooses the clients that have a session or a grant of a subject. */
export const OF_SUBJECT = `(client_id, instance) IN (
  SELECT client_id, client_instance FROM authorization_grant WHERE tenant = :tenant AND sub = :sub
  UNION SELECT client_id, instance FROM session_client WHERE tenant = :tenant
    AND sid IN (SELECT sid FROM session WHERE tenant = :tenant AND sub = :sub))`;
export const OF_CLIENT = 'client_id = :client_id AND instance = :instance';

/** Whether the outbox has an event that may be delivered now. */
const DELIVERABLE = `EXISTS (SELECT 1 FROM security_event WHERE security_event.tenant = :tenant
  AND stream_id = event_stream.id AND state = 'waiting' AND (status = 'enabled' OR security_event.sequence <= drains_to))`;
/** When a process may take a stream that nothing delays. */
export const NEXT_DUE = `CASE WHEN method = 'push' AND ${DELIVERABLE} THEN coalesce(due_at, 0) ELSE NULL END`;
