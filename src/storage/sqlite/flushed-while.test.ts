import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FLUSH_STATE, flushedWhile } from './flushed-while.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-flushed-'));
after(() => rmSync(root, { recursive: true }));

/** Only a thread that never flushes lets a test wait for so long. */
const WAIT_MS = 60_000;

function emptyFile(): string {
  const path = join(mkdtempSync(join(root, 'p-')), 'copy');
  writeFileSync(path, '');
  return path;
}

test('a large file is flushed while it is written, and again when it is complete', {
  timeout: 120_000,
}, async () => {
  const path = emptyFile();
  let seen: Int32Array | undefined;
  const meanwhile = await flushedWhile(path, (state) => {
    seen = state;
    return [1, 2].map((count) => {
      writeFileSync(path, Buffer.alloc(5_000_000), { flag: 'a' });
      // This thread is busy to the end, as with one long call of SQLite.
      Atomics.wait(state, FLUSH_STATE.flushes, count - 1, WAIT_MS);
      return state[FLUSH_STATE.flushes];
    });
  });
  assert.deepEqual(meanwhile, [1, 2]);
  assert.equal(seen?.[FLUSH_STATE.flushes], 3);
});

test('a flush that fails is an error, although the file was written', async () => {
  // The system refuses to flush a device without content.
  await assert.rejects(
    flushedWhile('/dev/null', () => 'written'),
    { code: 'EINVAL', syscall: 'fdatasync' },
  );
});

test('a failed write and a missing file are errors', async () => {
  const fail = (): never => {
    throw new Error('the write failed');
  };
  await assert.rejects(flushedWhile(emptyFile(), fail), /the write failed/);
  await assert.rejects(
    flushedWhile(join(root, 'absent'), () => 'never written'),
    { code: 'ENOENT' },
  );
});
