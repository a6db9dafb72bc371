import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SETTINGS } from '../src/config/settings.ts';
import { ERROR_CODES } from '../src/spec/errors.ts';
import { REFUSAL_REASONS } from '../src/spec/refusal-reasons.ts';
import { CODE_REASONS } from '../src/spec/refusals/codes.ts';
import type { ReasonWords } from '../src/spec/refusals/reason.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const ROWS: readonly (readonly [name: string, words: ReasonWords])[] = Object.values(REFUSAL_REASONS).flatMap(
  (reasons) => Object.entries<ReasonWords>(reasons),
);

const PROGRAM = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/spec/refusals/'))
  .map(read)
  .join('\n');

test('the page of reasons has each error code, and what counts instead of one, as a reason (decision 46)', () => {
  const codes = [...Object.keys(ERROR_CODES), 'not_found', 'too_many_requests'];
  assert.deepEqual(Object.keys(CODE_REASONS).sort(), codes.sort());
});

test('the page of reasons has each reason once, and settings that exist (decision 46)', () => {
  const names = ROWS.map(([name]) => name);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
  for (const [name, { settings }] of ROWS)
    for (const path of settings) assert.ok(Object.hasOwn(SETTINGS, path), `${name}: ${path}`);
});

test('the page of reasons has no reason that the program does not log (decision 46)', () => {
  const isLogged = (name: string): boolean => PROGRAM.includes(`'${name}'`) || name.startsWith('jwt-');
  const idle = ROWS.map(([name]) => name).filter(
    (name) => !Object.hasOwn(CODE_REASONS, name) && !isLogged(name),
  );
  assert.deepEqual(idle, []);
});

test('the page of reasons shows each reason (decision 46)', () => {
  const page = read('docs/reference/refusals.md');
  const missing = ROWS.map(([name]) => name).filter((name) => !page.includes(`<a id="${name}"></a>`));
  assert.deepEqual(missing, []);
});
