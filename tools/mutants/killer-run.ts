import { spawn } from 'node:child_process';
import { ended, environment } from '../child.ts';
import type { Killer } from './mutant.ts';

/** A stuck test fails after this time, and a stuck run is killed after the next. */
const TEST_TIMEOUT_MS = 60_000;
const RUN_TIMEOUT_MS = 240_000;

const ownProcess = /^(?:src\/(?:storage|cli)|test|tools)\//u;

/** Tells whether the tests with a name failed. */
export type KillerOutcome = 'failed' | 'passed' | 'did not run';

/** Runs a killer below `root`, on the PostgreSQL at `postgresPort` if one runs. */
export async function runKiller(
  root: string,
  { file, test, engine }: Killer,
  postgresPort: number | undefined,
): Promise<KillerOutcome> {
  const isolation = ownProcess.test(file) ? 'process' : 'none';
  const parameters = [`--name=${escaped(test)}`, `--test-timeout-ms=${TEST_TIMEOUT_MS}`, file];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'tools/test-group.ts', isolation, ...parameters],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
      env: {
        ...environment(),
        ...(postgresPort === undefined ? {} : { CHANCERY_TEST_POSTGRES_PORT: String(postgresPort) }),
        ...(engine === 'postgres' ? { CHANCERY_TEST_ENGINE: 'postgres' } : {}),
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  await ended(child);
  if (output.split('\n').some((line) => line.startsWith('✖ ') && line.includes(test))) return 'failed';
  return /^[1-9]\d* passed, 0 failed/mu.test(output) ? 'passed' : 'did not run';
}

/** A test name is a pattern for the runner. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
