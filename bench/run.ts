/**
 * Measures the program side by side with its peers, as ratios: the subjects of a benchmark take turns in the same minute,
 * on one CPU, under the same load from another. Run: npm run bench -- [--quick | --smoke] [--storage postgres]
 * [--tokens N] [--only NAME,NAME] [--results FILE] [--against CHECKOUT] [--peers]. `--against` adds the program of another
 * checkout, with its packages installed, to the benchmarks of introspection, token and registration. `--peers` compares our
 * program on both engines with each peer on durable storage that npm or Debian has installed.
 */
import { parseArgs } from 'node:util';
import { openBench } from './bench.ts';
import {
  adminPages,
  adminPagesOnPostgres,
  besideAdminPages,
  besideAdminPagesOnPostgres,
} from './benchmarks/admin.ts';
import { boundToken } from './benchmarks/dpop.ts';
import { tokenExchange } from './benchmarks/exchange.ts';
import { federationRegistration } from './benchmarks/federation.ts';
import { federationRenewal, federationTurns } from './benchmarks/federation-renewal.ts';
import { introspection } from './benchmarks/introspection.ts';
import {
  introspectionByAssertion,
  introspectionByManyApis,
  introspectionCallers,
} from './benchmarks/introspection-callers.ts';
import { introspectionOnce } from './benchmarks/introspection-once.ts';
import { besideList, list } from './benchmarks/list.ts';
import { lookup } from './benchmarks/lookup.ts';
import { peersIntrospection, peersRegistration, peersToken } from './benchmarks/peers.ts';
import {
  introspectionOnceOnPostgres,
  introspectionOnPostgres,
  listOnPostgres,
} from './benchmarks/postgres-reads.ts';
import { registrationOnPostgres, tokenOnPostgres } from './benchmarks/postgres-writes.ts';
import { registration } from './benchmarks/registration.ts';
import { resourceServers, revokedAccepted } from './benchmarks/resource-server.ts';
import { codeExchange, codeExchangeES256, refresh } from './benchmarks/sign-in.ts';
import { start } from './benchmarks/start.ts';
import { tenantsResting, tenantsRotating, tenantsScanned, tenantsSwept } from './benchmarks/tenants.ts';
import { token } from './benchmarks/token.ts';
import { descriptionLines } from './peers/compared.ts';
import { CAN_PIN } from './processes/measured-process.ts';
import { type BenchmarkResult, type Measured, resultOf } from './result.ts';
import { originOf, resultsPath, writeResults } from './results-file.ts';
import type { Bench, Benchmark, Scale } from './subject.ts';
import { tableOf, terminalTable, verdictsOn } from './table.ts';

/** `start` is the last one: it stops the server that the others use. */
const ON_SQLITE: readonly Benchmark[] = [
  introspection,
  introspectionCallers,
  introspectionByAssertion,
  introspectionByManyApis,
  introspectionOnce,
  token,
  boundToken,
  tokenExchange,
  registration,
  federationRegistration,
  federationRenewal,
  federationTurns,
  codeExchange,
  codeExchangeES256,
  refresh,
  lookup,
  list,
  besideList,
  adminPages,
  besideAdminPages,
  resourceServers,
  revokedAccepted,
  tenantsScanned,
  tenantsResting,
  tenantsSwept,
  tenantsRotating,
  start,
];

const ON_POSTGRES: readonly Benchmark[] = [
  introspectionOnPostgres,
  introspectionOnceOnPostgres,
  tokenOnPostgres,
  registrationOnPostgres,
  listOnPostgres,
  adminPagesOnPostgres,
  besideAdminPagesOnPostgres,
];

/** Each has ours on SQLite and on PostgreSQL, and the peers. */
const ON_BOTH: readonly Benchmark[] = [peersIntrospection, peersToken, peersRegistration];

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
/** About a tenth of the time. The compiler is still warming up. */
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
/** Shows that every benchmark still runs. Its figures mean nothing. */
const SMOKE: Scale = {
  rounds: 1,
  round_ms: 200,
  storedTokens: 3_000,
  loadedTokens: 1_000,
  manyTokens: 2_000,
  selfContainedTokens: 50,
  starts: 1,
  manyClients: 20_000,
  loadedClients: 1_000,
  lists: 1,
};

interface Order {
  readonly chosen: readonly Benchmark[];
  readonly scale: Scale;
  readonly storage: 'sqlite' | 'postgres';
  readonly peers: boolean;
  readonly results: string | undefined;
  readonly against: string | undefined;
  /** Whether the run measures everything at full length. */
  readonly whole: boolean;
}

async function runBenchmark(benchmark: Benchmark, bench: Bench): Promise<BenchmarkResult> {
  const subjects = await benchmark.open(bench);
  const figures = subjects.map((subject) => ({ subject, found: [] as Measured['figures'][number][] }));
  try {
    // The first round is for the compiler, which needs longer for a large server than for a bare one.
    for (const subject of subjects) await subject.measure();
    for (let round = 0; round < benchmark.rounds(bench.scale); round += 1) {
      for (const { subject, found } of figures) found.push(await subject.measure());
    }
  } finally {
    for (const subject of subjects) await subject.close();
  }
  return resultOf(
    benchmark,
    figures.map(({ subject, found }) => ({ name: subject.name, figures: found })),
  );
}

function print(result: BenchmarkResult): void {
  console.log(`\n${result.title}\n${terminalTable(tableOf(result))}`);
  for (const verdict of verdictsOn(result)) console.log(`→ ${verdict}`);
}

function orderOf(words: readonly string[]): Order {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      storage: { type: 'string', default: 'sqlite' },
      tokens: { type: 'string' },
      only: { type: 'string' },
      results: { type: 'string' },
      against: { type: 'string' },
      peers: { type: 'boolean', default: false },
    },
  });
  const { results, against, peers } = values;
  if (peers && (against !== undefined || values.storage !== 'sqlite')) {
    throw new Error('--peers starts both engines itself; it takes neither --storage nor --against');
  }
  const storage = peers ? 'postgres' : values.storage;
  if (storage !== 'sqlite' && storage !== 'postgres') throw new Error('--storage takes sqlite or postgres');
  const only = values.only?.split(',');
  const all = benchmarksOf(storage, peers);
  const unknown = only?.filter((name) => all.every((benchmark) => benchmark.name !== name)) ?? [];
  if (unknown.length > 0) {
    throw new Error(
      `no benchmark ${unknown.join(', ')}; --only takes ${[...new Set(all.map(({ name }) => name))].join(', ')}`,
    );
  }
  const chosen = all.filter(({ name }) => only?.includes(name) ?? true);
  const full = values.quick ? QUICK : WHOLE;
  const measured = values.smoke ? SMOKE : full;
  const preset = peers ? withPeers(measured) : measured;
  const scale = values.tokens === undefined ? preset : { ...preset, storedTokens: tokenCount(values.tokens) };
  const whole = measured === WHOLE && scale === preset && only === undefined;
  return { chosen, scale, storage, peers, results, against, whole };
}

function benchmarksOf(storage: 'sqlite' | 'postgres', peers: boolean): readonly Benchmark[] {
  if (peers) return ON_BOTH;
  return storage === 'postgres' ? ON_POSTGRES : ON_SQLITE;
}

/** A peer issues each of its tokens over HTTP, so all servers get fewer. */
const FEWER_TOKENS = 20;
/** The slowest peers answer a few requests in it. */
const PEERS_ROUND_MS_MIN = 2_000;

function withPeers(scale: Scale): Scale {
  const tokens = scale.loadedTokens / FEWER_TOKENS;
  return {
    ...scale,
    round_ms: Math.max(scale.round_ms, PEERS_ROUND_MS_MIN),
    storedTokens: tokens,
    loadedTokens: tokens,
    manyTokens: 0,
    selfContainedTokens: 0,
  };
}

function tokenCount(text: string): number {
  const count = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('--tokens takes a number of access tokens');
  return count;
}

async function main(words: readonly string[]): Promise<void> {
  const { chosen, scale, storage, peers, results, against, whole } = orderOf(words);
  const origin = originOf(['npm run bench', ...(words.length === 0 ? [] : ['--', ...words])].join(' '));
  const path = results ?? resultsPath(origin, peers ? 'peers' : storage, whole);
  console.log(`${origin.machine}; commit ${origin.commit}`);
  if (!CAN_PIN) console.log('taskset is missing: servers and load share all CPUs');
  const opened = await openBench({ chosen, scale, storage, peers, against });
  try {
    const found: BenchmarkResult[] = [];
    for (const benchmark of chosen) {
      const result = await runBenchmark(benchmark, opened.bench);
      print(result);
      found.push(result);
      // After each one, so that an interrupted run keeps what it measured.
      writeResults(path, { ...origin, ...opened.described, scale, benchmarks: found });
    }
    const { subjects = [], missing = [] } = opened.described;
    for (const line of descriptionLines(subjects, missing)) console.log(line);
    console.log(`\nresults: ${path}`);
  } finally {
    await opened.close();
  }
}

await main(process.argv.slice(2));
