import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Program } from '../../program/start.ts';
import { BOTH_ENGINES, type Experiment, milliseconds } from '../experiment.ts';
import type { Ledger, Operation } from '../ledger.ts';
import { startMixedLoad } from '../mixed-load.ts';
import { eventLoopDelayMax_ms, megabytes, openDescriptors, residentBytes } from '../process-figures.ts';
import type { Stand } from '../stand.ts';
import { outcomeOf, outputOf, summary } from '../under-fault.ts';
import { noFindings, verifyRegistry } from '../verify-registry.ts';

/** Short, so that everything expires many times in a soak of a minute, and rows come and go before its middle. */
const LIFETIME_S = 10;
const SWEEP_S = 2;
const ENVIRONMENT = {
  CHANCERY_ACCESS_TOKEN_LIFETIME: String(LIFETIME_S),
  CHANCERY_INITIAL_ACCESS_TOKEN_LIFETIME: String(LIFETIME_S),
  CHANCERY_REFRESH_TOKEN_LIFETIME: String(LIFETIME_S),
  CHANCERY_REFRESH_TOKEN_MAX_IDLE: String(LIFETIME_S),
  CHANCERY_AUDIT_LIFETIME: String(LIFETIME_S),
  CHANCERY_HISTORY_LIFETIME: String(LIFETIME_S),
  CHANCERY_HISTORY_DELETED_LIFETIME: String(LIFETIME_S),
  CHANCERY_STORAGE_SWEEP_INTERVAL: String(SWEEP_S),
  CHANCERY_LOG_LEVEL: 'warn',
};
const WORKERS = 8;
const CLIENTS_MAX = 12;
const PAUSE_MS = 10;
const SAMPLES = 40;

/** Tolerated growth between the middle and the end; of rows, beyond that of the load. */
const MEMORY_GROWTH_MAX = 0.1;
/** Work that begins in the first minute loads what it needs once, such as the lists of clients. Longer soaks see it before their middle. */
const BEGINNING = { minutes: 3, bytes: 40_000_000 };
const DESCRIPTORS_GROWTH_MAX = 8;
const ROWS_GROWTH_MAX = 0.25;
const ROWS_FLOOR = 500;
/** The changes that are kept, and those that SQLite removes at once. */
const JOURNAL_MAX = 10_000 + 100;
/** Tables whose rows stay for ever, or up to a number. The soak checks that number. */
const KEPT_TABLES: ReadonlySet<string> = new Set([
  'deleted_client',
  'initial_access_token',
  'change_journal',
]);

interface Sample {
  /** How many requests have ended by then. */
  readonly requests: number;
  /** How many have ended while the rows came that are there. */
  readonly load: number;
  readonly resident: number;
  readonly descriptors: number;
  readonly rows: Readonly<Record<string, number>>;
}

export const soak: Experiment = {
  name: 'soak',
  fault: 'a soak under mixed load',
  engines: BOTH_ENGINES,
  acked_min: () => 1_000,
  async run(stand, { minutes, say }) {
    const { ledger } = stand;
    const program = await stand.start({ environment: ENVIRONMENT });
    const inspector = await stand.inspector(program);
    const load = startMixedLoad({
      nodes: [program],
      ledger,
      inspector,
      workers: WORKERS,
      pause_ms: PAUSE_MS,
      clients_max: CLIENTS_MAX,
      // The load forgets a token well before the server does.
      tokensLive_ms: (LIFETIME_S * 1000) / 3,
    });
    // The server measures the delay from the first question on.
    await eventLoopDelayMax_ms(program);
    const samples: Sample[] = [];
    const period_ms = (minutes * 60_000) / SAMPLES;
    /** How many samples ago the oldest rows came. */
    const before = Math.ceil(((LIFETIME_S + SWEEP_S) * 1000) / period_ms);
    try {
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        await sleep(period_ms);
        const { requests } = load.figures;
        const recent = requests - (samples.at(-before)?.requests ?? 0);
        const taken = { ...(await takeSample(program, stand)), requests, load: recent };
        samples.push(taken);
        say(sampleLine(taken));
      }
    } finally {
      await load.stop();
    }
    const delay_ms = await eventLoopDelayMax_ms(program);
    const findings = noFindings();
    await verifyRegistry({ program, ledger, findings, inspector, others: 0 }, new Set());
    const outcome = await outcomeOf(stand, {
      findings,
      loads: [load],
      broken: [...summary(load.figures.unexpected), ...grown(samples, minutes), ...kept(samples, ledger)],
      output: outputOf([program]),
    });
    const { answered, p50, p99, max } = load.figures.times('before');
    return {
      ...outcome,
      figures: {
        minutes: String(minutes),
        requests: String(answered),
        'p50 / p99 / slowest': [p50, p99, max].map(milliseconds).join(' / '),
        'event-loop delay, most': milliseconds(delay_ms),
        ...course(samples),
        introspections: outcome.figures['introspections'] ?? '',
      },
    };
  },
};

async function takeSample(
  program: Program,
  { url, postgres }: Stand,
): Promise<Omit<Sample, 'requests' | 'load'>> {
  return {
    resident: residentBytes(program),
    descriptors: openDescriptors(program),
    rows: postgres === undefined ? sqliteRows(url) : await postgresRows(url),
  };
}

function sqliteRows(url: string): Readonly<Record<string, number>> {
  const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .all();
    return Object.fromEntries(
      tables.map(({ name }) => [
        String(name),
        Number(database.prepare(`SELECT count(*) AS found FROM "${String(name)}"`).get()?.['found']),
      ]),
    );
  } finally {
    database.close();
  }
}

async function postgresRows(url: string): Promise<Readonly<Record<string, number>>> {
  // As a superuser: for one, row security does not hold.
  const client = new Client({ connectionString: url.replace('//chancery@', '//postgres@') });
  await client.connect();
  try {
    const { rows } = await client.query<{ tablename: string }>(
      "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    );
    const found: Record<string, number> = {};
    for (const { tablename } of rows) {
      const counted = await client.query<{ found: string }>(`SELECT count(*) AS found FROM "${tablename}"`);
      found[tablename] = Number(counted.rows[0]?.found);
    }
    return found;
  } finally {
    await client.end();
  }
}

const total = ({ rows }: Sample): number => Object.values(rows).reduce((sum, found) => sum + found, 0);

const sampleLine = (sample: Sample): string =>
  `${megabytes(sample.resident)}, ${sample.descriptors} descriptors, ${total(sample)} rows`;

/** The middle third beside the last: what comes before is the filling of caches. */
function thirds(samples: readonly Sample[]): readonly [readonly Sample[], readonly Sample[]] {
  const third = Math.floor(samples.length / 3);
  return [samples.slice(third, 2 * third), samples.slice(2 * third)];
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;

function grown(samples: readonly Sample[], minutes: number): readonly string[] {
  const [middle, last] = thirds(samples);
  const beside = (of: (sample: Sample) => number): readonly [number, number] => [
    median(middle.map(of)),
    median(last.map(of)),
  ];
  const found: string[] = [];
  const [memory, memoryAtEnd] = beside(({ resident }) => resident);
  const late = minutes < BEGINNING.minutes ? BEGINNING.bytes : 0;
  if (memoryAtEnd > memory * (1 + MEMORY_GROWTH_MAX) + late) {
    found.push(`memory grew from ${megabytes(memory)} to ${megabytes(memoryAtEnd)}`);
  }
  const [open, openAtEnd] = beside(({ descriptors }) => descriptors);
  if (openAtEnd > open + DESCRIPTORS_GROWTH_MAX) found.push(`descriptors grew from ${open} to ${openAtEnd}`);
  const tables = Object.keys(samples.at(-1)?.rows ?? {}).filter((table) => !KEPT_TABLES.has(table));
  for (const table of tables) {
    const rowsOf = (sample: Sample): number => sample.rows[table] ?? 0;
    const [rows, rowsAtEnd] = beside(rowsOf);
    // On a machine that has other work too, the load changes, and the rows with it.
    const [share, shareAtEnd] = beside((sample) => rowsOf(sample) / sample.load);
    const hasGrown = shareAtEnd > share * (1 + ROWS_GROWTH_MAX);
    if (hasGrown && rowsAtEnd > Math.max(rows, ROWS_FLOOR) * (1 + ROWS_GROWTH_MAX)) {
      found.push(`${table} grew from ${rows} to ${rowsAtEnd} rows`);
    }
  }
  return found;
}

/**
 * The server remembers a deleted client, so that its identifier stays taken, and a used initial access token, which says where
 * a client comes from; of the journal the newest rows are kept.
 */
function kept(samples: readonly Sample[], ledger: Ledger): readonly string[] {
  const sent = (kind: Operation['kind']): number =>
    ledger.entries().filter((entry) => 'sent' in entry && entry.sent.kind === kind).length;
  const most: Readonly<Record<string, number>> = {
    deleted_client: sent('delete'),
    initial_access_token: sent('invite'),
    change_journal: JOURNAL_MAX,
  };
  const last = samples.at(-1)?.rows ?? {};
  return [...KEPT_TABLES].flatMap((table) =>
    (last[table] ?? 0) > (most[table] ?? 0)
      ? [`${table}: ${last[table]} rows, ${most[table]} expected at most`]
      : [],
  );
}

/** At a quarter, half, three quarters and the end. */
function course(samples: readonly Sample[]): Readonly<Record<string, string>> {
  const at = [0.25, 0.5, 0.75, 1].map((share) => samples[Math.ceil(share * samples.length) - 1]);
  const along = (of: (sample: Sample) => string | number): string =>
    at.map((sample) => (sample === undefined ? '–' : of(sample))).join(' / ');
  const last = samples.at(-1)?.rows ?? {};
  const largest = Object.keys(last)
    .toSorted((one, other) => (last[other] ?? 0) - (last[one] ?? 0))
    .slice(0, 5);
  return {
    'memory over time': along(({ resident }) => megabytes(resident)),
    'descriptors over time': along(({ descriptors }) => descriptors),
    'rows over time': along(total),
    ...Object.fromEntries(largest.map((table) => [`${table} rows`, along(({ rows }) => rows[table] ?? 0)])),
  };
}
