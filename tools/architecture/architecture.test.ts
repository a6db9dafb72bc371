import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEndpointFolders } from '../contracts.ts';
import { ownFiles } from '../own-files.ts';
import { codeFaults, indexProgram } from '../requirements/code.ts';
import { proofFaults, readProofs } from '../requirements/proofs.ts';
import { SPECIFICATIONS } from '../requirements/specifications.ts';
import { misspelledCitations } from '../sections.ts';
import { idPrefix } from '../specifications.ts';
import { ANSWERS_AT_ONCE } from './answers-at-once.ts';
import { citationsIn, readCitable, readCiting } from './citations.ts';
import { lacking } from './endpoint-folders.ts';
import { FLOOR_LAWS, FLOORS } from './floors.ts';
import { FORM_LAWS } from './form.ts';
import { programOf, readSources, sourceOf } from './source.ts';

const root = join(import.meta.dirname, '../..');
/** Every text that cites specifications. The tests of the spelling cite wrongly on purpose. */
const CITING = ['{src,test,bench,examples,tools}/**/*.ts', 'docs/**/*.md', '*.md'];
const CITING_WRONGLY = new Set(['tools/sections.ts', 'tools/sections.test.ts']);

const all = readSources('src/**/*.ts');
const program = programOf(all, 'src/cli/chancery.ts', 'src/console/main.ts');
const endpointFolders = await readEndpointFolders();

/** Fails with the sentences alone, so that a reader sees at once what to change. */
function assertNone(found: readonly string[]): void {
  if (found.length > 0) assert.fail(`\n${found.join('\n')}`);
}

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
    for (const to of imports.filter((name) => /^src\/.*\.ts$/.test(name)))
      assert.ok(paths.includes(to), `${path}: no ${to}`);
  }
});

test('docs/architecture.md shows the floors and what each may import', () => {
  const names = (cell: string): string[] =>
    [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name).sort();
  const shown = [
    ...readFileSync(join(root, 'docs/architecture.md'), 'utf8').matchAll(/^\| (`.*`) \|(.*)\|.*\|$/gm),
  ];
  const floors = shown.flatMap(([, floor = '', seen = '']) =>
    names(floor).map((name) => [name, names(seen)]),
  );
  assert.deepEqual(
    Object.fromEntries(floors),
    Object.fromEntries([...FLOORS].map(([name, seen]) => [name, seen.toSorted()])),
  );
});

test('every folder of the program is a floor', () => {
  const folders = new Set(program.flatMap(({ path }) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []));
  assert.deepEqual([...folders].filter((folder) => !FLOORS.has(folder)).sort(), []);
});

for (const { name, over, violations, broken, kept } of [...FLOOR_LAWS, ...FORM_LAWS, ANSWERS_AT_ONCE]) {
  test(`${name} (docs/architecture.md)`, () => {
    const found = (over === 'all' ? all : program).flatMap((source) =>
      violations(source).map((violation) => `${source.path} ${violation}`),
    );
    assertNone(found);
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
  test(`endpoints/${folder.name} has a contract, a story, and a test that names each status it promises`, () => {
    assertNone(lacking(folder));
  });
}

test('a made-up endpoint without story, specification, and tests that name its statuses is found', () => {
  const promised = { method: 'GET', path: '/a', errors: 'json', cors: 'any', body: 'none' } as const;
  const contract = {
    ...promised,
    name: 'a',
    specifications: [],
    purpose: 'Tests.',
    credentials: ['none'] as const,
    answers: {},
    statuses: [200, 404, 500],
  };
  const testNames = ['GET /a: 200 with a', '401, not 404', 'a list of 404 members is refused'];
  const files = ['contract.ts', '200.test.ts'];
  assert.deepEqual(lacking({ name: 'a', folder: 'a', files, contracts: [contract], testNames }), [
    'a has no endpoint.ts',
    'a promises 404, and no name of a test states it as the outcome: "404: …", "…: 404 …", "… with 404", "… answers 404"',
    'a promises 500, and no name of a test states it as the outcome: "500: …", "…: 500 …", "… with 500", "… answers 500"',
    'a/200.test.ts is named after a status',
    'a names no specification: cite one, a section of the interface, or a document (docs/sign-in.md)',
  ]);
  const named = ['200: a', 'GET /a refuses b with 404 invalid_request (RFC 7591 §3)', 'GET /a answers 500'];
  const sound = { ...contract, specifications: ['RFC 7591 §3'] };
  const sources = ['contract.ts', 'endpoint.ts', 'a.test.ts'];
  assert.deepEqual(
    lacking({ name: 'a', folder: 'a', files: sources, contracts: [sound], testNames: named }),
    [],
  );
  assert.deepEqual(lacking({ name: 'b', folder: 'b', files: sources, contracts: [], testNames: [] }), [
    'b has no contract',
  ]);
});

const requirements = SPECIFICATIONS.flatMap((specification) => specification.requirements);

test('every requirement is carried by a test or has a reason, and every id that a test carries is known', () => {
  const proofs = readProofs(root);
  assert.ok(requirements.length >= 400, `${requirements.length} requirements`);
  assert.ok(proofs.length >= 800, `${proofs.length} proofs`);
  assertNone(proofFaults(requirements, proofs));
});

test('the code that a requirement names is one place of the program', () => {
  assertNone(codeFaults(SPECIFICATIONS, indexProgram(program)));
});

test('the id of a requirement begins with its specification', () => {
  const strays = SPECIFICATIONS.flatMap(({ name, requirements: rows }) =>
    rows.filter(({ id }) => !id.startsWith(`${idPrefix(name)}-`)).map(({ id }) => `${id} is in ${name}`),
  );
  assertNone(strays);
});

test('a citation uses the one spelling of its specification (tools/specifications.ts)', () => {
  const files = ownFiles(root, ...CITING).filter((file) => !CITING_WRONGLY.has(file));
  assert.ok(files.length > 1000, `${files.length} files`);
  const found = files.flatMap((file) =>
    misspelledCitations(readFileSync(join(root, file), 'utf8')).map((words) => `${file}: ${words}`),
  );
  assertNone(found);
});

const citable = readCitable();

test('every citation leads somewhere: numbers, paths, links, scripts and names of documents (docs/contract/README.md)', (t) => {
  const citing = readCiting();
  const citations = citing.flatMap((text) => citationsIn(text, citable));
  const count = (kind: string): number => citations.filter((citation) => citation.kind === kind).length;
  t.diagnostic(`${citations.length} citations in ${citing.length} files`);
  assert.ok(citing.length >= 1000, `${citing.length} files`);
  assert.ok(citable.numbers.size >= 380, `${citable.numbers.size} numbers`);
  for (const [kind, least] of [
    ['number', 1500],
    ['path', 150],
    ['link', 1000],
    ['script', 50],
    ['document', 50],
  ] as const)
    assert.ok(count(kind) >= least, `${count(kind)} citations by ${kind}`);
  const lost = citations
    .filter(({ leadsSomewhere }) => !leadsSomewhere)
    .map(
      ({ path, line, kind, cited }) =>
        `${path}:${line} cites the ${kind} "${cited}", which is not in the repository`,
    );
  assertNone(lost);
});

/** Each `~` is taken out first: with it, this file cites nothing. */
const LOST: readonly (readonly [path: string, text: string, cited: string])[] = [
  ['src/a.ts', '// decision 9~99', 'decision 9~99'],
  ['src/a.test.ts', "test('a rule (decisions 4 and 9~99)')", 'decision 9~99'],
  ['src/a.test.ts', "test('H-9~99 a request')", 'H-9~99'],
  ['test/a.ts', '/** C-21…C-4~9: races. */', 'C-4~9'],
  ['test/a.ts', '// F9~9 of faults', 'F9~9'],
  ['src/a.ts', '// ADR 9~99', 'ADR 9~99'],
  ['src/a.ts', '// (inter~face, Nowhere)', 'Nowhere'],
  ['src/a.ts', '// docs/adr/0999 says why', 'docs/adr/0999'],
  ['src/a.ts', '/** See src/spec/nowhere.ts. */', 'src/spec/nowhere.ts'],
  ['src/a.ts', "const section = 'docs/nowhere.md';", 'docs/nowhere.md'],
  ['src/a.ts', '// those of encryption are in nowhere.test.ts', 'nowhere.test.ts'],
  ['docs/a.md', 'The file `spec/nowhere.ts` has it.', 'spec/nowhere.ts'],
  ['CONTRIBUTING.md', '1. Add a row to `src/config/nowhere.ts`.', 'src/config/nowhere.ts'],
  ['CONTRIBUTING.md', 'Write src/endpoints/<name>/nowhere.ts', 'src/endpoints/<name>/nowhere.ts'],
  ['README.md', '[a](docs/nowhere.m~d)', 'docs/nowhere.m~d'],
  [
    'docs/operate/a.md',
    '[a](../contract/decisions.md#decision-999)',
    '../contract/decisions.md#decision-999',
  ],
  ['docs/operate/a.md', '[a](../../../outside/README.md)', '../../../outside/README.md'],
  ['README.md', 'Run `npm run nowhere`.', 'npm run nowhere'],
  ['src/a.test.ts', "test('a rule (nowhere.m~d §4)')", 'nowhere.m~d'],
  ['src/a.test.ts', "test('a rule (security ~catalogue 1.5)')", 'security ~catalogue'],
  ['src/a.test.ts', "test('a rule (issue ~6, point 4)')", 'issue ~6'],
];

for (const [path, marked, cited] of LOST) {
  test(`a citation that leads nowhere is found: ${path} with ${JSON.stringify(marked)}`, () => {
    const text = marked.replace('~', '');
    const lost = citationsIn({ path, text }, citable).filter(({ leadsSomewhere }) => !leadsSomewhere);
    assert.ok(
      lost.some((citation) => citation.cited === cited.replace('~', '')),
      JSON.stringify(lost),
    );
  });
}

test('citations that lead somewhere, and texts that only look like citations, are left alone', () => {
  for (const [path, text] of [
    ['src/a.ts', '// decision 6, H-001, C-21…C-23, F16, I5, L1 to L6, trap S2 and ADR 12 (docs/adr/0012)'],
    ['src/a.ts', '// (interface, Authentication 6; interface: POST /clients)'],
    ['src/a.ts', '// jwe.test.ts and spec/scope.ts, written contract.ts in a folder'],
    ['src/a.ts', '// src/spec/scope.ts, src/storage/sqlite/*.ts and test/hostile'],
    ['src/a.ts', "const path = 'src/nowhere.ts'; // P-256, UTF-16, %F0%9F, issue 34.8 + 20.4"],
    [
      'CONTRIBUTING.md',
      'Write src/endpoints/<name>/contract.ts, then run `npm run -s chancery` or `npm run check`.',
    ],
    ['docs/a.md', '[a](contract/decisions.md#decision-6), [b](https://example.com/docs/nowhere.md)'],
    ['docs/a.md', '[a](contract/hostile/transport.md#h-001), [b](../src/cli), SECURITY.md'],
  ] as const)
    assert.deepEqual(
      citationsIn({ path, text }, citable).filter(({ leadsSomewhere }) => !leadsSomewhere),
      [],
      text,
    );
});
