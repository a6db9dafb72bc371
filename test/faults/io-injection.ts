import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../program/start.ts';

/** An injection of strace into the system calls of a running server: `pwrite64:error=EIO:when=3` (strace(1), "Tampering"). */
export type Injection = `${'pread64' | 'pwrite64' | 'fsync' | 'ftruncate'}:${string}`;

/** Why injection is not possible here; undefined where it is. */
export function noInjection(): string | undefined {
  try {
    execFileSync('strace', ['-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'strace is not installed, or may not trace';
  }
}

/**
 * Tampers with the system calls of a server until `until` resolves or the server is gone.
 * @returns how many calls were tampered with.
 */
export async function inject(
  node: Pick<Program, 'pid'>,
  folder: string,
  injections: readonly Injection[],
  until: () => Promise<void>,
): Promise<number> {
  const record = join(folder, 'strace');
  const calls = [...new Set(injections.map((each) => each.slice(0, each.indexOf(':'))))];
  const tracer = spawn(
    'strace',
    [
      '-f',
      `--attach=${node.pid}`,
      `--output=${record}`,
      `--trace=${calls.join(',')}`,
      '--signal=none',
      ...injections.map((each) => `--inject=${each}`),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await attached(tracer);
  await until();
  if (tracer.exitCode === null) {
    const exited = once(tracer, 'exit');
    tracer.kill('SIGINT');
    await exited;
  }
  return readFileSync(record, 'latin1').split('INJECTED').length - 1;
}

/** Resolves when strace traces the process. */
export async function attached(tracer: ChildProcess): Promise<void> {
  let said = '';
  tracer.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!said.includes('attached')) {
    if (tracer.exitCode !== null) throw new Error(`strace: ${said}`);
    await sleep(5);
  }
}
