import type { AuditLog, RecordedAuditEvent } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Selection } from './audit-selection.ts';
import type { EventCursors } from './event-cursor.ts';
import type { EventItem } from './event-item.ts';
import { followAudit } from './follow-audit.ts';
import { endEvent, json, line, PATIENCE_MS } from './server-sent-events.ts';
import { leaving } from './streams.ts';

export interface EventStreamNeeds {
  readonly audit: Pick<AuditLog, 'page'>;
  readonly clock: Clock;
  /** Resolves after these seconds. */
  readonly sleep: (seconds: number) => Promise<void>;
  readonly cursors: EventCursors;
  readonly render: (event: RecordedAuditEvent) => EventItem;
  /** Ends the stream when the process stops. */
  readonly stopping: AbortSignal;
}

export interface EventStreamRequest {
  readonly selection: Selection;
  readonly after: number;
  /** When the token of the reader expires; undefined for never. */
  readonly expires_at: number | undefined;
  /** Whether the token of the reader is still valid. */
  readonly isLive: () => Promise<boolean>;
  /** Is called once, when the stream ends. */
  readonly ended: () => void;
}

/** Seconds between two looks at the audit. */
const LOOK_SECONDS = 1;
/** Shorter than the idle timeouts of proxies, and than the server's own for clients that do not read. */
const HEARTBEAT_SECONDS = 15;

/**
 * Yields server-sent events (WHATWG HTML §9.2): each with the cursor as its `id`, and a comment or a cursor alone where nothing
 * happens. `gap` says that events were swept before the reader came to them, `end` why the stream ends.
 */
export function eventStream(needs: EventStreamNeeds, request: EventStreamRequest): AsyncIterable<string> {
  const gone = new AbortController();
  return leaving(streamed(needs, request, gone.signal), () => {
    gone.abort();
    request.ended();
  });
}

async function* streamed(
  { audit, clock, sleep, cursors, render, stopping }: EventStreamNeeds,
  { selection, after, expires_at, isLive }: EventStreamRequest,
  gone: AbortSignal,
): AsyncGenerator<string> {
  const stop = AbortSignal.any([stopping, gone]);
  const aborted = new Promise<void>((resolve) =>
    stop.addEventListener('abort', () => resolve(), { once: true }),
  );
  const wait = async (): Promise<void> => await Promise.race([sleep(LOOK_SECONDS), aborted]);
  let sentAt = clock.milliseconds();
  let told = after;
  yield `: follows the audit\n${line('retry', '3000')}${line('id', cursors.textOf(after))}\n`;
  for await (const part of followAudit(audit, selection, { after, stop, wait })) {
    if (expires_at !== undefined && clock.now() >= expires_at) return yield endEvent('token-expired');
    if (!(await isLive())) return yield endEvent('token-revoked');
    if (clock.milliseconds() - sentAt > PATIENCE_MS + HEARTBEAT_SECONDS * 1000)
      return yield endEvent('slow-reader');
    const { events, until, missed } = part;
    const id = line('id', cursors.textOf(until));
    let text = missed === 0 ? '' : `${line('event', 'gap')}${json({ missed })}\n`;
    for (const event of events)
      text += `${line('id', cursors.textOf(event.sequence))}${json(render(event))}\n`;
    const isDue = clock.milliseconds() - sentAt >= HEARTBEAT_SECONDS * 1000;
    if (text === '' && !isDue) continue;
    sentAt = clock.milliseconds();
    // A reader that resumes need not look again at what was not selected.
    yield until === told || events.at(-1)?.sequence === until ? text || ':\n\n' : `${text}${id}\n`;
    told = until;
  }
  if (stopping.aborted) yield endEvent('server-stops');
}
