/**
 * Shows where the CPU time of one introspection goes, layer by layer: the real program with V8's profiler, under the load
 * of the benchmarks. The profiler takes time too, so compare the shares. Run: npm run profile -- [--seconds N] [--tokens N]
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
import { type Ours, startAnother, startOurs } from './ours.ts';
import { firstAnswer, pin, SERVER_CPU } from './processes/measured-process.ts';
import { machine } from './results-file.ts';
import { markdownTable } from './table.ts';

const WARM_UP_MS = 2_000;
/** Enough for the compiler, and for several questions about each repeated token. */
const WARM_UP_ANSWERS = 200_000;
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
    for (let warm = 0; warm < WARM_UP_ANSWERS; ) {
      warm += (await load.run({ order, milliseconds: WARM_UP_MS })).answered;
    }
    const { answered, seconds } = await load.run({ order, milliseconds });
    const end = monotonic();
    await started.close();
    const times = readdirSync(profiles).flatMap((file) =>
      selfTimes(join(profiles, file), end - seconds * 1e6, end),
    );
    return { name, answered, times: times.filter(({ functionName }) => functionName !== '(idle)') };
  } finally {
    await started.close();
  }
}

interface Started {
  readonly pid: number;
  readonly order: LoadOrder;
  close(): Promise<void>;
}

async function profileOurs(setting: Setting, name: string, tokens: readonly string[]): Promise<Profiled> {
  return await profile(setting, name, async (environment) => {
    const program = await startAnother(setting.folder, environment);
    const order = introspectionWithBasic(program.port, setting.ours.caller, tokens);
    return { pid: program.pid, order, close: async () => await program.stop() };
  });
}

/** Profiles the least work there can be: the same bytes in and out. */
async function profileBare(setting: Setting, tokens: readonly string[]): Promise<Profiled> {
  const program = await startAnother(setting.folder);
  const order = introspectionWithBasic(program.port, setting.ours.caller, tokens);
  const answer = await firstAnswer(program.port, firstRequest(order));
  await program.stop();
  return await profile(setting, BARE, async (environment) => {
    const { pid, port, close } = await startBare(answer, environment);
    pin(pid, SERVER_CPU);
    await firstAnswer(port, firstRequest(order));
    return { pid, order: { ...order, port }, close };
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
    ['CPU time of one introspection', ...profiled.flatMap(({ name }) => [name, ''])],
    ...rows,
    ['all', ...sums],
  ]);
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
      seconds: { type: 'string', default: '10' },
      tokens: { type: 'string', default: '1000000' },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'chancery-profile-'));
  const load = startLoadGenerator();
  try {
    const ours = await startOurs(folder, {
      storedTokens: Math.max(Number(values.tokens), LOADED_TOKENS + MANY_TOKENS),
      loadedTokens: LOADED_TOKENS,
      manyTokens: MANY_TOKENS,
      selfContainedTokens: 10_000,
    });
    await ours.program.stop();
    const setting = { folder, load, ours, milliseconds: Number(values.seconds) * 1000 };
    const profiled = [
      await profileOurs(setting, 'identifier, repeated', ours.tokens),
      await profileOurs(setting, 'identifier, once', ours.manyTokens),
      await profileOurs(setting, 'self-contained, seen before', ours.selfContained),
      await profileBare(setting, ours.tokens),
    ];
    console.log(`${machine()}\n\n${layerTable(profiled)}\n`);
    for (const each of profiled) console.log(`${functionTable(each)}\n`);
  } finally {
    await load.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
