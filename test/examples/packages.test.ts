import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { REPOSITORY } from '../journeys/launcher.ts';

const EXAMPLES = join(REPOSITORY, 'examples');
const PACKAGES = globSync('*/package.json', { cwd: EXAMPLES }).sort().map(dirname);

const read = (file: string): { readonly [member: string]: unknown } =>
  JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as { readonly [member: string]: unknown };

test('the lock file of the examples covers each example with packages of its own', () => {
  assert.deepEqual(read('package.json')['workspaces'], PACKAGES);
  assert.ok(PACKAGES.length >= 4, PACKAGES.join(' '));
});

for (const folder of PACKAGES) {
  test(`examples/${folder} names each package that it imports, in an exact version, so that it can be copied elsewhere`, () => {
    const named = read(`${folder}/package.json`)['dependencies'] as Readonly<Record<string, string>>;
    for (const version of Object.values(named)) assert.match(version, /^\d+\.\d+\.\d+$/u);
    const imported = globSync(`${folder}/*.mjs`, { cwd: EXAMPLES }).flatMap((file) =>
      [...readFileSync(join(EXAMPLES, file), 'utf8').matchAll(/from '([^'.][^']*)'/gu)].map(
        ([, name = '']) => name,
      ),
    );
    const packages = imported
      .filter((name) => !isBuiltin(name))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    assert.deepEqual([...new Set(packages)].sort(), Object.keys(named).sort());
  });
}
