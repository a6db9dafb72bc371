import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runFile } from './child.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-group-'));
after(() => rmSync(folder, { recursive: true }));

const HEAD = "import { before, describe, it, test } from 'node:test';\n";
const FILES = {
  'passes.test.ts': `${HEAD}test('one', () => {}); test('two', async (t) => { await t.test('three', () => {}); });`,
  'empty.test.ts': 'export {};',
  'lingers.test.ts': `${HEAD}setInterval(() => {}, 1000); test('leaves a timer', () => {});`,
  'stops.test.ts': `${HEAD}test('one', () => {}); await Promise.reject(new Error('late')); test('two', () => {});`,
  'throws.test.ts': "throw new Error('while loading');",
  'mixed.test.ts': `${HEAD}
    test('passes', () => {});
    test('parent', async (t) => {
      await t.test('child passes', () => {});
      await t.test('child fails', () => { throw new Error('the reason of the child'); });
    });
    test('plan', async (t) => { t.plan(2); await t.test('child', () => {}); });
    describe('suite', () => {
      it('is in a suite', () => {});
      it('is skipped', { skip: true }, () => {});
      it('is still to do', { todo: true }, () => { throw new Error('not yet'); });
    });
    describe('hook', () => { before(() => { throw new Error('of the hook'); }); it('is not reached', () => {}); });`,
};
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);

const EXPECTED = [
  { files: ['passes.test.ts'], last: '2 passed, 0 failed, 0 skipped', how: 0 },
  { files: ['empty.test.ts'], last: '0 passed, 0 failed, 0 skipped', how: 1 },
  { files: ['throws.test.ts'], last: '0 passed, 1 failed, 0 skipped', how: 1 },
  // Failed: the child, the plan, the hook, and the test that the hook kept from running.
  { files: ['mixed.test.ts'], last: '4 passed, 4 failed, 2 skipped', how: 1 },
  { files: ['passes.test.ts', 'mixed.test.ts'], last: '6 passed, 4 failed, 2 skipped', how: 1 },
];

for (const isolation of ['none', 'process']) {
  test(`isolation ${isolation}, a file that never ends: a failure, not a wait`, async () => {
    const ended = await runFile(
      'tools/test-group.ts',
      isolation,
      '--test-timeout-ms=2000',
      join(folder, 'lingers.test.ts'),
    );
    assert.match(ended.output, /the tests are done but do not end/);
    assert.match(ended.output, /1 passed, [12] failed, 0 skipped/);
    assert.equal(ended.how, 1);
  });

  test(`isolation ${isolation}, a file that stops loading after its first test: a failure`, async () => {
    const ended = await runFile('tools/test-group.ts', isolation, join(folder, 'stops.test.ts'));
    assert.match(ended.output, /✖ .*stops\.test\.ts/);
    assert.match(ended.output, /1 passed, 1 failed, 0 skipped/);
    assert.equal(ended.how, 1);
  });

  for (const { files, last, how } of EXPECTED) {
    test(`isolation ${isolation}, ${files.join(' and ')}: ${last}`, async () => {
      const paths = files.map((file) => join(folder, file));
      const ended = await runFile('tools/test-group.ts', isolation, ...paths);
      assert.equal(ended.output.trimEnd().split('\n').at(-1), last);
      assert.equal(ended.how, how);
      if (files.includes('mixed.test.ts'))
        assert.match(ended.output, /✖ child fails\n[^✖]*the reason of the child/);
    });
  }
}
