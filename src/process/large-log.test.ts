import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogReader } from '../ports/storage.ts';
import { warnOfLargeLog } from './large-log.ts';

function warned(log: number, readers: readonly LogReader[]): readonly (readonly [unknown, string])[] {
  const lines: (readonly [unknown, string])[] = [];
  const file = { size: () => ({ file: 1, free: 0, log }), logReaders: () => readers };
  warnOfLargeLog(file, { warn: (members, words) => void lines.push([members, words]) });
  return lines;
}

const READER = { pid: 4711, command: 'sqlite3' };
const LARGE = 64 * 1024 * 1024 + 1;

test('a log of more than 64 MiB is told with the processes that read the database', () => {
  const [[members, words] = [], ...more] = warned(LARGE, [READER]);
  assert.deepEqual(members, { bytes: LARGE, readers: [READER] });
  assert.match(String(words), /a process that reads the database for long/u);
  assert.deepEqual(more, []);
});

test('a log of 64 MiB is not told, and one without readers blames none', () => {
  assert.deepEqual(warned(LARGE - 1, [READER]), []);
  assert.match(String(warned(LARGE, [])[0]?.[1]), /faster than it is emptied/u);
});
