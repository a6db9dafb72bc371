import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printFields, table, timeText } from './table.ts';

function printed(act: (print: (line: string) => void) => void): readonly string[] {
  const lines: string[] = [];
  act((line) => lines.push(line));
  return lines;
}

test('a table: columns as wide as the first rows need, later rows below each other, no spaces at the end', () => {
  const lines = printed((print) => {
    const rows = table(print, ['ID', 'NAME']);
    rows.print([
      ['a', 'one'],
      ['bcd', ''],
    ]);
    rows.print([['longer than before', 'two']]);
  });
  assert.deepEqual(lines, ['ID   NAME', 'a    one', 'bcd', 'longer than before  two']);
});

test('a table without rows is its heads; one long cell does not push the other columns away', () => {
  assert.deepEqual(
    printed((print) => table(print, ['ID', 'NAME']).print([])),
    ['ID  NAME'],
  );
  const [heads = ''] = printed((print) => table(print, ['ID', 'NAME']).print([['x'.repeat(200), 'y']]));
  assert.equal(heads.indexOf('NAME'), 50);
});

test('what anyone may have registered cannot steer the terminal or turn the text around', () => {
  const lines = printed((print) => printFields(print, [['name', 'a\u001b[2Jb\nc\u202ed\u009b']]));
  assert.deepEqual(lines, ['name  a\\u{1b}[2Jb\\u{a}c\\u{202e}d\\u{9b}']);
});

test('times are in UTC to the second; never and not yet have words of their own', () => {
  assert.equal(timeText(1_800_000_000, '-'), '2027-01-15T08:00:00Z');
  assert.equal(timeText(0, 'never'), 'never');
  assert.equal(timeText(null, '-'), '-');
});
