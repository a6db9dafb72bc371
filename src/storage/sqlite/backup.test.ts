import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { fillTables } from '../../testing/storage/dump-rows.ts';
import { aClient, anEvent, OPEN, TENANT, times } from '../../testing/storage/stored-examples.ts';
import { rowsIn } from '../backup-manifest.ts';
import { markRestored } from '../marks.ts';
import { createSqliteBackup, restoreSqliteBackup, verifySqliteBackup } from './backup.ts';
import { openSqliteStorage } from './open.ts';
import { openSqliteSchema } from './sqlite-schema.ts';
import { sqliteTables } from './table-dump.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-backup-'));
after(() => rmSync(root, { recursive: true }));

const place = (name = 'registry.sqlite'): string => join(mkdtempSync(join(root, 'p-')), name);
const create = async (path: string, out: string) =>
  await createSqliteBackup(path, out, { program: '1.2.3', now: () => 1000 });
const restore = async (file: string, path: string, moveAside = false) =>
  await restoreSqliteBackup(file, path, {
    moveAside,
    now: 2000,
    complete: async (draft) => {
      const writer = await sqliteTables(draft).writer();
      const event = anEvent({ action: 'storage.restore' });
      await markRestored(writer, { taken_at: 1000, restored_at: 2000 }, event);
      await writer.close();
    },
  });

async function filled(): Promise<string> {
  const path = place();
  await openSqliteSchema(path).up(1);
  await fillTables(sqliteTables(path), 'a');
  return path;
}

test('a backup is one file for its owner only, says what it holds, and is not written over anything', async () => {
  const [path, out] = [await filled(), place('backup.chancery')];
  const manifest = await create(path, out);
  assert.ok(rowsIn(manifest.tables) > 500);
  assert.deepEqual(
    [manifest.program, manifest.taken_at, manifest.encryption_key],
    ['1.2.3', 1000, 'sealed-a'],
  );
  assert.equal(statSync(out).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(join(out, '..')), ['backup.chancery']);
  assert.deepEqual(await verifySqliteBackup(out), { manifest, canary: 'sealed-a', digestsCompared: true });
  const before = readFileSync(out);
  await assert.rejects(create(path, out), /is there already/);
  assert.ok(readFileSync(out).equals(before));
});

test('while a server writes, a backup is taken, and holds one state of it: each client with its count and its event', async () => {
  const path = place();
  const storage = await openSqliteStorage(path, { writer: 'thread' });
  const { clients } = storage.forTenant(TENANT);
  const traffic = { over: false, acknowledged: 0 };
  const writing = (async () => {
    while (!traffic.over) {
      await Promise.all(times(20, () => clients.create(aClient(), OPEN)));
      traffic.acknowledged += 20;
    }
  })();
  for (let taken = 0; taken < 3; taken += 1) {
    for (const goal = 40 * (taken + 1); traffic.acknowledged < goal; )
      await new Promise((resolve) => setImmediate(resolve));
    const [before, out] = [traffic.acknowledged, place('b')];
    const { tables } = await create(path, out);
    assert.ok((tables['client']?.rows ?? 0) >= before, 'what was acknowledged before it began is in it');
    assert.equal(tables['client']?.rows, tables['audit_event']?.rows);
    const database = new DatabaseSync(out, { readOnly: true });
    assert.equal(
      database.prepare('SELECT clients FROM open_client_count').get()?.['clients'],
      tables['client']?.rows,
    );
    database.close();
  }
  traffic.over = true;
  await writing;
  await storage.close();
});

test('the making and the verification of a backup rest between pages of rows', async () => {
  const [path, out] = [await filled(), place('b')];
  let rests = 0;
  const rest = async (): Promise<void> => {
    rests += 1;
  };
  const { tables } = await createSqliteBackup(path, out, { program: '1.2.3', now: () => 1000, rest });
  const taken = rests;
  assert.ok(taken >= Object.keys(tables).length, `${taken} rests`);
  await verifySqliteBackup(out, rest);
  assert.ok(rests >= 2 * taken - 1, `${rests} rests`);
});

test('what was deleted before a backup is not in its file', async () => {
  const [path, out] = [place(), place('b')];
  const storage = await openSqliteStorage(path, { writer: 'main' });
  const { clients } = storage.forTenant(TENANT);
  const secret = 'the-client-that-went-away';
  const client = aClient({ metadata: JSON.stringify({ client_name: secret }) });
  await clients.create(client, OPEN);
  await clients.delete(client, anEvent());
  await storage.close();
  await create(path, out);
  assert.ok(!readFileSync(out).includes(secret));
});

test('a backup with a changed byte is refused, or the byte was of no row', async () => {
  const out = place('b');
  await create(await filled(), out);
  const intact = readFileSync(out);
  let refused = 0;
  for (let at = 4096 + 37; at < intact.length; at += 65_536 + 4096) {
    const changed = Buffer.from(intact);
    changed[at] = (changed[at] ?? 0) ^ 0x41;
    writeFileSync(out, changed);
    try {
      await verifySqliteBackup(out);
    } catch (error) {
      refused += 1;
      assert.equal((error as Error).name, 'StorageUnavailable', String(error));
    }
  }
  assert.ok(refused > 2, `${refused} refused`);
});

test('no backups: a database that servers use, a text, a backup of a newer program', async () => {
  const path = await filled();
  await assert.rejects(verifySqliteBackup(path), /not a backup/);
  const text = place('b');
  writeFileSync(text, 'x'.repeat(5000));
  await assert.rejects(verifySqliteBackup(text), /no SQLite header/);
  await assert.rejects(verifySqliteBackup(place('absent')), /no file/);
  const newer = place('b');
  await create(path, newer);
  const database = new DatabaseSync(newer);
  database.exec("INSERT INTO schema_migration VALUES (99, 'of tomorrow', 0)");
  database.close();
  await assert.rejects(verifySqliteBackup(newer), /use the newer program/);
});

test('a restored backup is the registry of then; numbers go on behind all that were given since', async () => {
  const [path, out, to] = [await filled(), place('b'), place()];
  const { tables } = await create(path, out);
  assert.deepEqual(await restore(out, to), { aside: undefined });
  assert.equal(statSync(to).mode & 0o777, 0o600);
  const storage = await openSqliteStorage(to, { writer: 'main' });
  const { journal, audit } = storage.forTenant(TENANT);
  assert.equal(await journal.head(), 1_000_000_012);
  // A process that followed the journal to any number learns that anything may have changed.
  for (const known of [5, 12, 500]) assert.notDeepEqual(await journal.since(known), []);
  const last = (await audit.page(12, 10)).at(-1);
  assert.deepEqual([last?.action, last?.sequence], ['storage.restore', 1_000_001_012]);
  await audit.append(anEvent());
  assert.equal((await audit.page(1_000_001_012, 10))[0]?.sequence, 1_000_001_013);
  await storage.close();
  const reader = await sqliteTables(to).snapshot();
  assert.deepEqual(JSON.parse((await reader.mark('restored')) ?? ''), { taken_at: 1000, restored_at: 2000 });
  assert.equal(await reader.mark('backup'), undefined);
  await reader.close();
  assert.equal(tables['client']?.rows, 48);
});

test('an existing database is kept, or moved aside on request, and never while a process has it open', async () => {
  const [path, out] = [await filled(), place('b')];
  await create(path, out);
  await assert.rejects(restore(out, path), /there is a database at .*--move-aside/);
  const server = await openSqliteStorage(path, { writer: 'main' });
  await assert.rejects(restore(out, path, true), /is in use/);
  await server.ready();
  await server.close();
  const { aside = '' } = await restore(out, path, true);
  const names = readdirSync(join(path, '..')).sort();
  assert.deepEqual(names, ['registry.sqlite', 'registry.sqlite.before-restore-2000']);
  await (await openSqliteStorage(aside, { writer: 'main' })).close();
  // One that cannot be read at all makes way as well.
  writeFileSync(path, 'x'.repeat(9000));
  rmSync(aside);
  await restore(out, path, true);
  await (await openSqliteStorage(path, { writer: 'main' })).close();
});
