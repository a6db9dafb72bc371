import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { CLIENTS } from '../test/clients/catalogue.ts';
import { ROOT } from './child.ts';
import { ownFiles } from './own-files.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const journeys = ownFiles(ROOT, 'test/clients/**/*.test.ts').map(read).join('\n');
const recipes = ownFiles(ROOT, 'test/clients/recipes/*');

test('each recipe is in the catalogue of client software, and a journey runs it', () => {
  assert.ok(recipes.length >= 25, `${recipes.length} recipes`);
  assert.deepEqual(
    recipes.map((path) => basename(path)).toSorted(),
    CLIENTS.flatMap((client) => client.recipes).toSorted(),
  );
  const names = recipes.map((path) => basename(path));
  const run = (name: string): boolean =>
    journeys.includes(`'${name}'`) || journeys.includes(`'${name.replace(/\.html$/, '')}'`);
  assert.deepEqual(
    names.filter((name) => !run(name)),
    [],
  );
});

test('each package of test/clients is used there', () => {
  const { dependencies } = JSON.parse(read('test/clients/package.json')) as { dependencies: object };
  const texts = ownFiles(ROOT, 'test/clients/**/*.{ts,mjs,html}').map(read).join('\n');
  const unused = Object.keys(dependencies).filter((name) => !texts.includes(`'${name}'`));
  assert.deepEqual(unused, []);
});
