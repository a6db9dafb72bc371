import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endedWithTests } from '../program/children.ts';

const RECIPES = join(import.meta.dirname, 'recipes');
const TIMEOUT_MS = 60_000;

type Command = readonly [program: string, ...words: string[]];
type Environment = Readonly<Record<string, string>>;

/** A running program of `recipes`. */
export interface RunningRecipe {
  /** Returns everything that it has printed. */
  readonly output: () => string;
  /** Resolves with the match once something is printed that matches. */
  printed(words: RegExp): Promise<RegExpExecArray>;
  /** Resolves with its exit code. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

/**
 * Starts a file of `recipes`.
 *
 * @param environment beside that of the tests: what a reader of the recipe puts in
 */
export function launchRecipe([program, ...words]: Command, environment: Environment): RunningRecipe {
  const child = endedWithTests(spawn(program, words, { ...place(environment), stdio: 'pipe' }));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const exited = once(child, 'close').then(([code]) => code as number | null);
  return {
    output: () => output,
    async printed(pattern) {
      return await untilFound(
        () => pattern.exec(output) ?? undefined,
        () => child.exitCode !== null,
        () => `never printed: ${String(pattern)}\n${output}`,
      );
    },
    exited,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Starts a website of `recipes`, and waits until it answers at `url`. */
export async function startRecipe(
  command: Command,
  url: string,
  environment: Environment,
): Promise<RunningRecipe> {
  const recipe = launchRecipe(command, environment);
  let ended = false;
  const noteEnd = async (): Promise<void> => {
    await recipe.exited;
    ended = true;
  };
  void noteEnd();
  await untilFound(
    async () => await fetch(url, { redirect: 'manual' }).catch(() => undefined),
    () => ended,
    () => `no answer at ${url}:\n${recipe.output()}`,
  );
  return recipe;
}

/**
 * Runs a file of `recipes` to its end.
 *
 * @returns what it printed
 * @throws Error with its output if it does not end with 0
 */
export async function runRecipe([program, ...words]: Command, environment: Environment): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, {
    ...place(environment),
    timeout: TIMEOUT_MS,
  });
  return stdout;
}

function place(environment: Environment): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const { NODE_TEST_CONTEXT: _mark, ...inherited } = process.env;
  return { cwd: RECIPES, env: { ...inherited, ...environment } };
}

async function untilFound<Found>(
  find: () => Found | undefined | Promise<Found | undefined>,
  ended: () => boolean,
  reason: () => string,
): Promise<Found> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (Date.now() < deadline) {
    const found = await find();
    if (found !== undefined) return found;
    if (ended()) break;
    await sleep(30);
  }
  throw new Error(reason());
}
