import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../child.ts';
import { MUTANTS } from './catalogue.ts';
import { edited, type Killer } from './mutant.ts';

const IMPORTED = /from '(\.{1,2}\/[^']+)'/gu;
/** Folders with tests and with what tests share. */
const ofTests = /^(?:src\/testing|test)\/|-suite\.ts$|-rows\.ts$|\.test\.ts$/u;

const sources = new Map<string, string>();

/** Reads a file as its tests' names appear in it: escapes and line breaks between words are removed. */
function source(file: string): string {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, file), 'utf8').replaceAll(/\\(['"`])/gu, '$1');
  sources.set(file, text);
  return text;
}

/** Whether the name stands in the test file, or in a file of tests that it imports. */
function hasTest({ file, test: name }: Killer, seen = new Set<string>()): boolean {
  if (seen.has(file) || !existsSync(join(ROOT, file))) return false;
  seen.add(file);
  if (source(file).includes(name)) return true;
  return [...source(file).matchAll(IMPORTED)]
    .map(([, path = '']) => relative(ROOT, join(ROOT, dirname(file), path)))
    .filter((path) => ofTests.test(path))
    .some((path) => hasTest({ file: path, test: name }, seen));
}

test('the catalogue has no two mutants of one name, and each mutant has an edit and a test (F55)', () => {
  assert.equal(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
  for (const { name, edits, killers, survives } of MUTANTS) {
    assert.match(name, /^[a-z0-9]+(?:-[a-z0-9]+)+$/u);
    assert.ok(edits.length > 0 && killers.length > 0, name);
    assert.notEqual(survives, '', name);
  }
});

test('every planted fault still applies to the tree: each edit stands once in its file (F55)', () => {
  const problems = MUTANTS.flatMap(({ name, edits }) => {
    const texts = new Map<string, string>();
    try {
      for (const edit of edits) {
        const text = texts.get(edit.file) ?? readFileSync(join(ROOT, edit.file), 'utf8');
        texts.set(edit.file, edited(text, edit));
      }
      return [];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
  });
  assert.deepEqual(problems, []);
});

test('every test that must fail for a planted fault is there (F55)', () => {
  const missing = MUTANTS.flatMap(({ name, killers }) =>
    killers.filter((killer) => !hasTest(killer)).map(({ file, test: test_ }) => `${name}: ${file}: ${test_}`),
  );
  assert.deepEqual(missing, []);
});

test('an edit that stands twice, or not at all, is an error and changes nothing (F55)', () => {
  const edit = { file: 'a.ts', find: 'one', replace: 'two' };
  assert.equal(edited('has one', edit), 'has two');
  assert.throws(() => edited('has one and one', edit), /a\.ts contains 2 times/u);
  assert.throws(() => edited('has none', { ...edit, find: 'three' }), /a\.ts contains 0 times/u);
});
