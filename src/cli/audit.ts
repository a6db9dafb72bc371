import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditReads, latestEvents, selectedEvents } from '../events/audit-search.ts';
import type { Selection } from '../events/audit-selection.ts';
import { followAudit } from '../events/follow-audit.ts';
import type { RecordedAuditEvent } from '../ports/audit-log.ts';
import { AUDIT_EVENTS } from '../spec/audit-events.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { systemClock } from '../system/clock.ts';
import { FILTER_OPTIONS, optionsSelect } from './audit-selection.ts';
import { type Command, command, type Surroundings } from './command.ts';
import { calledWrongly } from './failure.ts';
import type { StorageSession } from './registry-session.ts';
import { dieWithLauncher, stopOnSignals } from './run-until-stopped.ts';
import { READS_BESIDE_SERVERS, withStorage } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';
import { onReaderGone } from './terminal.ts';

const OUTPUT =
  'A table with one line for each event. With --json, one JSON object per line with the members of docs/reference/audit-events.md and `sequence`.';

const list = command({
  words: ['audit', 'list'],
  summary: 'List the events of the audit, all or those that match',
  description: [
    'The oldest event comes first. With --limit, the command prints the latest events of those that match.',
    'The command reads page by page, so that its memory does not grow with the audit. Times, clients, subjects, addresses, requests, actors and single actions are found in an index; other options are compared with each event. Events that only the log has, such as refused sign-ins, are not in the audit.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: {
    ...FILTER_OPTIONS,
    until: {
      kind: 'text',
      value: 'TIME',
      words: 'Selects events before this time, in the same forms.',
    },
    limit: { kind: 'count', words: 'Prints the latest events that match, at most this number.' },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: OUTPUT,
  examples: [
    'chancery audit list --since 1h',
    'chancery audit list --action client --actor master --limit 50',
    'chancery audit list --sub 8Gq2vT0aXw5pRkZ3mB7cYd1N --since 2026-11-01T00:00:00Z --json',
  ],
  run: async (call) => {
    const { json, limit, tenant } = call.options;
    const selection = optionsSelect(call.options, systemClock.now());
    await withStorage(call, { create: false }, async (session) => {
      const { audit } = session.storage.forTenant(await tenantId(session, tenant));
      const print = printer(call, json);
      const found =
        limit === undefined
          ? selectedEvents(audit, { selection, order: 'oldest-first' })
          : latestEvents(audit, selection, { limit });
      for await (const events of found) print(events);
    });
  },
});

const SHOWN_FIRST = 10;
const INTERVAL = 1;
const INTERVAL_MAX = 86_400;

const tail = command({
  words: ['audit', 'tail'],
  summary: 'Print the latest events of the audit, and each new one as it is recorded',
  description: [
    'The command begins with the latest events that match, and then looks for new ones by their sequence. None is lost: sequences grow in the order of the commits. SIGINT (Ctrl-C), SIGTERM and the end of its reader end it.',
    'The latest events are sought among the last 10,000 of the audit, or with --since in its time. If the database cannot be reached, the command fails; --since shows what was recorded meanwhile.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: {
    ...FILTER_OPTIONS,
    limit: {
      kind: 'count',
      words: `Prints at most this number of earlier events. Without it, the number is ${SHOWN_FIRST}, or with --since no limit.`,
    },
    interval: {
      kind: 'seconds',
      words: `Sets how often the command looks for new events: every ${INTERVAL} s without it, at most a day.`,
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: OUTPUT,
  examples: [
    'chancery audit tail',
    'chancery audit tail --action session --json',
    'chancery audit tail --since 10m',
  ],
  run: async (call) => {
    const { json, tenant, interval = INTERVAL } = call.options;
    if (interval < 1 || interval > INTERVAL_MAX)
      throw calledWrongly(`--interval must be between 1s and 1d, found ${interval}s`);
    const selection = optionsSelect({ until: undefined, ...call.options }, systemClock.now());
    await withStorage(call, { create: false }, async (session) => {
      const { audit } = session.storage.forTenant(await tenantId(session, tenant));
      dieWithLauncher();
      const stop = stopOnSignals();
      onReaderGone(() => stop.abort());
      const { signal } = stop;
      const wait = async (): Promise<void> =>
        await sleep(interval * 1000, undefined, { signal }).catch(() => undefined);
      const print = printer(call, json);
      for await (const events of tailed(audit, selection, { limit: call.options.limit, stop: signal, wait }))
        print(events);
    });
  },
});

/** Earlier events are sought among the last ones only, or a rare one would be sought in the whole audit. */
const LOOK_BACK = 10_000;

interface Tailing {
  readonly limit: number | undefined;
  readonly stop: AbortSignal;
  readonly wait: () => Promise<void>;
}

/** Yields the latest of the selected events, then each one that is recorded, until `stop` is aborted. */
async function* tailed(
  audit: AuditReads,
  selection: Selection,
  { limit, ...following }: Tailing,
): AsyncGenerator<readonly RecordedAuditEvent[]> {
  const after = await audit.head();
  const isTimed = selection.since !== undefined;
  const earlier =
    isTimed && limit === undefined
      ? selectedEvents(audit, { selection, order: 'oldest-first' })
      : latestEvents(audit, selection, {
          limit: limit ?? SHOWN_FIRST,
          lookBack: isTimed ? undefined : LOOK_BACK,
        });
  for await (const events of earlier) yield events.filter(({ sequence }) => sequence <= after);
  for await (const { events } of followAudit(audit, selection, { after, ...following })) yield events;
}

export const AUDIT_COMMANDS: readonly Command[] = [list, tail];

async function tenantId({ storage }: StorageSession, id: string | undefined): Promise<TenantId> {
  if (id === undefined || id === DEFAULT_TENANT) return DEFAULT_TENANT;
  const { storedTenant } = await import('./registry-session.ts');
  return (await storedTenant(storage, id)).id;
}

/** The widths of the columns that the first events must not decide: later ones may be longer. */
const TIME_WIDTH = '2026-11-21T10:00:00Z'.length;
const ACTION_WIDTH = Math.max(...Object.keys(AUDIT_EVENTS).map((action) => action.length));

const HEADS = [
  'TIME'.padEnd(TIME_WIDTH),
  'ACTION'.padEnd(ACTION_WIDTH),
  'OUTCOME',
  'ACTOR'.padEnd(20),
  'CLIENT_ID'.padEnd(24),
  'SUB'.padEnd(24),
  'ADDRESS'.padEnd(15),
  'DETAIL'.padEnd(24),
  'USER AGENT',
];

function printer({ print }: Surroundings, json: boolean): (events: readonly RecordedAuditEvent[]) => void {
  if (json)
    return (events) => {
      for (const event of events) print(JSON.stringify(event));
    };
  const lines = table(print, HEADS);
  lines.print([]);
  return (events) => lines.print(events.map(cells));
}

function cells(event: RecordedAuditEvent): readonly string[] {
  const { at, action, outcome, actor, client_id, sub, address, detail, user_agent } = event;
  const where = [client_id, sub, address, detail, user_agent].map((member) => member ?? '-');
  return [timeText(at, '-'), action, outcome, actor, ...where];
}
