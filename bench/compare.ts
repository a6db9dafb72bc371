/**
 * Compares the CPU time of an answer with that of another checkout, on a machine that others use too. The servers take turns of
 * a tenth of a second, many times. A disturbance only adds to a turn, so the lower quantiles of the turns are compared.
 * Run: npm run bench:compare -- CHECKOUT [--only introspection,introspection-once,token,registration,revocation,mixture,
 * assertion,code,refresh] [--storage postgres] [--slices N] [--milliseconds N]. `assertion` is an introspection with private_key_jwt.
 * `code` is a code exchange, and `refresh` a rotation, each with an ID token of ES256. Both servers use the same PostgreSQL.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestServer } from '../src/testing/postgres/server.ts';
import { BARE, startBare } from './bare.ts';
import { firstRequest } from './http-subject.ts';
import { quantile } from './latencies.ts';
import type { LoadOrder } from './load.ts';
import { ASKED_ONCE, type Kind, ORDERS, SHARES } from './orders.ts';
import { type Ours, startOurs } from './ours.ts';
import { type Place, postgresPlace, sqlitePlace } from './place.ts';
import {
  cpuMicroseconds,
  familyCpuSeconds,
  firstAnswer,
  LOAD_CPU,
  pin,
  SERVER_CPU,
} from './processes/measured-process.ts';
import { originOf } from './results-file.ts';
import { CODES_LAST } from './signed-in.ts';
import { openSlices } from './slices.ts';
import { terminalTable } from './table.ts';

const WARM_UP = { slices: 8, milliseconds: 500 };
/** Each of `manyTokens` is revoked once. */
const COUNTS = { storedTokens: 200_000, loadedTokens: 5_000, manyTokens: 150_000, selfContainedTokens: 1 };
/** More tokens than a run of 60 slices asks about once. */
const COUNTS_OF_ONCE = { ...COUNTS, storedTokens: 1_000_000, manyTokens: 600_000 };

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly order: LoadOrder;
}

/** The database of a run; the answers of servers on SQLite use none but their own. */
interface Database {
  place(folder: string): Promise<Place>;
  cpuSeconds(): number | undefined;
  close(): Promise<void>;
}

const ON_SQLITE: Database = {
  place: async (folder) => await Promise.resolve(sqlitePlace(folder)),
  cpuSeconds: () => undefined,
  close: async () => await Promise.resolve(),
};

/** Starts a PostgreSQL with a database for each place. */
async function openPostgres(): Promise<Database> {
  const server = await startTestServer();
  return {
    async place() {
      const place = postgresPlace(await server.createDatabase());
      await (await place.open()).close();
      return place;
    },
    cpuSeconds: () => familyCpuSeconds(server.pids()),
    close: async () => await server.stop(),
  };
}

const DATABASES: Readonly<Record<string, () => Promise<Database>>> = {
  sqlite: async () => await Promise.resolve(ON_SQLITE),
  postgres: openPostgres,
};

interface Slice {
  readonly answered: number;
  /** Microseconds of an answer. */
  readonly cpu: number;
  /** Seconds of all answers. */
  readonly databaseCpu: number | undefined;
  /** Answers a second. */
  readonly rate: number;
}

/** Returns each slice of each server. They take turns. */
async function measure(
  servers: readonly Server[],
  database: Database,
  slices: number,
  milliseconds: number,
): Promise<readonly (readonly Slice[])[]> {
  const loads = await Promise.all(
    servers.map(async ({ pid, order }) => ({ pid, load: await openSlices(order), found: [] as Slice[] })),
  );
  try {
    for (let slice = 0; slice < WARM_UP.slices; slice += 1)
      for (const { load } of loads) await load.run(WARM_UP.milliseconds);
    for (let slice = 0; slice < slices; slice += 1) {
      // Each server follows each other one equally often.
      for (const { pid, load, found } of slice % 2 === 0 ? loads : loads.toReversed()) {
        const [before, databaseBefore = 0] = [cpuMicroseconds(pid), database.cpuSeconds()];
        const begun = performance.now();
        const answered = await load.run(milliseconds);
        const rate = (answered * 1e3) / (performance.now() - begun);
        const cpu = (cpuMicroseconds(pid) - before) / answered;
        const databaseAfter = database.cpuSeconds();
        const databaseCpu = databaseAfter === undefined ? undefined : databaseAfter - databaseBefore;
        found.push({ answered, cpu, databaseCpu, rate });
      }
    }
  } finally {
    for (const { load } of loads) load.close();
  }
  return loads.map(({ found }) => found);
}

function rowsOf(servers: readonly Server[], found: readonly (readonly Slice[])[]): readonly string[][] {
  const cpu = found.map(cpuOf);
  const [ours = []] = cpu;
  return servers.map(({ name }, index) => {
    const theirs = cpu[index] ?? [];
    const slices = found[index] ?? [];
    const pairs = ours.map((figure, slice) => figure / (theirs[slice] ?? Number.NaN));
    return [
      name,
      ...[0.1, 0.25, 0.5].map((share) => quantile(theirs, share).toFixed(1)),
      ...[0.1, 0.25].map((share) => (quantile(ours, share) / quantile(theirs, share)).toFixed(3)),
      quantile(pairs, 0.5).toFixed(3),
      quantile(
        slices.map(({ rate }) => rate),
        0.5,
      ).toFixed(0),
      ...databaseCpuOf(slices),
    ];
  });
}

/** The kernel counts the database's time in steps of 10 ms, so only the sum of all slices says something. */
function databaseCpuOf(slices: readonly Slice[]): readonly string[] {
  const [{ databaseCpu } = {}] = slices;
  if (databaseCpu === undefined) return [];
  const seconds = slices.reduce((sum, slice) => sum + (slice.databaseCpu ?? 0), 0);
  const answered = slices.reduce((sum, slice) => sum + slice.answered, 0);
  return [((seconds * 1e6) / answered).toFixed(1)];
}

const cpuOf = (slices: readonly Slice[] = []): readonly number[] => slices.map(({ cpu }) => cpu);

/** Says what the mixture costs beside the sum of its parts, if they were measured before it. */
function sumOfParts(
  servers: readonly Server[],
  found: readonly (readonly Slice[])[],
  parts: ReadonlyMap<Kind, readonly (readonly Slice[])[]>,
): string {
  const kinds = Object.keys(SHARES) as Kind[];
  const lines = servers.map(({ name }, index) => {
    const sum = kinds.reduce(
      (all, kind) => all + (SHARES[kind] / 100) * quantile(cpuOf(parts.get(kind)?.[index]), 0.25),
      0,
    );
    return `${name}: ${(quantile(cpuOf(found[index]), 0.25) / sum).toFixed(2)} times the sum of its parts`;
  });
  return lines.join('\n');
}

const HEAD = [
  'CPU of an answer, µs',
  '10 %',
  '25 %',
  'median',
  'ours ÷ this, 10 %',
  'ours ÷ this, 25 %',
  'median of pairs',
  'answers a second',
];
const OF_DATABASE = 'CPU of PostgreSQL, µs';

async function main(words: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      only: { type: 'string', default: 'introspection,token,registration,revocation,mixture' },
      slices: { type: 'string', default: '60' },
      milliseconds: { type: 'string', default: '120' },
      storage: { type: 'string', default: 'sqlite' },
    },
  });
  const counts = values.only.split(',').includes(ASKED_ONCE) ? COUNTS_OF_ONCE : COUNTS;
  const [checkout] = positionals;
  if (checkout === undefined)
    throw new Error('name the folder of the other checkout, with its packages installed');
  const { machine, commit } = originOf('npm run bench:compare');
  console.log(`${machine}; commit ${commit}`);
  const openDatabase = DATABASES[values.storage];
  if (openDatabase === undefined) throw new Error(`--storage takes ${Object.keys(DATABASES).join(', ')}`);
  const database = await openDatabase();
  pin(process.pid, LOAD_CPU);
  const folder = mkdtempSync(join(tmpdir(), 'chancery-compare-'));
  const closers: (() => Promise<void>)[] = [];
  const started = async (name: string, program?: string): Promise<Ours> => {
    const own = mkdtempSync(join(folder, name));
    const place = await database.place(own);
    const environment = { ...place.environment, ...CODES_LAST };
    const ours = await startOurs(own, counts, { ...place, environment }, program);
    closers.push(async () => await ours.program.stop());
    return ours;
  };
  try {
    const ours = await started('ours-');
    const other = await started('other-', resolve(checkout, 'src/cli/chancery.ts'));
    const head = database === ON_SQLITE ? HEAD : [...HEAD, OF_DATABASE];
    const parts = new Map<Kind, readonly (readonly Slice[])[]>();
    for (const name of values.only.split(',')) {
      const order = ORDERS[name];
      if (order === undefined) throw new Error(`--only takes ${Object.keys(ORDERS).join(', ')}`);
      const servers: Server[] = [
        { name: 'ours', pid: ours.program.pid, order: await order(ours) },
        { name: 'the other checkout', pid: other.program.pid, order: await order(other) },
      ];
      if (name === 'introspection' || name === ASKED_ONCE)
        servers.push(await bare(await order(ours), closers));
      const found = await measure(servers, database, Number(values.slices), Number(values.milliseconds));
      if (name in SHARES) parts.set(name as Kind, found);
      console.log(`\n${name}\n${terminalTable([head, ...rowsOf(servers, found)])}`);
      if (name === 'mixture') console.log(sumOfParts(servers, found, parts));
    }
  } finally {
    for (const close of closers) await close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a server that gives the same answer without any work. */
async function bare(order: LoadOrder, closers: (() => Promise<void>)[]): Promise<Server> {
  const question = firstRequest(order);
  const { pid, port, close } = await startBare(await firstAnswer(order.port, question));
  closers.push(close);
  await firstAnswer(port, question);
  pin(pid, SERVER_CPU);
  return { name: BARE, pid, order: { ...order, port } };
}

await main(process.argv.slice(2));
