import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredBackup } from '../../ports/backup-store.ts';
import { fillTables } from '../../testing/storage/dump-rows.ts';
import { newBackupId, withFolderLock, writeRecord } from './backup-folder.ts';
import { openBackups, type SqliteBackups } from './backup-store.ts';
import { makeBackup, requireRoom } from './backup-work.ts';
import { openSqliteSchema } from './sqlite-schema.ts';
import { sqliteTables } from './table-dump.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-backups-'));
const opened: SqliteBackups[] = [];
after(async () => {
  await Promise.all(opened.map(async (backups) => await backups.close()));
  rmSync(root, { recursive: true });
});

const database = join(root, 'registry.sqlite');
await openSqliteSchema(database).up(1);
await fillTables(sqliteTables(database), 'a');

interface Place {
  readonly folder: string;
  readonly backups: SqliteBackups;
}

function place({ keep = 3, source = database } = {}): Place {
  const folder = join(mkdtempSync(join(root, 'p-')), 'backups');
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const backups = openBackups({ folder, database: source, program: '1.2.3', keep, log });
  opened.push(backups);
  return { folder, backups };
}

/** Resolves when the work on a backup has ended. */
async function settled({ backups }: Place, id: string): Promise<StoredBackup> {
  while (true) {
    const found = (await backups.find(id)) ?? assert.fail('the backup has gone');
    if (found.state !== 'creating' && found.verification?.finding !== null) return found;
    await sleep(5);
  }
}

async function made(at: Place): Promise<StoredBackup> {
  const { id } = await at.backups.create();
  return await settled(at, id);
}

/** Waits until the process of the last work has ended: its last record comes before that. */
async function free({ backups }: Place): Promise<void> {
  while (true) {
    try {
      return await backups.check();
    } catch {
      await sleep(5);
    }
  }
}

test('a backup is made beside the server: it says so at once, and then has its manifest, size and digest', async () => {
  const at = place();
  assert.deepEqual(await at.backups.list(), []);
  const begun = await at.backups.create();
  assert.deepEqual([begun.state, begun.manifest], ['creating', null]);
  const backup = await settled(at, begun.id);
  const file = readFileSync(join(at.folder, `${backup.id}.db`));
  assert.equal(backup.state, 'complete');
  assert.equal(backup.bytes, file.length);
  assert.equal(backup.sha256, createHash('sha256').update(file).digest('hex'));
  assert.equal(backup.manifest?.program, '1.2.3');
  assert.deepEqual(await at.backups.list(), [backup]);
  assert.equal(at.backups.newest(), backup.requested_at);
  for (const name of readdirSync(at.folder)) assert.equal(statSync(join(at.folder, name)).mode & 0o077, 0);
});

test('two creations at once, and one beside a command: one is made, the others are refused as busy', async () => {
  const [at, beside] = [place(), place()];
  const twin = openBackups({
    folder: at.folder,
    database,
    program: '1.2.3',
    keep: 3,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  opened.push(twin);
  await withFolderLock(at.folder, async () => {
    await assert.rejects(at.backups.check(), { name: 'BackupRefused', why: 'busy' });
    await assert.rejects(twin.create(), { name: 'BackupRefused', why: 'busy' });
  });
  assert.deepEqual(readdirSync(at.folder), ['backups.lock']);
  await beside.backups.check();
});

test('backups of one second have ids in the order of their milliseconds', () => {
  const ids = Array.from({ length: 1000 }, (_, millisecond) => newBackupId(1_800_000_000_000 + millisecond));
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.match(id, /^20270115T080000Z-[0-9a-f]{8}$/);
});

test('the oldest backups beyond the number to keep go when another is complete, and never one that is younger', async () => {
  const at = place({ keep: 2 });
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const { backup } = await makeBackup({ folder: at.folder, database, program: '1.2.3', keep: 2 });
    ids.push(backup.id);
  }
  const kept = (await at.backups.list()).map(({ id }) => id);
  assert.deepEqual(kept, ids.toReversed().slice(0, 2));
  assert.equal(readdirSync(at.folder).filter((name) => name.endsWith('.db')).length, 2);
});

test('a verification finds the table of a changed row, a changed octet of no table, and a damaged file', async () => {
  const at = place();
  const { id } = await made(at);
  const file = join(at.folder, `${id}.db`);
  const verified = async (): Promise<StoredBackup['verification']> => {
    await free(at);
    assert.equal((await at.backups.verify(id)).verification?.finding, null);
    return (await settled(at, id)).verification;
  };
  assert.equal((await verified())?.finding, 'sound');
  const intact = readFileSync(file);
  change(file, "UPDATE client SET metadata = '{}' WHERE rowid = (SELECT min(rowid) FROM client)");
  const changed = await verified();
  assert.deepEqual([changed?.finding, changed?.tables], ['tables-changed', ['client']]);
  writeFileSync(file, intact);
  change(file, "INSERT INTO storage_mark (name, content) VALUES ('other', 'x')");
  assert.equal((await verified())?.finding, 'file-changed');
  writeFileSync(file, intact.subarray(0, 8192));
  assert.equal((await verified())?.finding, 'damaged');
});

function change(file: string, sql: string): void {
  const opened = new DatabaseSync(file);
  opened.exec(sql);
  opened.close();
}

const halfMade = (id: string): StoredBackup => ({
  id,
  state: 'creating',
  requested_at: 1000,
  failure: null,
  bytes: null,
  sha256: null,
  manifest: null,
  verification: null,
});

test('a backup whose process died is failed, cannot be read, and leaves no file after the next one', async () => {
  const at = place();
  const { id } = await made(at);
  await free(at);
  const [half, whole] = [newBackupId(1_000_000), newBackupId(2_000_000)];
  for (const each of [half, whole]) await writeRecord(at.folder, halfMade(each));
  const left = [`${half}.db.new-0123456789abcdef`, `${half}.db.new-0123456789abcdef-journal`, `${whole}.db`];
  for (const name of left) writeFileSync(join(at.folder, name), 'half a file');
  for (const each of [half, whole]) {
    const found = await at.backups.find(each);
    assert.deepEqual([found?.state, found?.failure], ['failed', 'interrupted']);
    assert.equal(await at.backups.open(each), undefined);
  }
  await made(at);
  await free(at);
  const names = readdirSync(at.folder);
  for (const name of left) assert.ok(!names.includes(name), name);
  assert.ok(names.includes(`${id}.db`));
});

test('a server that stops ends its backup: the backup is failed, and no half file stays', async () => {
  const at = place();
  const { id } = await at.backups.create();
  await at.backups.close();
  const found = await at.backups.find(id);
  assert.ok(found?.state === 'failed' || found?.state === 'complete', JSON.stringify(found));
  const unfinished = readdirSync(at.folder).filter((name) => name.includes('.new-'));
  assert.deepEqual(unfinished, []);
  await at.backups.check();
});

test('a database that is damaged or gone gives a failed backup with its reason, and the older ones stay', async () => {
  const source = join(root, 'damaged.sqlite');
  writeFileSync(source, readFileSync(database).fill(0x41, 4096, 40_960));
  const at = place({ source });
  const backup = await made(at);
  assert.deepEqual([backup.state, backup.failure, backup.bytes], ['failed', 'source-unusable', null]);
  assert.equal(await at.backups.open(backup.id), undefined);
  assert.equal(at.backups.newest(), undefined);
});

test('a small disk: a backup that has no room is refused before it begins; one that fills the disk is failed, and gives the room back (F4)', async (context) => {
  const small = mkdtempSync(join(root, 'small-'));
  const size_mb = Math.ceil(statSync(database).size / 1_000_000) + 20;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size_mb}m`, 'tmpfs', small], { stdio: 'ignore' });
  } catch {
    context.skip('needs the right to mount a small file system');
    return;
  }
  try {
    const folder = join(small, 'backups');
    const work = { folder, database, program: '1.2.3', keep: 3 };
    requireRoom(work);
    const fill = (bytes: number): void => writeFileSync(join(small, 'filler'), Buffer.alloc(bytes));
    const failed = await makeBackup({ ...work, begun: () => fill((size_mb - 1) * 1024 * 1024) });
    assert.deepEqual(
      [failed.backup.state, failed.backup.failure],
      ['failed', 'disk-full'],
      String(failed.cause),
    );
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.includes('.db')),
      [],
    );
    await assert.rejects(makeBackup(work), { name: 'BackupRefused', why: 'no-room' });
    rmSync(join(small, 'filler'));
    assert.equal((await makeBackup(work)).backup.state, 'complete');
  } finally {
    execFileSync('umount', ['-l', small]);
  }
});

test('no text but an id names a file: not a path, not another file of the folder', async () => {
  const at = place();
  const { id } = await made(at);
  writeFileSync(join(root, 'secret.db'), 'secret');
  for (const text of [
    '',
    '..',
    `../${id}`,
    `${id}.db`,
    `${id}/`,
    `${id}\0`,
    '../../secret',
    'backups.lock',
    `./${id}`,
  ]) {
    assert.equal(await at.backups.find(text), undefined, text);
    assert.equal(await at.backups.open(text), undefined, text);
    await assert.rejects(at.backups.remove(text), { why: 'gone' }, text);
  }
  assert.ok(existsSync(join(root, 'secret.db')));
});

test('an open backup is read in ranges, also after it was deleted; then it is gone', async () => {
  const at = place();
  const { id, bytes } = await made(at);
  const content = readFileSync(join(at.folder, `${id}.db`));
  const file = (await at.backups.open(id)) ?? assert.fail('no file');
  await free(at);
  await at.backups.remove(id);
  assert.equal(file.bytes, bytes);
  for (const [first, last] of [
    [0, 0],
    [10, 70_000],
    [content.length - 1, content.length - 1],
  ] as const) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read(first, last)) chunks.push(chunk);
    assert.ok(Buffer.concat(chunks).equals(content.subarray(first, last + 1)), `${first}-${last}`);
  }
  await file.close();
  assert.equal(await at.backups.open(id), undefined);
  assert.deepEqual(await at.backups.list(), []);
});
