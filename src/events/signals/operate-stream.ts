import type { AuditEvent } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventStreamStore, StoredSecurityEvent, StoredStream } from '../../ports/event-stream-store.ts';
import type { StreamId } from '../../spec/identifiers.ts';
import { notFound, Problem } from '../../spec/problems.ts';
import { EVENT_TYPES, type StreamStatus } from '../../spec/security-events.ts';
import { timeOrNever, timeText } from '../../spec/time-text.ts';
import { CHANGED_MEANWHILE, changedStatus } from './manage-stream.ts';
import { configurationOf } from './stream.ts';

/** The needs of the acts of operators on streams, for the administration API and for commands. */
export interface StreamActNeeds {
  readonly eventStreams: EventStreamStore;
  readonly clock: Clock;
}

/** An act on a stream that is permitted and has not happened. */
export interface StreamAct<Outcome> {
  readonly before: StoredStream;
  /** Null for a deletion. */
  readonly after: StoredStream | null;
  /** For the audit event. */
  readonly detail: string;
  /** Stores the act and its event in one write. @throws Problem if the act lost a race */
  readonly store: (event: AuditEvent) => Promise<Outcome>;
}

/** Returns the stream of an id. @throws Problem not_found */
export async function streamNamed(
  { eventStreams }: Pick<StreamActNeeds, 'eventStreams'>,
  id: string,
): Promise<StoredStream> {
  const stream = id.includes('\0') ? undefined : await eventStreams.find(id as StreamId);
  if (stream === undefined) throw notFound('event stream');
  return stream;
}

/** Prepares another status. The client learns of it by an event. */
export function statusOfStream(
  { eventStreams, clock }: StreamActNeeds,
  before: StoredStream,
  status: StreamStatus,
): StreamAct<void> {
  const { after, change } = changedStatus(
    before,
    { status, reason: 'by the operator', tells: true },
    clock.now(),
  );
  return {
    before,
    after,
    detail: `${before.id} ${status}`,
    async store(event) {
      if (await eventStreams.replace(after, before.version, { ...change, event })) return;
      throw new Problem('precondition_failed', CHANGED_MEANWHILE);
    },
  };
}

/** Prepares the deletion of a stream with its outbox. */
export function deletionOfStream(
  { eventStreams }: Pick<StreamActNeeds, 'eventStreams'>,
  before: StoredStream,
): StreamAct<void> {
  const { id } = before;
  return {
    before,
    after: null,
    detail: id,
    async store(event) {
      if (!(await eventStreams.delete(id, event))) throw notFound('event stream');
    },
  };
}

/** Prepares that the failed events of a stream wait again, or are dropped. The outcome is their number. */
export function actOnFailedEvents(
  { eventStreams }: Pick<StreamActNeeds, 'eventStreams'>,
  before: StoredStream,
  verb: 'redeliver' | 'drop',
): StreamAct<number> {
  const { id } = before;
  return {
    before,
    after: before,
    detail: `${id} all`,
    store: async (event) => await eventStreams[verb](id, undefined, event),
  };
}

/** Returns a stream as operators see it: without what may hold a secret. */
export function operatedStream(stream: StoredStream) {
  const { id, client_id, issuer, method, events, status, status_reason: reason, held, held_max } = stream;
  const { delivered, attempts, problem } = stream;
  const { description, endpoint_url } = configurationOf(stream);
  return {
    id,
    client_id,
    issuer,
    status,
    reason,
    method,
    endpoint_url,
    description,
    events: events === '' ? [] : events.split(' '),
    held,
    held_max,
    delivered,
    delivered_at: timeOrNever(stream.delivered_at),
    attempts,
    attempted_at: timeOrNever(stream.attempted_at),
    problem,
    created_at: timeText(stream.created_at),
    updated_at: timeText(stream.updated_at),
  };
}

/** Returns an event of an outbox as operators see it: its content may have claims of persons. */
export const heldEvent = ({ sequence, kind, at, state, attempted_at, problem }: StoredSecurityEvent) => ({
  id: String(sequence),
  type: EVENT_TYPES[kind],
  state,
  at: timeOrNever(at),
  attempted_at: timeOrNever(attempted_at),
  problem,
});
