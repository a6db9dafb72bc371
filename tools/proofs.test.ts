import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { numbersIn } from './citations.ts';
import { proofsIn, rowNumbers, withProofs, withRows } from './proofs.ts';

const CITED: readonly (readonly [text: string, numbers: readonly string[]])[] = [
  ['H-001, H-020', ['H-001', 'H-020']],
  ['H-046…H-048 and C-21 to C-23', ['H-046', 'H-047', 'H-048', 'C-21', 'C-22', 'C-23']],
  ['(decision 4)', ['decision 4']],
  ['Decisions 5 and 6', ['decision 5', 'decision 6']],
  ['decisions 11, 35, and 40', ['decision 11', 'decision 35', 'decision 40']],
  ['ADR 12, ADR 0003', ['ADR 12', 'ADR 3']],
  ['F16 and F1, L1 to L3, I5: trap S10', ['F16', 'F1', 'L1', 'L2', 'L3', 'I5', 'trap S10']],
  ['%F0%9F #F5F6 P-256 SHA-256 UTF-16 U+F8 0xF3 I18n F() L2TP', []],
  ['S-05 is a row, S256 is none', ['S-05']],
];

for (const [text, numbers] of CITED) {
  test(`"${text}" cites ${numbers.join(', ') || 'no number'}`, () => {
    assert.deepEqual(
      numbersIn(text)
        .map(({ number }) => number)
        .sort(),
      numbers.toSorted(),
    );
  });
}

const FILES = proofsIn([
  { path: 'src/a.test.ts', text: "test('H-001 and H-002 (decision 4)')" },
  { path: 'test/b.program.test.ts', text: '// H-001, H-001' },
]);

const TABLE = '| row | request | proved by |\n| --- | --- | --- |\n';

test('withProofs gives each row its anchor and the files that cite it', () => {
  const text = `${TABLE}| H-001 | a | |\n| H-003 | b | stale |\n\n| H-002 | no table of proofs | |`;
  const filled = withProofs('docs/contract/hostile/x.md', text, FILES);
  assert.equal(
    filled,
    `${TABLE}| <a id="h-001"></a>H-001 | a | [a](../../../src/a.test.ts), [b](../../../test/b.program.test.ts) |
| <a id="h-003"></a>H-003 | b | no test cites it |

| H-002 | no table of proofs | |`,
  );
  assert.equal(withProofs('docs/contract/hostile/x.md', filled, FILES), filled);
});

test('withRows names the rows of each file, in order, as ranges', () => {
  const rows = ['H-002', 'H-010', 'H-001', 'S-03', 'H-003', 'S-04'].map((number) => `| ${number} | a | b |`);
  const read = (name: string): string => (name === 'x.md' ? rows.join('\n') : 'no rows');
  assert.equal(
    withRows('| [x.md](x.md) | stale | the subject |\n| [y.md](y.md) | | none |', read),
    '| [x.md](x.md) | H-001 to H-003, H-010, S-03, S-04 | the subject |\n| [y.md](y.md) | | none |',
  );
});

test('each number of docs/contract/hostile stands in one row', () => {
  const folder = join(dirname(import.meta.dirname), 'docs/contract/hostile');
  const numbers = globSync('*.md', { cwd: folder }).flatMap((name) =>
    rowNumbers(readFileSync(join(folder, name), 'utf8')),
  );
  assert.ok(numbers.length > 400, `${numbers.length} rows`);
  assert.deepEqual(
    numbers.filter((number, index) => numbers.indexOf(number) < index),
    [],
  );
});

test('docs/contract/hostile/README.md lists each file beside it once', () => {
  const folder = join(dirname(import.meta.dirname), 'docs/contract/hostile');
  const listed = readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| \[([^\]]+)\]\(\1\) \|/gmu);
  assert.deepEqual(
    [...listed].map(([, name = '']) => name).toSorted(),
    globSync('*.md', { cwd: folder })
      .filter((name) => name !== 'README.md')
      .toSorted(),
  );
});

test('withProofs fills the line below a decision, and no other line', () => {
  const text =
    '# Decisions\n\nProved by:\n\n## Decision 4\n\nProved by: stale.\n\n## Decision 5\n\nProved by:';
  assert.equal(
    withProofs('docs/contract/decisions.md', text, FILES),
    '# Decisions\n\nProved by:\n\n## Decision 4\n\nProved by: [a](../../src/a.test.ts).\n\n## Decision 5\n\nProved by: no test cites it.',
  );
});
