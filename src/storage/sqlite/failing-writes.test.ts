import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Storage, StorageUnavailable } from '../../ports/storage.ts';
import { aClient, aToken, EVENT, LABEL, OPEN, TENANT, times } from '../../testing/storage/stored-examples.ts';
import { openSqliteStorage } from './open.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-failing-'));
after(() => rmSync(root, { recursive: true }));

/** The extended result code of a failed fsync (https://www.sqlite.org/rescode.html). */
const SQLITE_IOERR_FSYNC = 1034;

const place = (): string => join(mkdtempSync(join(root, 'p-')), 'registry.sqlite');

function lock(path: string): DatabaseSync {
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  return other;
}

/** Writes again until it works; a storage that never recovers runs into the test's own limit. */
async function recovered(storage: Storage): Promise<void> {
  const failure = await storage.ready().catch((error: unknown) => error);
  if (failure === undefined) return;
  assert.ok(failure instanceof StorageUnavailable);
  await sleep(10);
  await recovered(storage);
}

for (const writer of ['thread', 'main'] as const) {
  describe(`failing writes, writer: ${writer}`, { timeout: 60_000 }, () => {
    test('a lock that another process holds is waited for, and reads go on (F7)', async () => {
      const path = place();
      const storage = await openSqliteStorage(path, { writer, lock_wait_ms_max: 60_000 });
      const { accessTokens } = storage.forTenant(TENANT);
      const earlier = aToken();
      await accessTokens.issue(earlier);
      const other = lock(path);
      const token = aToken();
      let done = false;
      const issued = accessTokens.issue(token).finally(() => {
        done = true;
      });
      await sleep(100);
      assert.equal(done, false);
      assert.deepEqual(await accessTokens.find(earlier.key), earlier);
      assert.equal(await accessTokens.find(token.key), undefined);
      other.close();
      await issued;
      assert.deepEqual(await accessTokens.find(token.key), token);
      await storage.close();
    });

    test('a lock that is held too long makes writes fail and the storage not ready, until it is free (F7)', async () => {
      const path = place();
      const storage = await openSqliteStorage(path, { writer, lock_wait_ms_max: 50 });
      const { clients, accessTokens } = storage.forTenant(TENANT);
      const other = lock(path);
      const token = aToken();
      await assert.rejects(accessTokens.issue(token), StorageUnavailable);
      await assert.rejects(storage.ready(), /locked/);
      assert.equal(await accessTokens.find(token.key), undefined);
      other.close();
      await recovered(storage);
      assert.equal(await accessTokens.find(token.key), undefined);
      assert.equal(await clients.create(aClient(), OPEN), 'created');
      await storage.close();
    });

    test('a value that cannot be stored fails alone', async () => {
      const storage = await openSqliteStorage(place(), { writer });
      const { accessTokens } = storage.forTenant(TENANT);
      const token = aToken();
      // Refused by the column's type, and by the binding before SQLite sees it.
      const bad = ['soon', { in: 600 }] as unknown as readonly number[];
      const settled = await Promise.allSettled([
        accessTokens.issue(token),
        ...bad.map((expires_at) => accessTokens.issue(aToken(undefined, { expires_at }))),
      ]);
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected'],
      );
      assert.deepEqual(await accessTokens.find(token.key), token);
      await storage.close();
    });

    test('a database that was moved away is not ready, although it can still be written to', async () => {
      const path = place();
      const storage = await openSqliteStorage(path, { writer });
      await storage.ready();
      renameSync(path, `${path}.moved`);
      await assert.rejects(storage.ready(), /removed or replaced/);
      renameSync(`${path}.moved`, path);
      await storage.ready();
      await storage.close();
    });

    test('a full disk makes writes fail whole, reads go on, and space makes it work again (F4)', async (context) => {
      const folder = mkdtempSync(join(root, 'full-'));
      try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' });
      } catch {
        context.skip('needs the right to mount a small file system');
        return;
      }
      try {
        await fullDisk(folder, writer);
      } finally {
        execFileSync('umount', ['-l', folder]);
      }
    });
  });
}

/** Lets the next COMMIT succeed, and report the error of a failed fsync nevertheless: SQLite cannot know what the disk holds. */
function failNextCommit(): { readonly restore: () => void; next: boolean } {
  const original = Object.getOwnPropertyDescriptor(DatabaseSync.prototype, 'prepare') ?? {};
  const prepare = original.value as (this: DatabaseSync, sql: string) => StatementSync;
  const failure = {
    next: false,
    restore: (): void => void Object.defineProperty(DatabaseSync.prototype, 'prepare', original),
  };
  DatabaseSync.prototype.prepare = function prepareFailing(this: DatabaseSync, sql: string): StatementSync {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    const run = statement.run.bind(statement);
    statement.run = () => {
      const outcome = run();
      if (failure.next) {
        failure.next = false;
        throw Object.assign(new Error('disk I/O error'), { errcode: SQLITE_IOERR_FSYNC });
      }
      return outcome;
    };
    return statement;
  };
  return failure;
}

test('after a commit with an input/output error the log is emptied before the next write (F51)', async () => {
  const path = place();
  const failure = failNextCommit();
  try {
    const storage = await openSqliteStorage(path, { writer: 'main' });
    const { clients } = storage.forTenant(TENANT);
    for (const client of times(20, () => aClient())) await clients.create(client, OPEN);
    const logBytes = (): number => statSync(`${path}-wal`).size;
    const filled = logBytes();
    failure.next = true;
    await assert.rejects(clients.create(aClient(), OPEN), StorageUnavailable);
    assert.equal(await clients.create(aClient(), OPEN), 'created');
    assert.ok(logBytes() < filled / 2, `the log had ${filled} bytes, and has ${logBytes()} now`);
    await storage.close();
  } finally {
    failure.restore();
  }
});

async function fullDisk(folder: string, writer: 'thread' | 'main'): Promise<void> {
  const path = join(folder, 'registry.sqlite');
  const storage = await openSqliteStorage(path, { writer });
  const { clients, accessTokens } = storage.forTenant(TENANT);
  const initial = aToken();
  await accessTokens.issueInitial(initial, LABEL, EVENT);
  const ballast = join(folder, 'ballast');
  mkdirSync(ballast);
  writeFileSync(join(ballast, 'b'), Buffer.alloc(512 * 1024));

  const stored = [];
  let failure: unknown;
  while (failure === undefined) {
    const tokens = times(20, () => aToken(undefined, { introspection: 'x'.repeat(1000) }));
    failure = await Promise.all(tokens.map((token) => accessTokens.issue(token))).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) stored.push(...tokens);
  }
  assert.ok(failure instanceof StorageUnavailable);
  assert.match(failure.message, /full/);

  const client = aClient({ metadata: 'x'.repeat(200_000) });
  const using = { ...OPEN, initialAccessToken: initial.key };
  await assert.rejects(clients.create(client, using), StorageUnavailable);
  assert.equal(await clients.find(client.client_id), undefined);
  assert.notEqual(await accessTokens.findInitial(initial.key), undefined);
  for (const token of stored) assert.deepEqual(await accessTokens.find(token.key), token);

  rmSync(ballast, { recursive: true });
  await recovered(storage);
  assert.equal(await clients.create(client, using), 'created');
  for (const token of stored) assert.deepEqual(await accessTokens.find(token.key), token);
  await storage.close();
}
