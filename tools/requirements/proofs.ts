import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownFiles } from '../own-files.ts';
import { namedTests } from '../test-names.ts';
import type { Requirement } from './requirement.ts';

/** A test that carries a requirement's id. */
export interface Proof {
  readonly id: string;
  /** Below the repository's root. */
  readonly file: string;
  /** The test's name, or the first string of the row that makes the test. */
  readonly name: string;
}

/** Where tests are, and the files whose functions make tests. */
const TESTS = ['src/**/*.test.ts', 'src/testing/**/*.ts', 'test/**/*.ts'];

const ID = /^[a-z][a-z0-9.-]*-[a-z0-9.]+-\d+$/;
/** One line of comment, or several. */
const COMMENT = /^([ \t]*\/\/ proves .*\n)+/gm;
const ROW =
  /^[ \t]*(?:\w+: |\w+\(\s*)?[[{]?\s*(?:\w+: )?(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`([^`]*)`)/;

/** Returns the proofs of all test files below `root`, file by file. */
export function readProofs(root: string): readonly Proof[] {
  const files = ownFiles(root, ...TESTS);
  return files.flatMap((file) => proofsIn(file, readFileSync(join(root, file), 'utf8')));
}

/** Returns the ids that a file's tests carry. Throws for a comment that has no id, or stands above no test. */
export function proofsIn(file: string, text: string): readonly Proof[] {
  const tests = namedTests(text);
  return [...text.matchAll(COMMENT)].flatMap(({ 0: comment, index }) => {
    const start = index + comment.length;
    const end = text.indexOf('\n', start);
    const call = tests.find(({ offset }) => offset >= start && offset < end);
    const name = call?.name ?? ROW.exec(text.slice(start))?.slice(1).find(Boolean);
    const ids = comment
      .replaceAll(/^[ \t]*\/\/ proves /gm, '')
      .split(/[,\s]+/)
      .filter(Boolean);
    for (const id of ids) if (!ID.test(id)) throw new Error(`${file}: "proves ${id}" is no requirement's id`);
    if (name === undefined) throw new Error(`${file}: "proves ${ids.join(', ')}" stands above no test`);
    return ids.map((id) => ({ id, file, name }));
  });
}

/** Returns what is wrong between the tables and the tests, one sentence each. */
export function proofFaults(
  requirements: readonly Requirement[],
  proofs: readonly Proof[],
): readonly string[] {
  const known = new Set(requirements.map(({ id }) => id));
  const proven = new Set(proofs.map(({ id }) => id));
  return [
    ...repeated(requirements.map(({ id }) => id)).map((id) => `two requirements have the id ${id}`),
    ...requirements
      .filter(({ id, reason = '' }) => !proven.has(id) && reason.trim() === '')
      .map(({ id, words }) => `no test carries "// proves ${id}" (${words})`),
    ...proofs
      .filter(({ id }) => !known.has(id))
      .map(({ id, file, name }) => `${file}: no requirement has the id ${id} ("${name}")`),
    ...repeated(proofs.map(({ id, file, name }) => `${file}: "${name}" carries ${id}`)).map(
      (twice) => `${twice} twice`,
    ),
  ];
}

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
