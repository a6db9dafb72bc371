import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { PROGRAM } from '../../src/testing/program.ts';
import { endedWithTests } from '../program/children.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';
import { REPOSITORY } from './launcher.ts';

export interface Ended {
  /** The exit code, or the signal's name. */
  readonly how: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Longer than any command takes: one that should fail, and serves instead, is ended by this. */
const TIMEOUT_MS = 60_000;

/** Runs `chancery …` to its end, with nothing in the environment but what is given, in `folder` (the repository). */
export async function chancery(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input, folder }: { readonly input?: Uint8Array; readonly folder?: string } = {},
): Promise<Ended> {
  return await command(process.execPath, [PROGRAM, ...words], environment, { input, folder });
}

export async function command(
  file: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  {
    input = new Uint8Array(),
    folder = REPOSITORY,
  }: { readonly input?: Uint8Array | undefined; readonly folder?: string | undefined } = {},
): Promise<Ended> {
  const child = endedWithTests(
    spawn(file, words, {
      cwd: folder,
      env: { ...inheritedEnvironment(), ...environment },
      stdio: 'pipe',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    }),
  );
  // A program that reads no input may end before this is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null, string | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { how: code ?? signal ?? 'gone', stdout, stderr };
}
