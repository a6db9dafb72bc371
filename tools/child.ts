import { type ChildProcess, spawn } from 'node:child_process';
import { dirname, join } from 'node:path';

export const ROOT = dirname(import.meta.dirname);

export interface Ended {
  /** The exit code, or the name of the signal that ended it. */
  readonly how: number | string;
  /** Standard output and standard error, in the order of their arrival. */
  readonly output: string;
}

/** Runs a JavaScript or TypeScript file with this very runtime, from the root of the repository. */
export async function runFile(file: string, ...parameters: string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...parameters], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  return { how: await ended(child), output };
}

/**
 * The environment of this process without what belongs to it alone: the pipe that its launcher holds, and node:test's
 * mark, which would keep a group that a test starts from running.
 */
export function environment(): NodeJS.ProcessEnv {
  const { CHANCERY_LIFELINE: _lifeline, NODE_TEST_CONTEXT: _mark, ...rest } = process.env;
  return rest;
}

export async function ended(child: ChildProcess): Promise<number | string> {
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}

/** A program of node_modules, by the file that its package names. */
export function packaged(file: string): string {
  return join(ROOT, 'node_modules', file);
}
