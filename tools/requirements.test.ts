import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { provingTests, testFiles } from './requirements/proof.ts';
import { SPECIFICATIONS } from './requirements/specifications.ts';

const namesIn = testFiles(join(import.meta.dirname, '..'));

for (const { title, requirements } of SPECIFICATIONS) {
  test(`${title}: each test that is named is one test, in the file that is named`, () => {
    const wrong = requirements.flatMap(({ section, tests }) =>
      tests
        .map((reference) => ({ ...reference, found: provingTests(namesIn, reference).length }))
        .filter(({ found }) => found !== 1)
        .map(({ file, name, found }) => `${section}: ${found} tests of ${file} begin with "${name}"`),
    );
    assert.deepEqual(wrong, []);
  });

  test(`${title}: each requirement has a test, or the reason why it has none`, () => {
    assert.ok(requirements.length > 0);
    const bare = requirements.filter(({ tests, reason = '' }) => tests.length === 0 && reason.trim() === '');
    assert.deepEqual(bare, []);
  });

  test(`${title}: no test is named twice for one requirement`, () => {
    for (const { section, words, tests } of requirements) {
      const named = tests.map(({ file, name }) => `${file} ${name}`);
      assert.equal(new Set(named).size, named.length, `${section}: ${words}`);
    }
  });
}

test('a name that no test begins with, and one that two begin with, are seen', () => {
  const three = (): readonly string[] => ['one thing', 'one other thing', 'else'];
  const found = (name: string): number => provingTests(three, { file: 'a.test.ts', name }).length;
  assert.deepEqual([found('one t'), found('one'), found('thing')], [1, 2, 0]);
  assert.deepEqual(namesIn('src/nothing.test.ts'), []);
});
