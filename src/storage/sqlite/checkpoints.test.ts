import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { aToken, TENANT } from '../../testing/storage/stored-examples.ts';
import type { Write } from '../verbs.ts';
import { CheckpointWorker, type CheckpointWorkerOptions } from './checkpoint-worker.ts';
import { filesAt } from './database-file.ts';
import { LogKeeper } from './log-keeper.ts';
import { openSqliteStorage } from './open.ts';
import { BatchExecutor } from './write-batch.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-checkpoints-'));
after(() => rmSync(root, { recursive: true }));

const PAGES = 100;
/** A log of 126 pages may grow to 652 before writes wait for it, and a commit of this test has 26. */
const LOG_PAGES_MAX = 8 * PAGES;
const PAGE_BYTES = 4120;
const COMMITS = 100;
const WRITES = 16;
const MEBIBYTE = 1_048_576;
const SQLITE_IOERR_FSYNC = 1034;

const script = (onRequest: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { existsSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      import { threadId, workerData } from 'node:worker_threads';
      const { place, port } = workerData;
      port.on('message', async (request) => {
        if (request === 'close') return port.close();
        ${onRequest}
      });`)}`,
  );

/** Writes of 26 pages, each in a commit of its own, that ask for the log each time. */
async function opened(options: CheckpointWorkerOptions = {}) {
  const path = join(mkdtempSync(join(root, 'p-')), 'registry.sqlite');
  const storage = await openSqliteStorage(path);
  const place = { path, files: filesAt(path) };
  const thread = new CheckpointWorker(place, options);
  let now_ms = 0;
  // No step waits for the time.
  const keeper = new LogKeeper({ thread, now_ms: () => (now_ms += 1000), pages: PAGES });
  const executor = new BatchExecutor(place, 1000, keeper);
  return {
    path,
    executor,
    logFile: `${path}-wal`,
    logPages: () => statSync(`${path}-wal`).size / PAGE_BYTES,
    write: async (): Promise<void> => {
      const token = aToken(undefined, { introspection: 'x'.repeat(100_000) });
      const write: Write = { name: 'accessTokens.issue', values: [TENANT, token] };
      await executor.execute([write], Number.POSITIVE_INFINITY);
      await executor.keepLog(WRITES);
    },
    close: () => storage.close(),
  };
}

function tokensIn(path: string): unknown {
  const database = new DatabaseSync(path);
  try {
    assert.deepEqual({ ...database.prepare('PRAGMA quick_check').get() }, { quick_check: 'ok' });
    return database.prepare('SELECT count(*) AS count FROM access_token').get()?.['count'];
  } finally {
    database.close();
  }
}

test('under writes without a pause the log of the SQLite file stays short, and a stop amid a checkpoint loses nothing', async () => {
  const { path, executor, logPages, write, close } = await opened();
  for (let count = 0; count < COMMITS; count += 1) await write();
  assert.ok(logPages() < LOG_PAGES_MAX, `${logPages()} pages`);
  await executor.close();
  await close();
  assert.equal(existsSync(`${path}-wal`), false, 'every connection was closed');
  assert.equal(tokensIn(path), COMMITS);
});

test('when the log restarts after a backup, its file is cut by 32 MiB and not at once', async () => {
  const { executor, logFile, write, close } = await opened();
  await write();
  const long = 200 * MEBIBYTE;
  truncateSync(logFile, long);
  while (statSync(logFile).size === long) await write();
  assert.equal(statSync(logFile).size, long - 32 * MEBIBYTE);
  await executor.close();
  await close();
});

test('a write is answered while a checkpoint is under way', async () => {
  const never = script('await new Promise(() => {});');
  const { executor, logPages, write, close } = await opened({ script: never });
  while (logPages() < 3 * PAGES) await write();
  // The scripted thread ends at once, although it has not answered.
  await executor.close();
  await close();
});

test('if the thread of checkpoints dies each time, the writer keeps the log short', async () => {
  const mortal = script("throw new Error('out of breath');");
  const { executor, logPages, write, close } = await opened({ script: mortal });
  for (let count = 0; count < COMMITS; count += 1) await write();
  assert.ok(logPages() < LOG_PAGES_MAX, `${logPages()} pages`);
  await executor.close();
  await close();
});

test('after a checkpoint of the thread that failed with an input/output error, the log is emptied before the next write (F58)', async () => {
  const failing = script(`port.postMessage({ failure: 'disk I/O error', errcode: ${SQLITE_IOERR_FSYNC} });`);
  const { executor, logPages, write, close } = await opened({ script: failing });
  while (logPages() < PAGES) await write();
  let pages = logPages();
  // Each write before the thread has failed makes the log longer.
  for (let before = 0; pages > before; pages = logPages()) {
    before = pages;
    await write().catch((error: unknown) => assert.match(String(error), /disk I\/O error/u));
  }
  assert.ok(pages < PAGES, `${pages} pages`);
  await executor.close();
  await close();
});

test('a write that is committed when the thread reports an input/output error is not acknowledged (F58)', async () => {
  const path = join(mkdtempSync(join(root, 'p-')), 'registry.sqlite');
  const storage = await openSqliteStorage(path);
  const failure = { failure: 'disk I/O error', errcode: SQLITE_IOERR_FSYNC };
  let polls = 0;
  const thread = {
    begin: () => undefined,
    poll: () => ((polls += 1) === 2 ? failure : undefined),
    ended: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const keeper = new LogKeeper({ thread, now_ms: () => 0, pages: 1 });
  const executor = new BatchExecutor({ path, files: filesAt(path) }, 1000, keeper);
  const beat: Write = { name: 'database.heartbeat', values: [] };
  await executor.execute([beat], 0);
  // The log has more than a page, and the thread begins.
  await executor.keepLog(WRITES);
  await assert.rejects(executor.execute([beat], Number.POSITIVE_INFINITY), /disk I\/O error/u);
  await executor.execute([beat], Number.POSITIVE_INFINITY);
  await executor.close();
  await storage.close();
});

test('a thread of checkpoints without work ends, and starts again with the next checkpoint', async () => {
  const numbered = script('port.postMessage({ log: threadId, checkpointed: 0 });');
  const place = { path: root, files: filesAt(root) };
  const thread = new CheckpointWorker(place, { script: numbered, idle_ms: 1 });
  const run = async (): Promise<unknown> => {
    thread.begin();
    await thread.ended();
    return thread.poll();
  };
  const first = await run();
  while (JSON.stringify(await run()) === JSON.stringify(first)) await sleep(10);
  await thread.close();
});

test('the thread refuses other files in the place of the database', async () => {
  const { path, executor, close } = await opened();
  const thread = new CheckpointWorker({ path, files: ['0:0', '0:0', '0:0'] });
  thread.begin();
  await thread.ended();
  const outcome = thread.poll();
  assert.match(JSON.stringify(outcome), /was moved, removed or replaced/u);
  await thread.close();
  await executor.close();
  await close();
});
