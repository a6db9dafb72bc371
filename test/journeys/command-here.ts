import assert from 'node:assert/strict';
import { dispatch } from '../../src/cli/dispatch.ts';
import { jsonLines, type Members } from './registry-commands.ts';

/** The end of a command that ran in this process. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command: on a database, or over HTTP. */
export type Run = (...words: readonly string[]) => Promise<Outcome>;

/** Runs a command in this process, which takes a hundredth of the time of a new one. */
export async function commandHere(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await dispatch(words, {
    environment,
    print: (line) => void out.push(line),
    complain: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Returns the JSON objects of a command that succeeds and complains about nothing. */
export async function jsonOf(ask: Run, ...words: readonly string[]): Promise<readonly Members[]> {
  const { code, out, err } = await ask(...words, '--json');
  assert.deepEqual([code, err], [0, ''], words.join(' '));
  return jsonLines(out);
}
