/**
 * Measures what a second worker costs: the CPU of an answer by two workers of one server, each on a core of its own. A second busy
 * process can cost something on any machine (cores that share caches or a physical core), so two servers that share nothing take
 * turns with them on the same cores: each has a copy of the same database. The ratio of these two is the price of workers.
 * Run: npm run bench:workers -- [--rounds N] [--milliseconds N]. Needs Linux and two CPUs.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { childrenOf } from '../test/program/children.ts';
import type { Program } from '../test/program/start.ts';
import { introspectionWithBasic } from './introspection-load.ts';
import { quantile } from './latencies.ts';
import type { LoadOrder } from './load.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { startAnother, startOurs } from './ours.ts';
import { cpuMicroseconds, LOAD_CPU, pin, SERVER_CPU } from './processes/measured-process.ts';
import { originOf } from './results-file.ts';
import { terminalTable } from './table.ts';

const COUNTS = { storedTokens: 200_000, loadedTokens: 5_000, manyTokens: 1, selfContainedTokens: 1 };
/** For two processes; one alone gets half of them. */
const CONNECTIONS = 128;
/** Rounds that warm up. */
const UNCOUNTED = 2;
/** The load shares the second core. */
const CORES = [SERVER_CPU, LOAD_CPU];

/** A process that answers, and the count of its answers. */
interface Answering {
  readonly pid: number;
  readonly answered: () => Promise<number>;
}

/** Processes that answer in one turn, one for each core. */
interface Subject {
  readonly name: string;
  readonly processes: readonly Answering[];
  readonly order: LoadOrder;
  /** CPU of an answer in each counted round, in microseconds. */
  readonly found: number[];
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    milliseconds: { type: 'string', default: '1000' },
  },
});

const { machine, commit } = originOf('npm run bench:workers');
console.log(`${machine}; commit ${commit}`);
const folder = mkdtempSync(join(tmpdir(), 'chancery-workers-'));
const closers: (() => Promise<void>)[] = [];
async function main(): Promise<void> {
  const [own, copy] = [join(folder, 'own'), join(folder, 'copy')];
  mkdirSync(own);
  const first = await startOurs(own, COUNTS);
  closers.push(async () => await first.program.stop());
  // Nothing writes yet.
  cpSync(own, copy, { recursive: true });
  const second = await also(copy);
  const workers = await also(own, { CHANCERY_WORKERS: '2' });
  await workers.printed(/^chancery serves /mu);
  const order = introspectionWithBasic(first.program.port, first.caller, first.tokens);
  const subjects = [
    subject('one server', [answering(first.program)], order),
    subject(
      'two workers of a server',
      childrenOf(workers.pid).map((pid, index) => answering({ ...workers, pid }, String(index + 1))),
      { ...order, port: workers.port, connections: CONNECTIONS },
    ),
    subject('two servers that share nothing', [answering(first.program), answering(second)], {
      ...order,
      secondPort: second.port,
      connections: CONNECTIONS,
    }),
  ];
  const load = startLoadGenerator();
  closers.push(async () => await load.close());
  await measure(subjects, load);
  report(subjects);
}

async function also(at: string, environment?: Readonly<Record<string, string>>): Promise<Program> {
  const program = await startAnother(at, environment);
  closers.push(async () => await program.stop());
  return program;
}

const subject = (name: string, processes: readonly Answering[], order: LoadOrder): Subject => ({
  name,
  processes,
  order,
  found: [],
});

/** @param worker its number in the metrics; absent for a server without workers */
function answering(
  { pid, managementUrl }: Pick<Program, 'pid' | 'managementUrl'>,
  worker?: string,
): Answering {
  const line = /^chancery_http_requests_total\{(?<labels>[^}]*)\} (?<count>\d+)$/gmu;
  return {
    pid,
    answered: async () => {
      const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
      return [...metrics.matchAll(line)]
        .filter(({ groups }) => worker === undefined || groups?.['labels']?.includes(`worker="${worker}"`))
        .reduce((sum, { groups }) => sum + Number(groups?.['count']), 0);
    },
  };
}

async function measure(subjects: readonly Subject[], load: LoadGenerator): Promise<void> {
  const orders: number[] = [];
  for (const { order } of subjects) orders.push(await load.prepare(order));
  for (let round = -UNCOUNTED; round < Number(values.rounds); round += 1)
    for (const [index, { processes, found }] of subjects.entries()) {
      for (const [core, { pid }] of processes.entries()) pin(pid, CORES[core] ?? 0);
      const order = orders[index] ?? Number.NaN;
      const before = await countsOf(processes);
      const { refused } = await load.run({ order, milliseconds: Number(values.milliseconds) });
      if (refused > 0) throw new Error('an answer was neither 200 nor 201');
      const after = await countsOf(processes);
      if (round >= 0) found.push((after.cpu - before.cpu) / (after.answered - before.answered));
    }
}

/** The sum of these processes. */
async function countsOf(
  processes: readonly Answering[],
): Promise<{ readonly cpu: number; readonly answered: number }> {
  const counts = await Promise.all(
    processes.map(async ({ pid, answered }) => ({ cpu: cpuMicroseconds(pid), answered: await answered() })),
  );
  return counts.reduce((sum, one) => ({
    cpu: sum.cpu + one.cpu,
    answered: sum.answered + one.answered,
  }));
}

const SHARES = [0.1, 0.25, 0.5];

function report(subjects: readonly Subject[]): void {
  const rows = subjects.map(({ name, found }) => [
    name,
    ...SHARES.map((share) => quantile(found, share).toFixed(1)),
  ]);
  console.log(terminalTable([['CPU of an answer, µs', '10 %', '25 %', 'median'], ...rows]));
  const [, workers, apart] = subjects;
  const byRound = (workers?.found ?? []).map((figure, round) => figure / (apart?.found[round] ?? Number.NaN));
  console.log(`two workers ÷ two servers that share nothing, by round: ${quantile(byRound, 0.5).toFixed(3)}`);
}

try {
  await main();
} finally {
  for (const close of closers.toReversed()) await close();
  rmSync(folder, { recursive: true, force: true });
}
