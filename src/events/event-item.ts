import type { RecordedAuditEvent } from '../ports/audit-log.ts';
import { timeText } from '../spec/time-text.ts';
import type { EventCursors } from './event-cursor.ts';

/** An event as other parties see it: in lists, streams, exports and deliveries. Every member is present. */
export interface EventItem {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly outcome: 'done' | 'refused';
  readonly actor: string;
  readonly client_id: string | null;
  readonly sub: string | null;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly request_id: string;
  readonly detail: string | null;
  readonly reason: string | null;
}

export function eventItem(cursors: Pick<EventCursors, 'textOf'>, event: RecordedAuditEvent): EventItem {
  const { sequence, at, action, outcome, actor, client_id, request_id, detail, ...rest } = event;
  const { sub = null, address = null, user_agent = null, reason = null } = rest;
  return {
    id: cursors.textOf(sequence),
    at: timeText(at),
    action,
    outcome,
    actor,
    client_id,
    sub,
    address,
    user_agent,
    request_id,
    detail,
    reason,
  };
}
