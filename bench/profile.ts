/**
 * Shows where the CPU time of an answer goes: the real program with V8's profiler, under the loads of the benchmarks. The profiler
 * takes time too, so compare the shares. A thread that waits for its turn on the CPU counts as working for the profiler, but not in
 * the table of threads, which is the scheduler's.
 * Run: npm run profile -- [--only introspection,introspection-once,token,registration,revocation,mixture,assertion,code,refresh,self-contained]
 * [--seconds N] [--tokens N]
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BARE, startBare } from './bare.ts';
import { monotonic, type SelfTime, selfTimes } from './cpu-profile.ts';
import { firstRequest } from './http-subject.ts';
import { introspectionWithBasic } from './introspection-load.ts';
import type { LoadOrder } from './load.ts';
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts';
import { ASKED_ONCE, ORDERS } from './orders.ts';
import { type Ours, startAnother, startOurs } from './ours.ts';
import { firstAnswer, LOAD_CPU, pin, SERVER_CPU, threadMicroseconds } from './processes/measured-process.ts';
import { machine } from './results-file.ts';
import { CODES_LAST } from './signed-in.ts';
import { markdownTable } from './table.ts';

const WARM_UP_MS = 2_000;
/** Requests that are good once must last for this time and for the measured one. */
const WARM_UP_RUNS = 2;
/** Enough for the compiler, and for several questions about each repeated token. */
const WARM_UP_ANSWERS = 200_000;
/** Node names a profile by date, time, process, thread and number. */
const OF_MAIN_THREAD = /\.0\.\d+\.cpuprofile$/;
const TOP_FUNCTIONS = 15;
const LOADED_TOKENS = 50_000;
/** Twice as many as the program keeps in memory. */
const MANY_TOKENS = 400_000;

/** The first layer that fits counts. The rest is the program's own (`src/`). */
const LAYERS: readonly (readonly [layer: string, fits: RegExp])[] = [
  ['garbage collection', /^\(garbage collector\)/],
  ['outside JavaScript: event loop, reading from sockets', /^\((program|root)\)/],
  ['node: HTTP parser, requests and answers', /node:(_http|internal\/http|internal\/url)/],
  ['node: sockets and streams, writing to them', /node:(net|stream|internal\/(stream|streams|js_stream))/],
  ['node: hashes and MACs', /node:(crypto|internal\/crypto)/],
  ['node: timers, ticks, events, buffers and the rest', / node:/],
  ['our HTTP floor', /src\/http\//],
  ['endpoints', /src\/endpoints\//],
  ['client authentication', /src\/clients\//],
  ['tokens', /src\/(tokens|keys|jose)\//],
  ['storage: caches, journal, SQLite', /src\/storage\//],
  ['plain functions (`spec`)', /src\/spec\//],
];
const OTHER = 'clock, metrics, log and composition';

const layerOf = ({ functionName, url }: SelfTime): string =>
  LAYERS.find(([, fits]) => fits.test(`${functionName} ${url}`))?.[0] ?? OTHER;

interface Profiled {
  readonly name: string;
  readonly answered: number;
  readonly times: readonly SelfTime[];
  /** Microseconds of an answer, by the name of the threads. */
  readonly threads: ReadonlyMap<string, number>;
}

/** Loads a process that runs with the profiler, and reads its profile. */
async function profile(
  { folder, load, milliseconds }: Setting,
  name: string,
  start: (environment: Readonly<Record<string, string>>) => Promise<Started>,
): Promise<Profiled> {
  const profiles = join(folder, `profile-${name.replaceAll(/\W+/g, '-')}`);
  mkdirSync(profiles);
  const started = await start({
    NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles} --cpu-prof-interval=500`,
  });
  try {
    const order = await load.prepare(started.order);
    for (let runs = 0, warm = 0; warm < WARM_UP_ANSWERS && runs < started.warmUpsMax; runs += 1) {
      warm += (await load.run({ order, milliseconds: WARM_UP_MS })).answered;
    }
    const before = threadMicroseconds(started.pid);
    const begun = monotonic();
    const { answered, seconds } = await load.run({ order, milliseconds });
    const end = monotonic();
    const counted = (seconds * 1e6) / (end - begun);
    const threads = new Map(
      [...threadMicroseconds(started.pid)].map(([thread, cpu]) => [
        thread,
        ((cpu - (before.get(thread) ?? 0)) * counted) / answered,
      ]),
    );
    await started.close();
    const times = readdirSync(profiles)
      .filter((file) => OF_MAIN_THREAD.test(file))
      .flatMap((file) => selfTimes(join(profiles, file), end - seconds * 1e6, end));
    return { name, answered, threads, times: times.filter(({ functionName }) => functionName !== '(idle)') };
  } finally {
    await started.close();
  }
}

const SELF_CONTAINED = 'self-contained';
const LOADS: typeof ORDERS = {
  ...ORDERS,
  [SELF_CONTAINED]: ({ program, caller, selfContained }) =>
    introspectionWithBasic(program.port, caller, selfContained),
};
/** The requests of these loads are good again and again. */
const QUESTIONS = ['introspection', ASKED_ONCE, SELF_CONTAINED];

interface Started {
  readonly pid: number;
  readonly order: LoadOrder;
  readonly warmUpsMax: number;
  close(): Promise<void>;
}

async function profileOurs(setting: Setting, name: string): Promise<Profiled> {
  const orderOf = LOADS[name];
  if (orderOf === undefined) throw new Error(`--only takes ${[...Object.keys(LOADS), BARE].join(', ')}`);
  return await profile(setting, name, async (environment) => {
    const program = await startAnother(setting.folder, { ...CODES_LAST, ...environment });
    const order = await orderOf({ ...setting.ours, program });
    const warmUpsMax = QUESTIONS.includes(name) ? Number.POSITIVE_INFINITY : WARM_UP_RUNS;
    return { pid: program.pid, order, warmUpsMax, close: async () => await program.stop() };
  });
}

/** Profiles the least work there can be: the same bytes in and out. */
async function profileBare(setting: Setting): Promise<Profiled> {
  const program = await startAnother(setting.folder);
  const order = introspectionWithBasic(program.port, setting.ours.caller, setting.ours.tokens);
  const answer = await firstAnswer(program.port, firstRequest(order));
  await program.stop();
  return await profile(setting, BARE, async (environment) => {
    const { pid, port, close } = await startBare(answer, environment);
    pin(pid, SERVER_CPU);
    await firstAnswer(port, firstRequest(order));
    return { pid, order: { ...order, port }, warmUpsMax: Number.POSITIVE_INFINITY, close };
  });
}

function layerTable(profiled: readonly Profiled[]): string {
  const layers = [...LAYERS.map(([layer]) => layer), OTHER];
  const rows = layers.map((layer) => [
    layer,
    ...profiled.flatMap(({ answered, times }) => {
      const spent = total(times.filter((time) => layerOf(time) === layer));
      return [`${(spent / answered).toFixed(2)} µs`, percent(spent / total(times))];
    }),
  ]);
  const sums = profiled.flatMap(({ answered, times }) => [`${(total(times) / answered).toFixed(2)} µs`, '']);
  return markdownTable([
    ['time of an answer on the main thread, by the profiler', ...profiled.flatMap(({ name }) => [name, ''])],
    ...rows,
    ['all', ...sums],
  ]);
}

function threadTable(profiled: readonly Profiled[]): string {
  const names = new Set(profiled.flatMap(({ threads }) => [...threads.keys()]));
  const rows = [...names].map((name) => [
    name,
    ...profiled.map(({ threads }) => `${(threads.get(name) ?? 0).toFixed(2)} µs`),
  ]);
  return markdownTable([['CPU time of an answer by thread', ...profiled.map(({ name }) => name)], ...rows]);
}

function functionTable({ name, times }: Profiled): string {
  const rows = times.slice(0, TOP_FUNCTIONS).map(({ functionName, url, microseconds }) => {
    const file = url.replace(/^.*\/(?=src\/|node_modules\/)/, '');
    return [`\`${functionName || '(anonymous)'}\``, file, percent(microseconds / total(times))];
  });
  return markdownTable([[`${name}: functions with the most time of their own`, 'where', 'share'], ...rows]);
}

const total = (times: readonly SelfTime[]): number =>
  times.reduce((sum, { microseconds }) => sum + microseconds, 0);

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

interface Setting {
  readonly folder: string;
  readonly load: LoadGenerator;
  readonly ours: Ours;
  readonly milliseconds: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: [...QUESTIONS, BARE].join(',') },
      seconds: { type: 'string', default: '4' },
      tokens: { type: 'string', default: '1000000' },
    },
  });
  // Before it has one CPU.
  const origin = machine();
  const folder = mkdtempSync(join(tmpdir(), 'chancery-profile-'));
  const load = startLoadGenerator();
  // It reads the log of the program.
  pin(process.pid, LOAD_CPU);
  try {
    const ours = await startOurs(folder, {
      storedTokens: Math.max(Number(values.tokens), LOADED_TOKENS + MANY_TOKENS),
      loadedTokens: LOADED_TOKENS,
      manyTokens: MANY_TOKENS,
      selfContainedTokens: 10_000,
    });
    await ours.program.stop();
    const setting = { folder, load, ours, milliseconds: Number(values.seconds) * 1000 };
    const profiled: Profiled[] = [];
    for (const name of new Set(values.only.split(',')))
      profiled.push(await (name === BARE ? profileBare(setting) : profileOurs(setting, name)));
    console.log(`${origin}\n\n${threadTable(profiled)}\n\n${layerTable(profiled)}\n`);
    for (const each of profiled) console.log(`${functionTable(each)}\n`);
  } finally {
    await load.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
