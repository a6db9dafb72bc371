import assert from 'node:assert/strict';
import { chancery, type Ended } from './command.ts';
import type { Production } from './production.ts';

type Variables = Readonly<Record<string, string>>;

/** Tries to start with these changes; an empty value takes the variable away. */
export async function attemptAt(
  { environment, folder }: Production,
  mode: 'serve' | 'dev',
  changes: Variables = {},
  words: readonly string[] = [],
): Promise<Ended> {
  const changed = Object.entries({ ...environment, ...changes }).filter(([, value]) => value !== '');
  return await chancery([mode, ...words], Object.fromEntries(changed), { folder });
}

/** One clear line for the operator: no stack, no log line around it, nothing on standard output. */
export function assertOneLine({ how, stdout, stderr }: Ended, pattern: RegExp): void {
  assert.equal(how, 1, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, pattern);
  assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
  assert.doesNotMatch(stderr, /\bat .*:\d+|ERR_|node:internal/u);
}
