/**
 * Measures a mixed load with open arrivals that uses a share of the program's CPU, and says what its slow answers waited for. Requests
 * are due at a fixed rate; a latency counts from the time at which its request was due. Meanwhile expired tokens are swept, the
 * server's keys rotate once and a backup is taken once, on the server's CPU.
 * Run: npm run bench:mixed -- [--seconds N] [--share 0.7] [--rate N] [--tokens N] [--expiring N]. `--expiring`: as many further
 * tokens expire in each second.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM } from '../src/testing/program.ts';
import { inheritedEnvironment } from '../test/program/inherited-environment.ts';
import { ENCRYPTION_KEY, type Program } from '../test/program/start.ts';
import { addExpiring, oldestExpired } from './expiring.ts';
import { startLoadGenerator } from './load-generator.ts';
import { mixedOrders, spread } from './mixture.ts';
import { type OpenMixture, openMixture, SHARES } from './open-mixture.ts';
import { type Ours, startOurs } from './ours.ts';
import { sqlitePlace } from './place.ts';
import { cpuMicroseconds, LOAD_CPU, pin, SERVER_CPU, stolenMs } from './processes/measured-process.ts';
import type { KindResult, OpenResult, SlowTenth } from './processes/open-load.ts';
import { originOf, resultsPath, writeResults } from './results-file.ts';
import { terminalTable } from './table.ts';

const CAPACITY_ROUND_MS = 10_000;
/**
 * Rounds that find the rate. A request costs more at a lower rate, so each round comes nearer and none arrives at once. In the last ones
 * tokens of the first ones end, so that they have sweeps, as the run has.
 */
const CALIBRATIONS_S = [12, 12, 30, 30, 60];
/** Tokens that the load gets end within the run, so that there is something to sweep. */
const LIFETIME_S = 60;
const WATCH_MS = 20;
const SCRAPE_MS = 5_000;
/** A slow answer waited for what happened so shortly before. */
const EARLIER_MS = 50;
/** Tenths of a second that the run names. */
const WORST = 25;

/** Something that the server did beside the requests, in milliseconds since 1970. */
interface Mark {
  readonly what: string;
  readonly from: number;
  readonly to: number;
}

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    share: { type: 'string', default: '0.7' },
    rate: { type: 'string' },
    tokens: { type: 'string', default: '1000000' },
    expiring: { type: 'string', default: '0' },
  },
});

const origin = originOf(['npm run bench:mixed', '--', ...process.argv.slice(2)].join(' '));
console.log(`${origin.machine}; commit ${origin.commit}`);
const folder = mkdtempSync(join(tmpdir(), 'chancery-mixed-'));
const pauses = join(folder, 'pauses.jsonl');
try {
  await main(Number(values.seconds), Number(values.share));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function main(seconds: number, share: number): Promise<void> {
  const storedTokens = Number(values.tokens);
  // Half of them are for revocations.
  const half = Math.floor(storedTokens / 2);
  const loadedTokens = Math.min(50_000, half);
  const counts = { storedTokens, loadedTokens, manyTokens: half, selfContainedTokens: 1 };
  const preload = pathToFileURL(join(import.meta.dirname, 'processes/pauses.mjs')).href;
  const ours = await startOurs(folder, counts, {
    ...sqlitePlace(folder),
    environment: {
      CHANCERY_ACCESS_TOKEN_LIFETIME: String(LIFETIME_S),
      NODE_OPTIONS: `--import=${preload}`,
      BENCH_PAUSES: pauses,
    },
  });
  try {
    pin(process.pid, LOAD_CPU);
    const mixture = await openMixture(ours);
    const rate = values.rate === undefined ? await rateAt(share, ours, mixture) : Number(values.rate);
    const expiring = Number(values.expiring);
    if (expiring > 0) await addExpiring(ours, { rate: expiring, seconds });
    console.log(`${rate} requests a second for ${seconds} s`);
    const { result, marks, busy } = await measured({ ours, mixture }, rate, seconds);
    console.log(`the server used ${percent(busy)} of its CPU`);
    console.log(`the oldest expired token in the database expired ${oldestExpired(ours)} s before`);
    const { kinds, connections } = result;
    const worst = worstOf(result, marks);
    report(result, worst);
    const late_ms = result.late.reduce((sum, { from, to }) => sum + to - from, 0);
    console.log(`the load was late ${result.late.length} times, ${late_ms.toFixed(0)} ms in all`);
    console.log(`its CPU was slower than usual ${result.slowed.length} times`);
    const path = resultsPath(origin, 'mixed', values.rate === undefined && seconds >= 600);
    writeResults(path, { ...origin, rate, seconds, share, busy, kinds, connections, late_ms, worst });
    console.log(`\nresults: ${path}`);
  } finally {
    await ours.program.stop();
  }
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`;
}

/**
 * Returns the rate at which the program uses that share of its CPU. It is not the same share of what a closed load gets: that
 * one sends its requests together, and a request that comes alone wakes the program for itself.
 */
async function rateAt(share: number, ours: Ours, mixture: OpenMixture): Promise<number> {
  let rate = share * (await capacity(ours));
  for (const seconds of CALIBRATIONS_S) {
    let busy = Number.NaN;
    const asked = Math.round(rate);
    await mixture.send({ rate: asked, seconds }, async () => {
      busy = await busyFor(ours.program.pid, seconds);
    });
    console.log(`${asked} requests a second use ${percent(busy)} of the CPU`);
    rate *= share / busy;
  }
  return Math.round(rate);
}

/** Returns the share of a CPU that a process uses for so long. */
async function busyFor(pid: number, seconds: number): Promise<number> {
  const [cpu, since] = [cpuMicroseconds(pid), performance.now()];
  await sleep(seconds * 1000);
  return (cpuMicroseconds(pid) - cpu) / 1000 / (performance.now() - since);
}

/** Returns how many requests of the mixture the program answers in a second to 64 connections that never wait. */
async function capacity(ours: Ours): Promise<number> {
  const load = startLoadGenerator();
  try {
    const orders = mixedOrders(ours, 1);
    const sent = new Map<string, number>();
    // Revocations repeat here: the second one finds nothing to do.
    const all = spread({ ...SHARES, introspection: SHARES.introspection + SHARES.refresh, refresh: 0 });
    const mixed = Array.from({ length: 1_000 }, () => all)
      .flat()
      .map((kind) => {
        const order = kind === 'refresh' ? orders.introspection : orders[kind];
        const index = sent.get(kind) ?? 0;
        sent.set(kind, index + 1);
        const request = order.requests[index % order.requests.length];
        return { head: `${order.head ?? ''}${request?.head ?? ''}`, body: request?.body ?? '' };
      });
    const order = await load.prepare({ port: ours.program.port, requests: mixed });
    await load.run({ order, milliseconds: CAPACITY_ROUND_MS });
    const { answered, refused, seconds } = await load.run({ order, milliseconds: CAPACITY_ROUND_MS });
    if (refused > 0) throw new Error(`${refused} answers were neither 200 nor 201`);
    console.log(`a closed load gets ${Math.round(answered / seconds)} answers a second`);
    return answered / seconds;
  } finally {
    await load.close();
  }
}

async function measured(
  { ours, mixture }: { readonly ours: Ours; readonly mixture: OpenMixture },
  rate: number,
  seconds: number,
): Promise<{ readonly result: OpenResult; readonly marks: readonly Mark[]; readonly busy: number }> {
  const marks: Mark[] = [];
  const dropped = watchDropped(marks);
  const watches = [
    dropped.watch,
    watchCheckpoints(marks),
    watchSweeps(ours.program, marks),
    watchHost(marks),
  ];
  try {
    let busy = Number.NaN;
    const beside = async (): Promise<void> => {
      const working = workBeside(ours.program, seconds, marks);
      busy = await busyFor(ours.program.pid, seconds);
      await working;
    };
    const result = await mixture.send({ rate, seconds }, beside);
    dropped.name();
    marks.push(...pausesIn(pauses), ...result.late.map((span) => ({ what: 'the load was late', ...span })));
    marks.push(...result.slowed.map((span) => ({ what: "the load's CPU was slower", ...span })));
    return { result, marks, busy };
  } finally {
    for (const watch of watches) clearInterval(watch);
  }
}

/** The file of the database changes when SQLite moves its log there, and at no other time. */
function watchCheckpoints(marks: Mark[]): NodeJS.Timeout {
  const path = join(folder, 'chancery.db');
  let changed = statSync(path).mtimeMs;
  return setInterval(() => {
    const { mtimeMs } = statSync(path);
    if (mtimeMs !== changed) marks.push({ what: 'checkpoint', from: mtimeMs - WATCH_MS, to: mtimeMs });
    changed = mtimeMs;
  }, WATCH_MS);
}

/** V8 names the functions whose compiled code it drops, and no time. Such a function is slow until a thread of V8 has compiled it again. */
function watchDropped(marks: Mark[]): { readonly watch: NodeJS.Timeout; readonly name: () => void } {
  const path = `${pauses}.dropped`;
  const bytes = (): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const seen: { readonly from: number; readonly until: number; readonly at: number }[] = [];
  let known = bytes();
  const watch = setInterval(() => {
    const until = bytes();
    if (until > known) seen.push({ from: known, until, at: Date.now() });
    known = until;
  }, WATCH_MS);
  const name = (): void => {
    const text = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    for (const { from, until, at } of seen) {
      const names = text
        .toString('latin1', from, until)
        .matchAll(/begin\. deoptimizing .*?<JSFunction (.*?) ?\(sfi/gu);
      const functions = [...new Set([...names].map((found) => found[1] || 'a function without a name'))].join(
        ', ',
      );
      if (functions !== '')
        marks.push({ what: `compiled code dropped: ${functions}`, from: at - WATCH_MS, to: at });
    }
  };
  return { watch, name };
}

function watchHost(marks: Mark[]): NodeJS.Timeout {
  let [before, since] = [stolenMs(SERVER_CPU), Date.now()];
  return setInterval(() => {
    const [now, at] = [stolenMs(SERVER_CPU), Date.now()];
    if (now > before) marks.push({ what: `the host took ${now - before} ms`, from: since, to: at });
    [before, since] = [now, at];
  }, WATCH_MS);
}

/** Rotates the keys after a third of the time, and takes a backup after a half of it. */
async function workBeside(program: Program, seconds: number, marks: Mark[]): Promise<void> {
  const act = async (what: string, after: number, words: readonly string[]): Promise<void> => {
    await sleep(after * 1000);
    const from = Date.now();
    await command(program, words);
    marks.push({ what, from, to: Date.now() });
  };
  await Promise.all([
    act('rotation of keys', seconds / 3, ['keys', 'rotate']),
    act('backup', seconds / 2, ['backup', 'create', '--out', join(folder, 'backup.db')]),
  ]);
}

async function command(program: Program, words: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    env: {
      ...inheritedEnvironment(),
      CHANCERY_ISSUER: program.issuer,
      CHANCERY_STORAGE_URL: `sqlite:${join(folder, 'chancery.db')}`,
      CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  pin(child.pid ?? 0, SERVER_CPU);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`chancery ${words.join(' ')} ended with ${code}`);
}

/** The metrics tell of the last sweep only. */
function watchSweeps({ managementUrl }: Program, marks: Mark[]): NodeJS.Timeout {
  let last = 0;
  const look = async (): Promise<void> => {
    const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
    const value = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)$`, 'mu').exec(metrics)?.[1] ?? 0);
    const ended = value('chancery_sweep_last_timestamp_seconds') * 1000;
    const took = value('chancery_sweep_duration_seconds') * 1000;
    // The end is known to the second.
    if (ended > last) marks.push({ what: 'sweep', from: ended - took, to: ended + 1000 });
    last = ended;
  };
  return setInterval(() => void look().catch(() => undefined), SCRAPE_MS);
}

function pausesIn(path: string): readonly Mark[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Mark);
}

/** A tenth of a second with slow answers, and what happened meanwhile. */
interface WorstTenth extends SlowTenth {
  readonly meanwhile: string;
}

function worstOf({ slow }: OpenResult, marks: readonly Mark[]): readonly WorstTenth[] {
  const worst = slow.toSorted((one, other) => other.worst_ms - one.worst_ms).slice(0, WORST);
  return worst.map((tenth) => ({ ...tenth, meanwhile: causesOf(tenth, marks) }));
}

function report({ kinds, connections }: OpenResult, worst: readonly WorstTenth[]): void {
  const cells = ({ kind, answers, p50_ms, p99_ms, p999_ms, max_ms }: KindResult): readonly string[] => [
    kind,
    String(answers),
    ...[p50_ms, p99_ms, p999_ms, max_ms].map((milliseconds) => milliseconds.toFixed(1)),
  ];
  const head = ['', 'answers', 'p50, ms', 'p99', 'p99.9', 'longest'];
  console.log(`\n${terminalTable([head, ...kinds.map(cells)])}\nconnections: ${connections}`);
  const rows = worst.map(({ from, worst_ms, kind, answers, meanwhile }) => [
    new Date(from).toISOString().slice(11, 23),
    worst_ms.toFixed(1),
    kind,
    String(answers),
    meanwhile,
  ]);
  if (rows.length > 0)
    console.log(
      `\n${terminalTable([['begun at', 'worst, ms', 'kind', 'slow answers', 'meanwhile'], ...rows])}`,
    );
}

function causesOf({ from, to }: SlowTenth, marks: readonly Mark[]): string {
  const causes = new Map<string, number>();
  for (const mark of marks)
    if (mark.from <= to && mark.to >= from - EARLIER_MS)
      causes.set(mark.what, Math.max(causes.get(mark.what) ?? 0, mark.to - mark.from));
  return [...causes].map(([what, took]) => `${what} (${took.toFixed(0)} ms)`).join('; ');
}
