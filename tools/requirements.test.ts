import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Proof, proofFaults, proofsIn } from './requirements/proofs.ts';
import { decided, must } from './requirements/requirement.ts';

/** Split, so that this file's examples are not tests themselves. */
const call = 'test';

const ids = (text: string): readonly string[] =>
  proofsIn('a.test.ts', text).map(({ id, name }) => `${id}: ${name}`);

test('a test carries the ids of the comment lines directly above it', () => {
  assert.deepEqual(
    ids(`// proves rfc1-2.1-1, rfc1-2.1-2,\n// proves rfc1-b-1\n${call}('one', f);\n${call}('two', f);`),
    ['rfc1-2.1-1: one', 'rfc1-2.1-2: one', 'rfc1-b-1: one'],
  );
  assert.deepEqual(
    ids(`for (const a of b) {\n  // proves rfc1-2-1\n  ${call}(\n    \`GET \${a}: 400\`, f);\n}`),
    ['rfc1-2-1: GET …: 400'],
  );
});

test('a row of the table that makes tests carries ids too, under its first string', () => {
  assert.deepEqual(
    ids(
      "const ROWS = [\n  // proves rfc1-2-1\n  ['one', 1],\n  // proves rfc1-2-2\n  { name: 'two' },\n  // proves rfc1-2-3\n  three: ['3'],\n  // proves rfc1-2-4\n  made('four', 4),\n];",
    ),
    ['rfc1-2-1: one', 'rfc1-2-2: two', 'rfc1-2-3: 3', 'rfc1-2-4: four'],
  );
});

test('an id above no test, and a word that is no id, are refused', () => {
  assert.throws(() => ids('// proves rfc1-2-1\nconst one = 1;'), /rfc1-2-1" stands above no test/);
  assert.throws(() => ids(`// proves rfc1-2-1\n\n${call}('one', f);`), /stands above no test/);
  assert.throws(
    () => ids(`// proves that it works\n${call}('one', f);`),
    /"proves that" is no requirement's id/,
  );
});

test('a requirement without a test, an unknown id, and ids that stand twice are found', () => {
  const proof = (id: string): Proof => ({ id, file: 'a.test.ts', name: 'one' });
  const table = [must('rfc1-1-1', '§1', 'First.'), decided('rfc1-1-2', '§1', 'Second.', 'decision 1')];
  assert.deepEqual(proofFaults(table, [proof('rfc1-1-1')]), []);
  assert.deepEqual(proofFaults(table, []), ['no test carries "// proves rfc1-1-1" (First.)']);
  assert.deepEqual(proofFaults([...table, ...table], [proof('rfc1-1-1')]), [
    'two requirements have the id rfc1-1-1',
    'two requirements have the id rfc1-1-2',
  ]);
  assert.deepEqual(proofFaults(table, [proof('rfc1-1-1'), proof('rfc1-1-3'), proof('rfc1-1-1')]), [
    'a.test.ts: no requirement has the id rfc1-1-3 ("one")',
    'a.test.ts: "one" carries rfc1-1-1 twice',
  ]);
});
