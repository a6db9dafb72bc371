/**
 * Side by side with peers, as ratios. Every subject of a benchmark runs in the same minute, in turn, on one CPU, under
 * the same load from another. Run: npm run bench -- [--quick] [--storage postgres] [--tokens N] [--only NAME,NAME] [--markdown FILE]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { federation } from './benchmarks/federation.ts';
import { get } from './benchmarks/get.ts';
import { introspection } from './benchmarks/introspection.ts';
import { introspectionCallers } from './benchmarks/introspection-callers.ts';
import { introspectionOnce } from './benchmarks/introspection-once.ts';
import { introspectionSize } from './benchmarks/introspection-size.ts';
import { jwks } from './benchmarks/jwks.ts';
import { besideList, list } from './benchmarks/list.ts';
import { authenticationLookup, readLookup } from './benchmarks/lookup.ts';
import {
  introspectionOnceOnPostgres,
  introspectionOnPostgres,
  nodesOnPostgres,
} from './benchmarks/postgres-introspection.ts';
import { listOnPostgres } from './benchmarks/postgres-list.ts';
import { rowSecurity } from './benchmarks/postgres-row-security.ts';
import { registrationOnPostgres, tokenOnPostgres } from './benchmarks/postgres-writes.ts';
import { put } from './benchmarks/put.ts';
import { registration } from './benchmarks/registration.ts';
import { runtimes } from './benchmarks/runtimes.ts';
import { codeExchange, passwordHashing, refresh } from './benchmarks/sign-in.ts';
import { start } from './benchmarks/start.ts';
import { token } from './benchmarks/token.ts';
import { startLoadGenerator } from './load-generator.ts';
import { machine } from './machine.ts';
import { startOurs } from './ours.ts';
import { startPostgres } from './postgres.ts';
import { CAN_PIN } from './processes/measured-process.ts';
import { openRegistries } from './registries.ts';
import { type Measured, markdownTable, table, terminalTable, verdicts } from './report.ts';
import type { Bench, Benchmark, Scale, Subject } from './subject.ts';

/** `put` is behind what needs registration tokens, which it ends; `start` is last: it stops the server that others use. */
const BENCHMARKS: readonly Benchmark[] = [
  introspection,
  introspectionOnce,
  introspectionCallers,
  introspectionSize,
  jwks,
  token,
  registration,
  get,
  authenticationLookup,
  readLookup,
  list,
  besideList,
  ...federation,
  ...runtimes,
  put,
  codeExchange,
  refresh,
  passwordHashing,
  start,
];

const ON_POSTGRES: readonly Benchmark[] = [
  introspectionOnPostgres,
  introspectionOnceOnPostgres,
  nodesOnPostgres,
  tokenOnPostgres,
  registrationOnPostgres,
  listOnPostgres,
  ...rowSecurity,
];

const WHOLE: Scale = {
  rounds: 5,
  round_ms: 2_000,
  storedTokens: 1_000_000,
  loadedTokens: 50_000,
  manyTokens: 400_000,
  selfContainedTokens: 10_000,
  starts: 10,
  manyClients: 1_000_000,
  loadedClients: 50_000,
  lists: 2,
};
/** What is stored where nobody introspects. */
const NO_TOKENS = { storedTokens: 1, loadedTokens: 1, manyTokens: 0, selfContainedTokens: 0 };
const QUICK: Scale = {
  rounds: 5,
  round_ms: 600,
  storedTokens: 300_000,
  loadedTokens: 10_000,
  manyTokens: 250_000,
  selfContainedTokens: 1_000,
  starts: 3,
  manyClients: 50_000,
  loadedClients: 5_000,
  lists: 2,
};

interface Outcome {
  readonly benchmark: Benchmark;
  readonly measured: readonly Measured[];
}

async function runBenchmark(benchmark: Benchmark, bench: Bench): Promise<Outcome> {
  const subjects = await benchmark.open(bench);
  const figures = subjects.map((subject: Subject) => ({
    subject,
    found: [] as Measured['figures'][number][],
  }));
  try {
    // Until the compiler has seen enough: a large server needs more of that than a bare one.
    for (const subject of subjects) await subject.measure();
    for (let round = 0; round < benchmark.rounds(bench.scale); round += 1) {
      for (const { subject, found } of figures) found.push(await subject.measure());
    }
  } finally {
    for (const subject of subjects) await subject.close();
  }
  return {
    benchmark,
    measured: figures.map(({ subject, found }) => ({ name: subject.name, figures: found })),
  };
}

function print({ benchmark, measured }: Outcome): void {
  console.log(`\n${benchmark.title}\n${terminalTable(table(benchmark, measured))}`);
  for (const verdict of verdicts(benchmark, measured)) console.log(`→ ${verdict}`);
}

function markdown(outcomes: readonly Outcome[]): string {
  const sections = outcomes.map(({ benchmark, measured }) =>
    [
      `### ${benchmark.title}\n`,
      markdownTable(table(benchmark, measured)),
      '',
      ...verdicts(benchmark, measured).map((verdict) => `- ${verdict}`),
    ].join('\n'),
  );
  return `${sections.join('\n\n')}\n`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean' },
      storage: { type: 'string', default: 'sqlite' },
      tokens: { type: 'string' },
      only: { type: 'string' },
      markdown: { type: 'string' },
    },
  });
  const only = values.only?.split(',');
  const all = benchmarksFor(values.storage);
  const chosen = all.filter(({ name, byNameOnly }) => only?.includes(name) ?? byNameOnly !== true);
  if (chosen.length === 0)
    throw new Error(`--only takes ${[...new Set(all.map(({ name }) => name))].join(', ')}`);
  const preset = values.quick === true ? QUICK : WHOLE;
  const scale = values.tokens === undefined ? preset : { ...preset, storedTokens: tokenCount(values.tokens) };
  console.log(machine());
  if (!CAN_PIN) console.log('taskset is not here: servers and load are not held to CPUs of their own');
  await runAll({ chosen, scale, storage: values.storage }, (outcomes, bench) => {
    if (values.markdown === undefined) return;
    const postgres = values.storage === 'postgres' ? `\n\n${bench.postgres().described}` : '';
    writeFileSync(values.markdown, `${machine()}${postgres}\n\n${markdown(outcomes)}`);
  });
}

function benchmarksFor(storage: string): readonly Benchmark[] {
  if (storage !== 'sqlite' && storage !== 'postgres') throw new Error('--storage takes sqlite or postgres');
  return storage === 'postgres' ? ON_POSTGRES : BENCHMARKS;
}

function tokenCount(text: string): number {
  const count = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('--tokens takes a number of access tokens');
  return count;
}

interface Run {
  readonly chosen: readonly Benchmark[];
  readonly scale: Scale;
  readonly storage: string;
}

async function runAll(run: Run, keep: (outcomes: readonly Outcome[], bench: Bench) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-bench-'));
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closers.splice(0)) await close();
    rmSync(folder, { recursive: true, force: true });
  };
  // The other processes end with the channel to this one; the program has none.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void closeAll().finally(() => process.exit(1)));
  }
  try {
    const bench = await openBench(run, folder, closers);
    const outcomes: Outcome[] = [];
    for (const benchmark of run.chosen) {
      const outcome = await runBenchmark(benchmark, bench);
      print(outcome);
      outcomes.push(outcome);
      keep(outcomes, bench);
    }
  } finally {
    await closeAll();
  }
}

/** Everything is filled at the same time, before anything is measured. */
async function openBench(
  { chosen, scale, storage }: Run,
  folder: string,
  closers: (() => Promise<void>)[],
): Promise<Bench> {
  const load = startLoadGenerator();
  closers.push(async () => await load.close());
  const registries = openRegistries(folder, scale);
  closers.push(async () => await registries.close());
  const counts = chosen.some((benchmark) => benchmark.needsTokens) ? scale : NO_TOKENS;
  const filling = chosen.some((benchmark) => benchmark.needsManyClients)
    ? registries.open(scale.manyClients)
    : undefined;
  const closing = <Opened>(
    opening: Promise<Opened>,
    close: (opened: Opened) => Promise<void>,
  ): Promise<Opened> =>
    opening.then((opened) => {
      closers.push(async () => await close(opened));
      return opened;
    });
  const opening = [
    closing(startOurs(folder, counts), async ({ program }) => await program.stop()),
    storage === 'postgres'
      ? closing(startPostgres(folder, counts), async (started) => await started.close())
      : Promise.resolve(undefined),
    filling ?? Promise.resolve(),
  ] as const;
  // Of several that are being opened none is left behind where one fails.
  await Promise.allSettled(opening);
  const [ours, postgres] = await Promise.all(opening);
  return {
    scale,
    folder,
    load,
    ours,
    registry: async (clients) => await registries.open(clients),
    postgres() {
      if (postgres === undefined) throw new Error('this benchmark wants --storage postgres');
      return postgres;
    },
  };
}

await main();
