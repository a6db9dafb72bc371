import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { callbackSnapshot } from './connection.ts';

interface Counter {
  readonly reader: DatabaseSync;
  /** The number, read in the callback's snapshot. */
  readonly read: () => number;
  /** Adds one, from another connection. */
  readonly count: () => void;
}

function counter(t: TestContext): Counter {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-snapshot-'));
  const path = join(folder, 'counter.sqlite');
  const writer = new DatabaseSync(path);
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE counter (n INTEGER); INSERT INTO counter VALUES (0)');
  const reader = new DatabaseSync(path);
  t.after(() => {
    if (reader.isOpen) reader.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });
  const snapshot = callbackSnapshot(reader);
  const number = reader.prepare('SELECT n FROM counter');
  return {
    reader,
    read() {
      snapshot();
      return Number(number.get()?.['n']);
    },
    count: () => writer.exec('UPDATE counter SET n = n + 1'),
  };
}

test('what one callback reads is of one moment; what comes after it sees what was committed meanwhile', async (t) => {
  const { read, count, reader } = counter(t);
  assert.equal(read(), 0);
  count();
  assert.equal(read(), 0);
  await Promise.resolve();
  assert.deepEqual([reader.isTransaction, read()], [false, 1]);
  await nextTurn();
  count();
  assert.equal(read(), 2);
});

test('code that awaited a write of a callback sees that write', async (t) => {
  const { read, count } = counter(t);
  read();
  const written = Promise.resolve().then(count);
  read();
  await written;
  assert.equal(read(), 1);
});

test('a fault that ended the snapshot, and a connection that was closed, leave nothing to end', async (t) => {
  const { read, reader } = counter(t);
  read();
  reader.exec('ROLLBACK');
  await Promise.resolve();
  assert.equal(read(), 0);
  reader.close();
  await Promise.resolve();
});
