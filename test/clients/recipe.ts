import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endedWithTests } from '../program/children.ts';

const RECIPES = join(import.meta.dirname, 'recipes');
const READY_TIMEOUT_MS = 60_000;

/** A running program of `recipes`. */
export interface RunningRecipe {
  /** Returns everything that it has printed. */
  readonly output: () => string;
  stop(): Promise<void>;
}

/**
 * Starts a file of `recipes`, and waits until it answers at `ready`.
 *
 * @param environment beside that of the tests: what a reader of the recipe puts in
 * @throws Error with its output when it ends first
 */
export async function startRecipe(
  command: readonly [string, ...string[]],
  ready: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunningRecipe> {
  const { NODE_TEST_CONTEXT: _mark, ...inherited } = process.env;
  const [program, ...words] = command;
  const child = endedWithTests(
    spawn(program, words, {
      cwd: RECIPES,
      env: { ...inherited, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const exited = once(child, 'close');
  await untilReady(child, ready, () => output);
  return {
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Runs a file of `recipes` to its end.
 *
 * @returns what it printed
 * @throws Error with its output if it does not end with 0
 */
export async function runRecipe(
  [program, ...words]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { NODE_TEST_CONTEXT: _mark, ...inherited } = process.env;
  const options = { cwd: RECIPES, env: { ...inherited, ...environment }, timeout: READY_TIMEOUT_MS };
  const { stdout } = await promisify(execFile)(program, words, options);
  return stdout;
}

async function untilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => undefined);
    if (answer !== undefined) return;
    await sleep(30);
  }
  child.kill('SIGKILL');
  throw new Error(`no answer at ${url}:\n${output()}`);
}
