/**
 * `chancery storage copy` of many clients, from SQLite to PostgreSQL and back: how long it takes, and its peak memory;
 * and the same copies killed again and again with SIGKILL, whose digests must be those of the whole ones.
 * Run: npm run growth:copy -- [--clients N] [--kills N]
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ClientId } from '../src/spec/identifiers.ts';
import { startTestServer } from '../src/testing/postgres/server.ts';
import { startProgram } from '../test/program/start.ts';
import { machine } from './machine.ts';
import { register } from './ours.ts';
import { sqlitePlace } from './place.ts';
import { registrationRequest } from './registry.ts';
import { markdownTable } from './report.ts';
import { seedClients } from './seed-clients.ts';

const PROGRAM = fileURLToPath(new URL('../src/cli/chancery.ts', import.meta.url));
/** Before this a process that was started has not come to copy. */
const START_MS = 300;
/** A call after an interruption passes what is there more quickly. */
const KILLED_WITHIN = 0.5;
const LOOK_EVERY_MS = 20;
/** `USER_HZ`, in which Linux counts CPU time. */
const TICKS_PER_SECOND = 100;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '5' },
  },
});
const [clients, kills] = [Number(values.clients), Number(values.kills)];

interface Report {
  readonly rows: number;
  readonly seconds: number;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly digest: string }[];
}

/** What a whole copy took. */
interface Copied extends Report {
  readonly peakBytes: number;
  readonly cpuSeconds: number;
}

const root = mkdtempSync(join(tmpdir(), 'chancery-copied-'));
const server = await startTestServer();
try {
  const source = await seeded(root);
  const [there, back] = [await server.createDatabase(), aFile()];
  console.log(`${machine()}\n`);
  const first = await wholeCopy(source, there);
  const second = await wholeCopy(there, back);
  requireSame(first, second);
  const rows = [row('SQLite to PostgreSQL', first), row('PostgreSQL to SQLite', second)];
  const head = ['', 'rows', 'seconds', 'rows/s', "the command's CPU", 'its peak memory'];
  console.log(markdownTable([head, ...rows]));
  if (kills > 0) {
    await killedCopies('SQLite to PostgreSQL', source, await server.createDatabase(), first);
    await killedCopies('PostgreSQL to SQLite', there, aFile(), second);
  }
} finally {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
}

function aFile(): string {
  return `sqlite:${join(mkdtempSync(join(root, 'copy-')), 'chancery.db')}`;
}

/** A registry of so many clients that a server has registered, or that are like one of those. */
async function seeded(folder: string): Promise<string> {
  const program = await startProgram({ folder });
  const { client_id } = await register(program, registrationRequest(program.issuer));
  await program.stop();
  await seedClients({ place: sqlitePlace(folder), example: client_id as ClientId, clients, kept: 1 });
  return `sqlite:${join(folder, 'chancery.db')}`;
}

function started(from: string, to: string, ...more: readonly string[]) {
  const words = [PROGRAM, 'storage', 'copy', '--from', from, '--to', to, ...more];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, ended, output: Promise.all([text(child.stdout), text(child.stderr)]) };
}

async function wholeCopy(from: string, to: string): Promise<Copied> {
  const { child, ended, output } = started(from, to, '--final', '--json');
  let [peakBytes, cpuSeconds] = [0, 0];
  const looking = setInterval(() => {
    [peakBytes, cpuSeconds] = taken(child.pid ?? 0) ?? [peakBytes, cpuSeconds];
  }, LOOK_EVERY_MS);
  const [code] = await ended;
  clearInterval(looking);
  const [stdout, stderr] = await output;
  if (code !== 0) throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Report), peakBytes, cpuSeconds };
}

/** The most memory that was resident, and the CPU time of all threads; undefined once the process is gone. */
function taken(pid: number): [peakBytes: number, cpuSeconds: number] | undefined {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): fields 14 and 15 are utime and stime; the second one is a name in brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return peak === undefined ? undefined : [Number(peak) * 1024, ticks / TICKS_PER_SECOND];
  } catch {
    return undefined;
  }
}

function row(name: string, { rows, seconds, cpuSeconds, peakBytes }: Copied): readonly string[] {
  return [
    name,
    rows.toLocaleString('en'),
    seconds.toFixed(1),
    Math.round(rows / seconds).toLocaleString('en'),
    `${cpuSeconds.toFixed(1)} s`,
    `${Math.round(peakBytes / 2 ** 20)} MiB`,
  ];
}

/** The same copy, killed at random moments and called again each time; the last call finishes it. */
async function killedCopies(name: string, from: string, to: string, whole: Copied): Promise<void> {
  let underWay = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const { child, ended } = started(from, to);
    const within_ms = Math.max(1, Math.round(whole.seconds * 1000 * KILLED_WITHIN));
    await Promise.race([ended, sleep(START_MS + randomInt(within_ms))]);
    child.kill('SIGKILL');
    if ((await ended)[1] === 'SIGKILL') underWay += 1;
  }
  const last = await wholeCopy(from, to);
  requireSame(whole, last);
  const tables = last.tables.filter(({ rows }) => rows > 0).length;
  console.log(
    `\n${name}, killed ${kills} times, ${underWay} times before it ended: rows and digests of ${tables} tables are those of the whole copy`,
  );
}

function requireSame(one: Report, other: Report): void {
  const digests = ({ tables }: Report): string =>
    JSON.stringify(tables.map(({ table, rows, digest }) => [table, rows, digest]));
  if (digests(one) !== digests(other))
    throw new Error(`the copies differ:\n${digests(one)}\n${digests(other)}`);
}
