import type {
  AuditFindings,
  AuditLog,
  AuditPlace,
  AuditSearch,
  RecordedAuditEvent,
} from '../ports/audit-log.ts';
import type { Selection } from './audit-selection.ts';

export type AuditReads = Pick<AuditLog, 'search' | 'page' | 'head'>;

type Order = AuditSearch['order'];

/** Events that one call of the storage looks at. A search for a rare event takes many calls, and requests run in between. */
const EXAMINED = 2000;

/** Events of one page when all are read. Memory grows neither with the audit nor with what matches. */
const PAGE = 500;

export interface SearchRequest {
  readonly selection: Selection;
  readonly order: Order;
  readonly limit: number;
  /** Where an earlier search of the same order ended. */
  readonly from?: AuditPlace | undefined;
  readonly examined?: number;
}

/** Searches the audit with bounded work: the answer may have fewer events than the limit although more match later on. */
export async function searchAudit(
  audit: Pick<AuditLog, 'search'>,
  { selection, order, limit, from, examined = EXAMINED }: SearchRequest,
): Promise<AuditFindings> {
  const { filter, since, until } = selection;
  const begin: AuditPlace = { at: (since ?? 0) - 1, sequence: Number.MAX_SAFE_INTEGER };
  const end: AuditPlace = { at: until ?? Number.MAX_SAFE_INTEGER, sequence: 0 };
  const isNewestFirst = order === 'newest-first';
  return await audit.search({
    filter,
    after: isNewestFirst ? begin : later(begin, from),
    before: isNewestFirst ? earlier(end, from) : end,
    order,
    limit,
    examined,
  });
}

const isBefore = (one: AuditPlace, other: AuditPlace): boolean =>
  one.at < other.at || (one.at === other.at && one.sequence < other.sequence);

const later = (one: AuditPlace, other: AuditPlace = one): AuditPlace => (isBefore(one, other) ? other : one);
const earlier = (one: AuditPlace, other: AuditPlace = one): AuditPlace =>
  isBefore(one, other) ? one : other;

/** Yields all selected events, page by page. */
export async function* selectedEvents(
  audit: Pick<AuditLog, 'search'>,
  request: Pick<SearchRequest, 'selection' | 'order' | 'from'>,
): AsyncGenerator<readonly RecordedAuditEvent[]> {
  for (let from = request.from, isDone = false; !isDone; ) {
    const { events, next } = await searchAudit(audit, { ...request, limit: PAGE, from });
    yield events;
    isDone = next === undefined;
    from = next;
  }
}

export interface Latest {
  readonly limit: number;
  /** How many events are looked at at most, in about; absent: all that there are. */
  readonly lookBack?: number | undefined;
}

/**
 * Yields the latest of the selected events, oldest first. Goes backwards to the first of them and keeps none, so that memory
 * does not grow with the limit.
 */
export async function* latestEvents(
  audit: Pick<AuditLog, 'search'>,
  selection: Selection,
  latest: Latest,
): AsyncGenerator<readonly RecordedAuditEvent[]> {
  const [newest, oldest] = await endsOfLatest(audit, selection, latest);
  if (newest === undefined || oldest === undefined) return;
  const from = { at: oldest.at, sequence: oldest.sequence - 1 };
  for await (const events of selectedEvents(audit, { selection, order: 'oldest-first', from })) {
    // Events that are recorded meanwhile are later.
    yield events.filter((event) => !isBefore(newest, event));
    if (events.some((event) => !isBefore(event, newest))) return;
  }
}

async function endsOfLatest(
  audit: Pick<AuditLog, 'search'>,
  selection: Selection,
  { limit, lookBack = Number.POSITIVE_INFINITY }: Latest,
): Promise<readonly [newest: AuditPlace | undefined, oldest: AuditPlace | undefined]> {
  let [newest, oldest]: (AuditPlace | undefined)[] = [];
  let from: AuditPlace | undefined;
  let isDone = false;
  for (let found = 0, examined = 0; found < limit && examined < lookBack && !isDone; examined += EXAMINED) {
    const request = { selection, order: 'newest-first', limit: Math.min(PAGE, limit - found), from } as const;
    const { events, next } = await searchAudit(audit, request);
    newest ??= events[0];
    oldest = events.at(-1) ?? oldest;
    found += events.length;
    isDone = next === undefined;
    from = next;
  }
  return [newest, oldest];
}
