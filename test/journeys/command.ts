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
  input?: Uint8Array,
): Promise<Ended> {
  const program = join(REPOSITORY, 'src/cli/chancery.ts');
  return await command(process.execPath, [program, ...words], environment, input);
}

export async function command(
  file: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input: Uint8Array = new Uint8Array(),
): Promise<Ended> {
  const child = spawn(file, words, {
    cwd: REPOSITORY,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: 'pipe',
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  // Whoever reads nothing may be gone before this is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null, string | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { how: code ?? signal ?? 'gone', stdout, stderr };
}
