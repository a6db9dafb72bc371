import type { AuditLog, AuditSpan, RecordedAuditEvent } from '../ports/audit-log.ts';
import { AUDIT_EVENTS } from '../spec/audit-events.ts';
import { durationMs } from '../spec/duration.ts';
import { suggestion } from '../spec/nearest.ts';
import { calledWrongly } from './failure.ts';

/** The options that select events. An event must match all that are given. */
export const FILTER_OPTIONS = {
  since: {
    kind: 'text',
    value: 'TIME',
    words:
      'Selects events from this time on: a duration before now such as 1h, or a time of RFC 3339 such as 2026-11-21T10:00:00Z.',
  },
  action: {
    kind: 'text',
    value: 'ACTION',
    repeated: true,
    words:
      'Selects events with one of these actions, for example `client.create`. `client` alone matches every action of clients. docs/reference/audit-events.md lists them.',
  },
  actor: {
    kind: 'text',
    value: 'ACTOR',
    words:
      'Selects events of this actor, for example `cli` or `master:LABEL`. `master` alone matches every label.',
  },
  client: { kind: 'text', value: 'CLIENT_ID', words: 'Selects events that concern this client.' },
  sub: { kind: 'text', value: 'SUB', words: 'Selects events that concern the account with this subject.' },
  outcome: {
    kind: 'choice',
    values: ['done', 'refused'],
    words: 'Selects acts that were done, or that were refused.',
  },
} as const;

interface Filters {
  readonly since: string | undefined;
  readonly until?: string | undefined;
  readonly action: readonly string[] | undefined;
  readonly actor: string | undefined;
  readonly client: string | undefined;
  readonly sub: string | undefined;
  readonly outcome: 'done' | 'refused' | undefined;
}

/** Events of a time range, in seconds: from `since` on, and before `until`. */
export interface Selection {
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly matches: (event: RecordedAuditEvent) => boolean;
}

/**
 * Returns what the options select.
 * @param now in seconds
 * @throws CommandFailure with exit code 2 for a value that no event can have
 */
export function selectionOf(filters: Filters, now: number): Selection {
  const { actor, client, sub, outcome } = filters;
  for (const [name, value] of Object.entries({ actor, client, sub }))
    if (value === '') throw calledWrongly(`--${name} takes a value, found ""`);
  const since = timeOf('since', filters.since, now);
  const until = timeOf('until', filters.until, now);
  if (since !== undefined && until !== undefined && since >= until)
    throw calledWrongly('--until must be later than --since');
  const actions = filters.action?.map(knownAction);
  const matches = (event: RecordedAuditEvent): boolean =>
    event.at >= (since ?? event.at) &&
    (until === undefined || event.at < until) &&
    (actions === undefined || actions.some((action) => begins(event.action, action, '.'))) &&
    (actor === undefined || begins(event.actor, actor, ':')) &&
    (client === undefined || event.client_id === client) &&
    (sub === undefined || event.sub === sub) &&
    (outcome === undefined || event.outcome === outcome);
  return { since, until, matches };
}

const begins = (text: string, wanted: string, separator: string): boolean =>
  text === wanted || text.startsWith(`${wanted}${separator}`);

function knownAction(wanted: string): string {
  const named = Object.entries(AUDIT_EVENTS).filter(([action]) => begins(action, wanted, '.'));
  if (named.some(([, { place }]) => place === 'row')) return wanted;
  if (named.length > 0)
    throw calledWrongly(`--action ${wanted} is a line of the log only: the audit has no row of it`);
  const actions = Object.keys(AUDIT_EVENTS).filter(
    (action) => AUDIT_EVENTS[action as keyof typeof AUDIT_EVENTS].place === 'row',
  );
  const nouns = [...new Set(actions.map((action) => action.slice(0, action.indexOf('.'))))];
  const meant = suggestion(wanted, [...actions, ...nouns]);
  throw calledWrongly(
    `--action must be one of ${actions.join(', ')}, or one of their first words; found ${JSON.stringify(wanted)}${meant}`,
  );
}

const RFC_3339 = /^(?<date>\d{4}-\d\d-\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/u;

/** Returns the first whole second that is not before the time. */
function timeOf(name: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const ago = durationMs(text);
  if (ago !== undefined) return Math.ceil((now * 1000 - ago) / 1000);
  const date = RFC_3339.exec(text)?.groups?.['date'];
  const milliseconds = date !== undefined && isDate(date) ? Date.parse(text.toUpperCase()) : Number.NaN;
  if (!Number.isNaN(milliseconds)) return Math.ceil(milliseconds / 1000);
  throw calledWrongly(
    `--${name} must be a duration before now such as 90s, 10m or 30d, or a time such as 2026-11-21T10:00:00Z, found ${JSON.stringify(text)}`,
  );
}

/** Date.parse turns 30 February into a day of March; such a time is refused. */
function isDate(date: string): boolean {
  const milliseconds = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(date);
}

export type AuditReads = Pick<AuditLog, 'page' | 'pageBefore' | 'span'>;

/** Events that are read with one query. Memory grows neither with the audit nor with what matches. */
const PAGE = 500;

/** Returns where the events of the selected time are. Later events are not in it: reading it ends, however busy servers are. */
async function spanOf(audit: AuditReads, { since, until }: Selection): Promise<AuditSpan | undefined> {
  if (since !== undefined || until !== undefined)
    return await audit.span(since ?? 0, until ?? Number.MAX_SAFE_INTEGER);
  const [newest] = await audit.pageBefore(Number.MAX_SAFE_INTEGER, 1);
  return newest && { first: 0, last: newest.sequence };
}

interface Latest {
  /** How many matching events there are to be; undefined: all. */
  readonly limit: number | undefined;
  /** How many events are looked at for them. */
  readonly readMax: number;
}

/**
 * Returns the sequence of the first of the latest events that match. Goes backwards, so that it reads no more than it must,
 * and keeps none of them.
 */
async function beginOfLatest(
  audit: AuditReads,
  { first, last }: AuditSpan,
  { matches }: Selection,
  { limit, readMax }: Latest,
): Promise<number> {
  if (limit === undefined) return first;
  let before = last + 1;
  let found = 0;
  for (let read = 0; read < readMax && before > first; read += PAGE) {
    const page = await audit.pageBefore(before, PAGE);
    for (const event of page) {
      if (event.sequence < first) return first;
      if (matches(event)) found += 1;
      if (found === limit) return event.sequence;
      before = event.sequence;
    }
    if (page.length < PAGE) return first;
  }
  return before;
}

/** Yields the selected events, oldest first: all of them, or the latest `limit`. */
export async function* selectedEvents(
  audit: AuditReads,
  selection: Selection,
  limit: number | undefined,
): AsyncGenerator<readonly RecordedAuditEvent[]> {
  const span = await spanOf(audit, selection);
  if (span === undefined) return;
  const readMax = Number.POSITIVE_INFINITY;
  const first = await beginOfLatest(audit, span, selection, { limit, readMax });
  for (let after = first - 1; after < span.last; ) {
    const page = await audit.page(after, PAGE);
    const [newest] = page.slice(-1);
    if (newest === undefined) return;
    yield page.filter((event) => event.sequence <= span.last && selection.matches(event));
    after = newest.sequence;
  }
}

/** Events that `followedEvents` looks at for those that it begins with: no more, or a rare one would be sought in the whole audit. */
const LOOK_BACK = 10_000;

/**
 * Yields the latest `limit` of the selected events, then each one that is recorded, until `stop` is aborted. Sequences grow
 * in commit order, so none is lost between two pages.
 * @param wait resolves when to look again, or when `stop` is aborted
 */
export async function* followedEvents(
  audit: AuditReads,
  selection: Selection,
  { limit, stop, wait }: Following,
): AsyncGenerator<readonly RecordedAuditEvent[]> {
  const [newest] = await audit.pageBefore(Number.MAX_SAFE_INTEGER, 1);
  const span = await spanOf(audit, selection);
  const readMax = selection.since === undefined ? LOOK_BACK : Number.POSITIVE_INFINITY;
  const begin = span && (await beginOfLatest(audit, span, selection, { limit, readMax }));
  let after = begin === undefined ? (newest?.sequence ?? 0) : begin - 1;
  while (!stop.aborted) {
    const page = await audit.page(after, PAGE);
    yield page.filter(selection.matches);
    after = page.at(-1)?.sequence ?? after;
    if (page.length < PAGE) await wait();
  }
}

interface Following {
  readonly limit: number | undefined;
  readonly stop: AbortSignal;
  readonly wait: () => Promise<void>;
}
