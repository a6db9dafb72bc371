import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { converse, type RawAnswer } from '../../test/program/raw-socket.ts';

const READY_TIMEOUT_MS = 60_000;
/** The kernel's clock that /proc counts in: USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_S = 100;

/** Whether processes can be held to one CPU here. */
export const CAN_PIN = process.platform === 'linux' && spawnSync('taskset', ['-V']).status === 0;

/** The CPU of the servers, and that of the load. */
export const SERVER_CPU = 0;
export const LOAD_CPU = 1;

/** Holds all threads of a running process, and those it will start, to one CPU. */
export function pin(pid: number, cpu: number): void {
  if (CAN_PIN) spawnSync('taskset', ['-a', '-c', '-p', String(cpu), String(pid)], { stdio: 'ignore' });
}

/** As `nice` gives it: only the superuser may ask for it. */
const LOAD_NICENESS = -15;

/**
 * Holds a process that sends a load to the CPU of the load. Everything else on that CPU gives way to its main thread: a load that is late
 * makes the server look slow.
 */
export function pinLoad(pid: number): void {
  pin(pid, LOAD_CPU);
  try {
    setPriority(pid, LOAD_NICENESS);
  } catch {
    // Without the right, the marks of a load that was late tell how often it had to wait.
  }
}

/**
 * Node's options for such a process. V8's other threads would take turns on its CPU: in a trial, up to 22 ms at a time.
 */
export const LOAD_OPTIONS = ['--single-threaded-gc'];

/** Starts a script of `bench/processes/`. Its options are JSON in the first argument. */
export function startScript(
  script: string,
  options: unknown,
  environment: NodeJS.ProcessEnv = {},
  nodeOptions: readonly string[] = [],
): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return fork(path, [JSON.stringify(options)], {
    env: { PATH: process.env['PATH'], ...environment },
    execArgv: ['--disable-warning=ExperimentalWarning', ...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}

/** Returns the next message of a child. Rejects if the child ends first. */
export async function messageFrom<Message>(child: ChildProcess): Promise<Message> {
  const waiting = new AbortController();
  const ended = async (): Promise<never> => {
    const [code] = await once(child, 'exit', { signal: waiting.signal });
    throw new Error(`${child.spawnargs.join(' ')} ended with ${String(code)}`);
  };
  const ending = ended();
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal: waiting.signal }), ending])) as [
      Message,
    ];
    return message;
  } finally {
    ending.catch(() => undefined);
    waiting.abort();
  }
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** Repeats a request until a server listens, and returns the first answer. */
export async function firstAnswer(port: number, request: string): Promise<RawAnswer> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { answers } = await converse({ host: '127.0.0.1', port }, [request]);
    const [answer] = answers;
    if (answer !== undefined) return answer;
    await sleep(2);
  }
  throw new Error(`no server answers on port ${port}`);
}

/** Returns the time that the host of a virtual machine gave to others while this CPU had work (proc(5): `steal`). Only Linux tells it. */
export function stolenMs(cpu: number): number {
  const steal = new RegExp(`^cpu${cpu} +(?:\\d+ ){7}(\\d+)`, 'mu');
  return (Number(steal.exec(readFileSync('/proc/stat', 'latin1'))?.[1]) * 1000) / TICKS_PER_S;
}

/** Returns the CPU time that a process has used so far, in seconds; undefined without /proc. */
export function cpuSeconds(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return secondsIn(pid, [11, 12]);
}

/**
 * proc(5): utime and stime are fields 14 and 15. Fields 16 and 17 are those of children that have ended. Field 2 may hold
 * spaces, and ends at the last parenthesis.
 */
function secondsIn(pid: number, fields: readonly number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const all = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, field) => sum + Number(all[field]), 0) / TICKS_PER_S;
}

/** Returns the same in microseconds, exactly, from the time that the scheduler gave to each thread. Only Linux tells it. */
export const cpuMicroseconds = (pid: number): number =>
  [...threadMicroseconds(pid).values()].reduce((sum, one) => sum + one, 0);

/** Returns the same for the threads of each name: Node calls them `node-MainThread`, `WorkerThread`, `libuv-worker`, `node-V8Worker`. */
export function threadMicroseconds(pid: number): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const name = readFileSync(`${folder}/comm`, 'latin1').trim();
    // The first figure of schedstat is nanoseconds on a CPU.
    const nanoseconds = Number(readFileSync(`${folder}/schedstat`, 'latin1').split(' ')[0]);
    found.set(name, (found.get(name) ?? 0) + nanoseconds / 1000);
  }
  return found;
}

/** Returns the same for a parent with the children that it has and had. */
export function familyCpuSeconds(pids: readonly number[]): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return pids.reduce((sum, pid, index) => {
    try {
      return sum + secondsIn(pid, index === 0 ? [11, 12, 13, 14] : [11, 12]);
    } catch {
      // The child has ended: the parent's figure includes it, or soon will.
      return sum;
    }
  }, 0);
}

export interface Memory {
  /** Returns the largest resident set since the beginning, above the one then; no figure without /proc. */
  peak(): { readonly memory_mib?: number };
}

/** Follows the resident set of a process from now on. */
export function memory(pid: number): Memory {
  if (process.platform !== 'linux') return { peak: () => ({}) };
  // proc(5), clear_refs: 5 resets the peak resident set size to the current one.
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = kibibytes(pid, 'VmRSS');
  return { peak: () => ({ memory_mib: (kibibytes(pid, 'VmHWM') - before) / 1024 }) };
}

/** Returns the resident set of a process; no figure without /proc. */
export function resident(pid: number): { readonly resident_mib?: number } {
  return process.platform === 'linux' ? { resident_mib: kibibytes(pid, 'VmRSS') / 1024 } : {};
}

/** proc(5): a line of /proc/PID/status. */
function kibibytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN);
}
