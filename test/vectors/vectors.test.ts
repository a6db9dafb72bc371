import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const FOLDER = import.meta.dirname;
const ROW = /^\| \[([^\]]+)\]\(([^)]+)\) \| `([0-9a-f]{64})` \|$/gm;

const listed = [...readFileSync(join(FOLDER, 'README.md'), 'utf8').matchAll(ROW)].map(
  ([, name = '', path = '', digest = '']) => ({ name, path, digest }),
);

test('test/vectors/README.md lists each vector file once', () => {
  const files = globSync('**/*.json', { cwd: FOLDER }).sort();
  assert.ok(files.length >= 28, `${files.length} files`);
  assert.deepEqual(listed.map(({ path }) => path).sort(), files);
  assert.deepEqual(
    listed.map(({ name }) => name),
    listed.map(({ path }) => path),
  );
});

test('each vector file has the SHA-256 digest that test/vectors/README.md states', () => {
  const actual = listed.map(({ path }) =>
    createHash('sha256')
      .update(readFileSync(join(FOLDER, path)))
      .digest('hex'),
  );
  assert.deepEqual(
    actual,
    listed.map(({ digest }) => digest),
  );
});
