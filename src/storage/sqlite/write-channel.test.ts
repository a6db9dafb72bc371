import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Write } from '../verbs.ts';
import { filesAt } from './database-file.ts';
import { WriterThreadChannel } from './write-channel.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-thread-'));
after(() => rmSync(root, { recursive: true }));

/** A thread that dies at once until the file it is given exists, and from then on answers everything. */
const MORTAL = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { existsSync } from 'node:fs';
    import { parentPort, workerData } from 'node:worker_threads';
    if (!existsSync(workerData.path)) throw new Error('out of breath');
    parentPort.on('message', ({ id, writes }) => {
      if (writes === 'close') parentPort.close();
      else parentPort.postMessage({ id, answers: [{ value: 'alive' }] });
    });`)}`,
);

test('a writer thread that dies fails the writes it had, and the next write starts another', {
  timeout: 90_000,
}, async () => {
  const path = join(root, 'file');
  const channel = new WriterThreadChannel({ path, files: filesAt(path) }, 1000, MORTAL);
  const heartbeats: readonly Write[] = [{ name: 'database.heartbeat', values: [] }];
  for (let round = 0; round < 2; round += 1) {
    await assert.rejects(channel.send(heartbeats), (error: unknown) => {
      assert.ok(error instanceof StorageUnavailable);
      assert.match(error.message, /out of breath/);
      return true;
    });
  }
  writeFileSync(path, '');
  assert.deepEqual(await channel.send(heartbeats), [{ value: 'alive' }]);
  await channel.close();
});
