import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { type Storage, StorageUnavailable } from '../../ports/storage.ts';
import { aClient, aToken, OPEN, TENANT, times } from '../../testing/storage/stored-examples.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSqliteStorage } from './open.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-opening-'));
after(() => rmSync(root, { recursive: true }));

const place = (): string => join(mkdtempSync(join(root, 'p-')), 'registry.sqlite');
const open = (path: string): Promise<Storage> => openSqliteStorage(path, { writer: 'main' });

/** A cleanly closed database with some rows. */
async function made(): Promise<string> {
  const path = place();
  const storage = await open(path);
  const { clients, accessTokens } = storage.forTenant(TENANT);
  await Promise.all(times(200, () => clients.create(aClient(), OPEN)));
  await Promise.all(times(200, () => accessTokens.issue(aToken())));
  await storage.close();
  return path;
}

/** Refused with one line that names the path, and whatever stands at the path is left as it was. */
async function refused(path: string, reason: RegExp): Promise<void> {
  await assert.rejects(open(path), (error: unknown) => {
    assert.ok(error instanceof StorageUnavailable, String(error));
    assert.match(error.message, reason);
    assert.ok(error.message.includes(path));
    assert.ok(!error.message.includes('\n'));
    return true;
  });
}

async function refusedAndUntouched(path: string, reason: RegExp): Promise<void> {
  const before = readFileSync(path);
  await refused(path, reason);
  assert.ok(readFileSync(path).equals(before));
}

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

test('a folder that cannot be made because the one above takes none is refused, and not asked for without end', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, async () => {
  const path = '/proc/chancery/registry.sqlite';
  await assert.rejects(openSqliteStorage(path), (error: Error) => {
    assert.equal(error.name, 'StorageUnavailable');
    assert.ok(error.message.includes(path), error.message);
    return true;
  });
});

test('a missing folder is made for its owner only, and so is the database', async () => {
  const folder = join(root, 'a', 'b');
  const path = join(folder, 'registry.sqlite');
  const storage = await open(path);
  await storage.ready();
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(`${path}${suffix}`).mode & 0o777, 0o600);
  await storage.close();
});

test('a path with characters that mean something in a URL is a path', async () => {
  const path = join(root, 'a?mode=memory#b%20c.sqlite');
  const storage = await open(path);
  await storage.ready();
  await storage.close();
  assert.ok(statSync(path).isFile());
});

test('a directory is refused', () => refused(root, /is a directory/));

test('a path below a file is refused', async () => {
  await refused(join(await made(), 'registry.sqlite'), /cannot open/);
});

test('an empty file is refused, not taken for a new database', async () => {
  const path = place();
  writeFileSync(path, '');
  await refusedAndUntouched(path, /no SQLite header/);
});

test('a file of something else is refused', async () => {
  const path = place();
  writeFileSync(path, 'client_id,client_secret\n'.repeat(1000));
  await refusedAndUntouched(path, /no SQLite header/);
});

test('a database of another program is refused', async () => {
  const path = place();
  change(path, 'CREATE TABLE client (id)');
  await refusedAndUntouched(path, /belongs to another program/);
});

test('a database that was cut short is refused', async () => {
  const path = await made();
  truncateSync(path, statSync(path).size - 4096);
  await refusedAndUntouched(path, /damaged \(it is cut short\)/);
});

test('a database with an overwritten page is refused, whichever page it is', async () => {
  const path = await made();
  const intact = readFileSync(path);
  const pages = intact.length / 4096;
  assert.ok(pages > 20);
  for (let page = 0; page < pages; page += 1) {
    writeFileSync(path, Buffer.from(intact).fill(0x5a, page * 4096, (page + 1) * 4096));
    await refusedAndUntouched(path, /damaged|cannot open|no SQLite header/);
  }
});

test('a write-ahead log whose database is missing is not given a new database', async () => {
  const path = place();
  writeFileSync(`${path}-wal`, 'x');
  await refused(path, /is missing, but its write-ahead log/);
  assert.equal(statSync(path, { throwIfNoEntry: false }), undefined);
});

test('a log that was removed after a crash is missed, and its index alone is no reason to rebuild anything (F8)', async () => {
  const path = await made();
  writeFileSync(`${path}-shm`, '');
  await refusedAndUntouched(path, /was not closed, and its write-ahead log .*-wal is missing/);
  rmSync(`${path}-shm`);
  await (await open(path)).close();
});

for (const suffixes of [['-wal'], ['-shm'], ['-wal', '-shm']]) {
  test(`${suffixes.join(' and ')} of a database in use removed: writes stop, and what was acknowledged is there after closing (F8, F40)`, async () => {
    const path = await made();
    const storage = await open(path);
    const { clients } = storage.forTenant(TENANT);
    await storage.ready();
    const [before, behind] = [aClient(), aClient()];
    await clients.create(before, OPEN);
    for (const suffix of suffixes) rmSync(`${path}${suffix}`);
    const reason = /the log of the database .* was removed or replaced/;
    await assert.rejects(storage.ready(), reason);
    await assert.rejects(clients.create(behind, OPEN), (error: unknown) => {
      assert.ok(error instanceof StorageUnavailable && error.writesStopped);
      assert.match(error.message, reason);
      return true;
    });
    assert.deepEqual(await clients.find(before.client_id), before);
    await storage.close();
    const again = await open(path);
    assert.deepEqual(await again.forTenant(TENANT).clients.find(before.client_id), before);
    assert.equal(await again.forTenant(TENANT).clients.find(behind.client_id), undefined);
    await again.ready();
    await again.close();
  });
}

test('a database in use is moved or replaced: writes stop, and go on when it is back (F40)', async () => {
  const path = await made();
  const storage = await open(path);
  const { clients } = storage.forTenant(TENANT);
  const stopped = async (): Promise<void> => {
    const reason = /was moved, removed or replaced while it was in use/;
    await assert.rejects(storage.ready(), reason);
    await assert.rejects(clients.create(aClient(), OPEN), reason);
  };
  renameSync(path, `${path}.moved`);
  await stopped();
  copyFileSync(`${path}.moved`, path);
  await stopped();
  renameSync(`${path}.moved`, path);
  await storage.ready();
  const client = aClient();
  await clients.create(client, OPEN);
  await storage.close();
  const again = await open(path);
  assert.deepEqual(await again.forTenant(TENANT).clients.find(client.client_id), client);
  await again.close();
});

test('a database that a newer program has migrated is refused', async () => {
  const path = await made();
  change(path, "INSERT INTO schema_migration VALUES (99, 'from the future', 0)");
  const known = MIGRATIONS.length;
  await refusedAndUntouched(
    path,
    new RegExp(`schema version 99, .*; this one knows versions up to ${known}: start the newer program`),
  );
});

test('a database that a newer program has migrated is used where the migration says that it suits (ADR 24)', async () => {
  const path = await made();
  const known = MIGRATIONS.length;
  change(path, `INSERT INTO schema_migration VALUES (${known + 1}, 'from the future', 0)`);
  change(path, `INSERT INTO schema_compatibility VALUES (${known + 1}, ${known})`);
  const storage = await openSqliteStorage(path, { migrate: false });
  await storage.ready();
  await storage.close();
  change(path, `UPDATE schema_compatibility SET compatible_from = ${known + 1} WHERE version = ${known + 1}`);
  await refusedAndUntouched(path, /start the newer program/);
});

test('six processes that start at once on nothing all open one and the same database', async () => {
  const path = place();
  const program = `
import { openSqliteStorage } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)};
    import { aServerKey, TENANT } from ${JSON.stringify(new URL('../../testing/storage/stored-examples.ts', import.meta.url).href)};
    const storage = await openSqliteStorage(${JSON.stringify(path)});
    const [key] = await storage.forTenant(TENANT).serverKeys.addFirst([aServerKey()]);
    await storage.close();
    process.stdout.write(key.kid);`;
  const run = promisify(execFile);
  const answers = await Promise.all(
    times(6, () => run(process.execPath, ['--input-type=module', '--eval', program])),
  );
  const kids = new Set(answers.map(({ stdout }) => stdout));
  assert.equal(kids.size, 1, [...kids].join());
  assert.equal([...kids][0]?.length, 24);
});

test('a cleanly closed database leaves no log behind', async () => {
  const path = await made();
  for (const suffix of ['-wal', '-shm']) {
    assert.equal(statSync(`${path}${suffix}`, { throwIfNoEntry: false }), undefined);
  }
});
