import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DOCUMENTS } from './documents.ts';

const root = join(import.meta.dirname, '..');

for (const { path, make } of DOCUMENTS) {
  test(`${path} is what its table says; npm run docs writes it anew`, () => {
    // Not assert.equal, which would print both documents.
    assert.ok(readFileSync(join(root, path), 'utf8') === make(), `${path} is stale: run npm run docs`);
  });
}

/** A page of the map stays readable in a browser. */
const PAGE_BYTES_MAX = 80_000;

test('no page of the specification map is over 80 kB', () => {
  const pages = DOCUMENTS.filter(({ path }) => path.startsWith('docs/spec-map/'));
  assert.ok(pages.length > 20, `${pages.length} pages`);
  const large = pages.filter(({ make }) => Buffer.byteLength(make()) > PAGE_BYTES_MAX);
  assert.deepEqual(
    large.map(({ path }) => path),
    [],
  );
});

function docs(...parameters: string[]) {
  const program = join(import.meta.dirname, 'docs.ts');
  return spawnSync(process.execPath, [program, ...parameters], { encoding: 'utf8' });
}

test('docs writes what is missing, and docs --check names what was changed by hand', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-docs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const missing = docs('--check', '--root', folder);
  assert.equal(missing.status, 1);
  for (const { path } of DOCUMENTS) assert.ok(missing.stderr.includes(`${path} is stale`), missing.stderr);
  assert.equal(docs('--root', folder).status, 0);
  assert.deepEqual([docs('--check', '--root', folder).status], [0]);
  writeFileSync(join(folder, 'docs/reference/configuration.md'), 'changed by hand');
  const changed = docs('--check', '--root', folder);
  assert.equal(changed.status, 1);
  assert.equal(changed.stderr.trim(), 'docs/reference/configuration.md is stale: run npm run docs');
});

test('docs/adr/README.md lists every decision', () => {
  const index = readFileSync(join(root, 'docs/adr/README.md'), 'utf8');
  const decisions = readdirSync(join(root, 'docs/adr')).filter((name) => /^\d{4}-.*\.md$/u.test(name));
  assert.ok(decisions.length > 0);
  assert.deepEqual(
    decisions.filter((name) => !index.includes(`](${name})`)),
    [],
  );
});

test('docs/operate/incidents.md names only log lines that the program writes', () => {
  const page = readFileSync(join(root, 'docs/operate/incidents.md'), 'utf8');
  const table = page.slice(page.indexOf('| log line |'), page.indexOf('## Abuse'));
  const lines = [...table.matchAll(/^\| `([^`]+)` \|/gmu)].map(([, line = '']) => line);
  assert.ok(lines.length > 0);
  const program = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
  const sources = program.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  assert.deepEqual(
    lines.filter((line) => !sources.includes(line)),
    [],
  );
});
