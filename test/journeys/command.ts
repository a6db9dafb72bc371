import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { REPOSITORY } from './launcher.ts';

export interface Ended {
  /** The exit code, or the signal's name. */
  readonly how: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longer than any command takes: one that should fail, and serves instead, is ended by this. */
const TIMEOUT_MS = 20_000;

/** Runs `chancery …` to its end, with nothing in the environment but what is given. */
export async function chancery(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  return await command(process.execPath, [join(REPOSITORY, 'src/cli/chancery.ts'), ...words], environment);
}

export async function command(
  file: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = spawn(file, words, {
    cwd: REPOSITORY,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null, string | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { how: code ?? signal ?? 'gone', stdout, stderr };
}
