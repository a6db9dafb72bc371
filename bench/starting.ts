/**
 * Measures the start and the idle memory of the sources and of the package, in turns in one run (docs/operate/performance.md).
 * Run: npm run bench:starting -- [--rounds N] [--idle-s N]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { childrenOf } from '../test/program/children.ts';
import { freePort } from '../test/program/free-port.ts';
import { ENCRYPTION_KEY } from '../test/program/start.ts';
import { buildPackage } from '../tools/build/package.ts';
import { ROOT } from '../tools/child.ts';
import { type Cells, markdownTable } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    /** How long a server does nothing before its memory is read. */
    'idle-s': { type: 'string', default: '10' },
  },
});

const place = mkdtempSync(join(tmpdir(), 'chancery-starting-'));
const PACKAGE = join(place, 'package');

const KINDS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  sources: [process.execPath, '--disable-warning=ExperimentalWarning', join(ROOT, 'src/cli/chancery.ts')],
  package: [join(PACKAGE, 'bin/chancery')],
};
/** The clock of `/proc/<pid>/stat` (Linux: USER_HZ). */
const TICK_MS = 10;
const POLL_MS = 2;

interface Start {
  readonly wall_ms: number;
  readonly cpu_ms: number;
}

await buildPackage(PACKAGE);
try {
  const starts = new Map<string, Start[]>(Object.keys(KINDS).map((kind) => [kind, []]));
  // The first start of each makes its data and its compiled code.
  for (const kind of starts.keys()) await started(kind);
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [kind, list] of starts) list.push(await started(kind));
  const rows: Cells[] = [];
  for (const [kind, list] of starts) {
    const alone = await idleMemory(kind, 1);
    const workers = await idleMemory(kind, 2);
    rows.push([kind, ...figures(list), sum(alone), `${sum(workers)} (${workers.join(' + ')})`]);
  }
  const head = ['', 'first answer, ms: median', 'least', 'CPU, ms', 'one process, MB', 'two workers, MB'];
  process.stdout.write(`${markdownTable([head, ...rows])}\n`);
  const [sources = [], bundled = []] = [...starts.values()];
  const ratio = median(sources.map(({ cpu_ms }) => cpu_ms)) / median(bundled.map(({ cpu_ms }) => cpu_ms));
  process.stdout.write(`CPU of the sources : CPU of the package = ${ratio.toFixed(2)}\n`);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** Starts the development server, and stops it after its first answer. */
async function started(kind: string): Promise<Start> {
  const start = performance.now();
  const { child, port } = await launched(kind, ['dev']);
  while (!(await answers(port, '/jwks.json'))) await sleep(POLL_MS);
  const wall_ms = performance.now() - start;
  const cpu_ms = cpuOf(child.pid ?? 0);
  await stopped(child);
  return { wall_ms, cpu_ms };
}

/** Returns the resident memory of each process of an idle production server, in MB: the supervisor first. */
async function idleMemory(kind: string, workers: number): Promise<readonly number[]> {
  const { child, port, management } = await launched(kind, [
    'serve',
    '--create',
    '--workers',
    String(workers),
  ]);
  while (!(await answers(management, '/health/ready'))) await sleep(50);
  await answers(port, '/jwks.json');
  await sleep(Number(values['idle-s']) * 1000);
  const pid = child.pid ?? 0;
  const memory = [pid, ...childrenOf(pid)].map(residentOf);
  await stopped(child);
  return memory;
}

async function launched(kind: string, words: readonly string[]) {
  // For the data of this program, and for its compiled code.
  const folder = join(place, `${kind}-data`);
  mkdirSync(folder, { recursive: true });
  const [port, management] = [await freePort(), await freePort()];
  const [program = '', ...before] = KINDS[kind] ?? [];
  const child = spawn(program, [...before, ...words], {
    cwd: folder,
    stdio: 'ignore',
    env: {
      // The launcher of the package finds no runtime beside it, and takes the one of this process.
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      CHANCERY_ISSUER: words[0] === 'dev' ? `http://127.0.0.1:${port}` : 'https://op.example.com',
      CHANCERY_LISTEN_PORT: String(port),
      CHANCERY_MANAGEMENT_LISTEN_PORT: String(management),
      CHANCERY_STORAGE_URL: `sqlite:${join(folder, words[0] ?? '', 'chancery.db')}`,
      ...(words[0] === 'serve' ? { CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY } : {}),
    },
  });
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`${kind} ${words.join(' ')} ended with ${code}`);
  });
  return { child, port, management };
}

async function stopped(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function answers(port: number, path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const asking = request({ host: '127.0.0.1', port, path, agent: false }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode === 200));
    });
    asking.once('error', () => resolve(false)).end();
  });
}

/** User and system time of a process so far: fields 14 and 15 of proc_pid_stat(5), which the name in parentheses precedes. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function residentOf(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round((Number(kib) * 1024) / 1e6);
}

function figures(list: readonly Start[]): string[] {
  const walls = list.map(({ wall_ms }) => wall_ms);
  return [median(walls), Math.min(...walls), median(list.map(({ cpu_ms }) => cpu_ms))].map((ms) =>
    ms.toFixed(0),
  );
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function sum(numbers: readonly number[]): string {
  return String(numbers.reduce((total, each) => total + each, 0));
}
