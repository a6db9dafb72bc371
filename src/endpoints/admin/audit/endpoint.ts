import { searchAudit } from '../../../events/audit-search.ts';
import { type Selection, type SelectionWords, selectionOf } from '../../../events/audit-selection.ts';
import type { EventCursors } from '../../../events/event-cursor.ts';
import { type EventItem, eventItem } from '../../../events/event-item.ts';
import { eventStream } from '../../../events/event-stream.ts';
import { EXPORT_FORMATS, type ExportFormatName, exportAudit } from '../../../events/export-audit.ts';
import { EVENT_STREAM_HEADERS } from '../../../events/server-sent-events.ts';
import { leaving } from '../../../events/streams.ts';
import type { AuditPlace, RecordedAuditEvent } from '../../../ports/audit-log.ts';
import type { Streams } from '../../../ports/streams.ts';
import {
  type AdminCall,
  type AdminNeeds,
  type Item,
  type ListCall,
  type Listed,
  listing,
  type Streamed,
  streaming,
} from '../operation.ts';
import { invalidParameters } from '../parameters.ts';
import { entered, requirePermitted } from '../streams.ts';
import { auditExport, auditList, eventsFollow } from './contract.ts';

export interface AdminAuditNeeds extends AdminNeeds {
  readonly eventCursors: EventCursors;
  readonly streams: Streams;
  readonly sleep: (seconds: number) => Promise<void>;
}

export const adminAudit = [
  listing<AdminAuditNeeds>(auditList, listEvents),
  streaming<AdminAuditNeeds>(auditExport, exportEvents),
  streaming<AdminAuditNeeds>(eventsFollow, followEvents),
];

/** A rare event among many may take more calls than a request should. Then the caller goes on. */
const SEARCHES_MAX = 5;

async function listEvents(needs: AdminAuditNeeds, { query, page }: ListCall): Promise<Listed> {
  const {
    storage: { audit },
    eventCursors,
  } = needs;
  const order = page.descending ? 'newest-first' : 'oldest-first';
  const selection = selected(needs, query);
  const events: RecordedAuditEvent[] = [];
  let from = placeOf(page.after);
  for (let searches = 0; searches < SEARCHES_MAX; searches += 1) {
    const limit = page.limit - events.length;
    const found = await searchAudit(audit, { selection, order, limit, from });
    events.push(...found.events);
    from = found.next;
    if (from === undefined || events.length === page.limit) break;
  }
  return {
    items: events.map((event) => eventItem(eventCursors, event) satisfies EventItem as unknown as Item),
    next: from === undefined ? undefined : [from.at, from.sequence],
  };
}

function placeOf(position: ListCall['page']['after']): AuditPlace | undefined {
  const [at, sequence] = position ?? [];
  if (at === undefined) return undefined;
  if (typeof at === 'number' && typeof sequence === 'number') return { at, sequence };
  throw invalidParameters([
    { pointer: 'cursor', detail: 'must be the next of an answer to the same request' },
  ]);
}

async function exportEvents(needs: AdminAuditNeeds, call: AdminCall): Promise<Streamed> {
  const {
    storage: { audit },
    eventCursors,
  } = needs;
  const { sort, format = 'jsonl' } = call.query;
  const selection = selected(needs, call.query);
  const leave = entered(needs, call);
  const rows = EXPORT_FORMATS[format as ExportFormatName];
  const order = sort === '-at' ? 'newest-first' : 'oldest-first';
  const check = requirePermitted(needs, call);
  const render = (event: RecordedAuditEvent): EventItem => eventItem(eventCursors, event);
  const chunks = exportAudit({ audit, render, format: rows, check }, { selection, order });
  return await Promise.resolve({
    headers: {
      'content-type': rows.mediaType,
      'content-disposition': `attachment; filename="audit.${format}"`,
      'x-accel-buffering': 'no',
    },
    body: leaving(chunks, leave),
  });
}

async function followEvents(needs: AdminAuditNeeds, call: AdminCall): Promise<Streamed> {
  const {
    storage: { audit },
    eventCursors: cursors,
    clock,
    sleep,
    streams,
  } = needs;
  const selection = selected(needs, call.query);
  const after = await startOf(needs, call);
  const { expires_at, isLive } = call.caller;
  const ended = entered(needs, call);
  const render = (event: RecordedAuditEvent): EventItem => eventItem(cursors, event);
  const body = eventStream(
    { audit, clock, sleep, cursors, render, stopping: streams.stopping },
    { selection, after, expires_at, isLive, ended },
  );
  return {
    headers: EVENT_STREAM_HEADERS,
    body,
  };
}

/** Returns the sequence after which a stream begins. @throws Problem for a cursor that is not of this audit, or ahead of it */
async function startOf(
  { storage: { audit }, eventCursors }: AdminAuditNeeds,
  { query, headers }: AdminCall,
): Promise<number> {
  const header = headers['last-event-id'];
  const text = header ?? query['cursor'];
  const head = await audit.head();
  if (text === undefined) return head;
  const sequence = text === '0' ? 0 : eventCursors.sequenceOf(text);
  if (sequence !== undefined && sequence <= head) return sequence;
  const pointer = header === undefined ? 'cursor' : 'Last-Event-ID';
  const detail =
    sequence === undefined
      ? 'must be the id of an event of this tenant, from after the last restoration of the database'
      : 'is ahead of the newest event: the database has lost events, or the cursor is of another server';
  throw invalidParameters([{ pointer, detail }]);
}

/** @throws Problem with every parameter that no event can match */
function selected({ clock }: Pick<AdminAuditNeeds, 'clock'>, query: AdminCall['query']): Selection {
  const { since, until, action, actor, client_id, sub, address, outcome, request_id } = query;
  const rest = { actor, client_id, sub, address, outcome, request_id };
  const words: SelectionWords = { since, until, action: action?.split(','), ...rest };
  const found = selectionOf(words, clock.now());
  if ('selection' in found) return found.selection;
  throw invalidParameters(found.mistakes.map(({ member, words: detail }) => ({ pointer: member, detail })));
}
