import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEndpointFolders } from '../contracts.ts';
import { codeFaults, indexProgram } from '../requirements/code.ts';
import { proofFaults, readProofs } from '../requirements/proofs.ts';
import { SPECIFICATIONS } from '../requirements/specifications.ts';
import { misspelledCitations } from '../sections.ts';
import { idPrefix } from '../specifications.ts';
import { ANSWERS_AT_ONCE } from './answers-at-once.ts';
import { lacking } from './endpoint-folders.ts';
import { FLOOR_LAWS, FLOORS } from './floors.ts';
import { FORM_LAWS } from './form.ts';
import { programOf, readSources, sourceOf } from './source.ts';

const root = join(import.meta.dirname, '../..');
/** Every text that cites specifications. The tests of the spelling cite wrongly on purpose. */
const CITING = ['{src,test,bench,examples,tools}/**/*.ts', 'docs/**/*.md', '*.md'];
const CITING_WRONGLY = ['tools/sections.ts', 'tools/sections.test.ts'];

const all = readSources('src/**/*.ts');
const program = programOf(all, 'src/cli/chancery.ts');
const endpointFolders = await readEndpointFolders();

test('the laws saw the files: a check over nothing would pass', () => {
  assert.ok(all.length >= 200, `${all.length} files under src`);
  assert.ok(program.length >= 120, `${program.length} of them run`);
  assert.ok(endpointFolders.length >= 12, `${endpointFolders.length} endpoints`);
  const paths = program.map(({ path }) => path);
  for (const path of ['src/process/serve.ts', 'src/spec/scope.ts', 'src/storage/sqlite/writer-thread.ts']) {
    assert.ok(paths.includes(path), `${path} was not reached`);
  }
  assert.ok(!paths.some((path) => path.endsWith('.test.ts')), 'tests are no part of the program');
  for (const { path, imports } of program) {
    for (const to of imports) if (to.startsWith('src/')) assert.ok(paths.includes(to), `${path}: no ${to}`);
  }
});

test('every folder of the program is a floor', () => {
  const folders = new Set(program.flatMap(({ path }) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []));
  assert.deepEqual([...folders].filter((folder) => !FLOORS.has(folder)).sort(), []);
});

for (const { name, over, violations, broken, kept } of [...FLOOR_LAWS, ...FORM_LAWS, ANSWERS_AT_ONCE]) {
  test(`${name} (architecture.md)`, () => {
    const found = (over === 'all' ? all : program).flatMap((source) =>
      violations(source).map((violation) => `${source.path} ${violation}`),
    );
    assert.deepEqual(found, []);
  });

  test(`${name}: made-up files that break this are found, similar ones are not`, () => {
    assert.ok(broken.length > 0 && kept.length > 0);
    for (const [path, text] of broken) {
      assert.notDeepEqual(violations(sourceOf(path, text)), [], `${path}: ${text}`);
    }
    for (const [path, text] of kept)
      assert.deepEqual(violations(sourceOf(path, text)), [], `${path}: ${text}`);
  });
}

for (const folder of endpointFolders) {
  test(`endpoints/${folder.name} has a contract, a story, and a test file for each status it promises`, () => {
    assert.deepEqual(lacking(folder), []);
  });
}

test('a made-up endpoint without story, test and specification is found', () => {
  const promised = { method: 'GET', path: '/a', errors: 'json', cors: 'any', body: 'none' } as const;
  const contract = { ...promised, name: 'a', specifications: [], statuses: [200, 500] };
  const files = ['contract.ts', '200.test.ts'];
  assert.deepEqual(lacking({ name: 'a', files, contracts: [contract] }), [
    'a has no endpoint.ts',
    'a has no 500.test.ts',
    'a names no specification',
  ]);
  assert.deepEqual(lacking({ name: 'b', files: ['contract.ts', 'endpoint.ts'], contracts: [] }), [
    'b has no contract',
  ]);
});

const requirements = SPECIFICATIONS.flatMap((specification) => specification.requirements);

test('every requirement is carried by a test or has a reason, and every id that a test carries is known', () => {
  const proofs = readProofs(root);
  assert.ok(requirements.length >= 400, `${requirements.length} requirements`);
  assert.ok(proofs.length >= 800, `${proofs.length} proofs`);
  assert.deepEqual(proofFaults(requirements, proofs), []);
});

test('the code that a requirement names is one place of the program', () => {
  assert.deepEqual(codeFaults(SPECIFICATIONS, indexProgram(program)), []);
});

test('the id of a requirement begins with its specification', () => {
  const strays = SPECIFICATIONS.flatMap(({ name, requirements: rows }) =>
    rows.filter(({ id }) => !id.startsWith(`${idPrefix(name)}-`)).map(({ id }) => `${id} is in ${name}`),
  );
  assert.deepEqual(strays, []);
});

test('a citation uses the one spelling of its specification (tools/specifications.ts)', () => {
  const files = CITING.flatMap((pattern) => globSync(pattern, { cwd: root, exclude: CITING_WRONGLY }));
  assert.ok(files.length > 1000, `${files.length} files`);
  const found = files.flatMap((file) =>
    misspelledCitations(readFileSync(join(root, file), 'utf8')).map((words) => `${file}: ${words}`),
  );
  assert.deepEqual(found, []);
});
