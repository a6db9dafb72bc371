import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sqliteDamage } from '../storage/sqlite/database-file.ts';
import { openSqliteStorage } from '../storage/sqlite/open.ts';
import { aClient, anEvent, OPEN, TENANT, times } from '../testing/storage/stored-examples.ts';
import { giveBackSpace } from './upkeep.ts';

const EVENTS = 4_000;
const DETAIL = 'x'.repeat(3_000);
const SILENT = { set: () => undefined };

/** Stores clients and some 14 MB of audit events among them, and deletes the events again. */
async function filledAndSwept(path: string) {
  const storage = await openSqliteStorage(path);
  const { clients, audit } = storage.forTenant(TENANT);
  await Promise.all(
    times(EVENTS, async (index) => {
      if (index % 40 === 0) await clients.create(aClient({ client_id: `client-${index}` as never }), OPEN);
      await audit.append(anEvent({ at: 1, detail: DETAIL }));
    }),
  );
  while ((await audit.sweep(2, 500)) > 0);
  return storage;
}

async function inFolder(act: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-pages-'));
  try {
    await act(join(folder, 'chancery.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('H-272 after a sweep the SQLite file gives its free pages back, at most 256 of them in one write, and loses no row', async () => {
  await inFolder(async (path) => {
    const storage = await filledAndSwept(path);
    const { file } = storage;
    assert.ok(file !== undefined);
    const before = file.size();
    assert.ok(before.free > before.file / 2, JSON.stringify(before));
    const steps: number[] = [];
    const giveBack = async (pages: number): Promise<number> => {
      const pagesGiven = await file.giveBack(pages);
      steps.push(pagesGiven);
      return pagesGiven;
    };
    await giveBackSpace({ storage: { file: { ...file, giveBack } }, metrics: SILENT });
    const after = file.size();
    assert.ok(steps.length > 3 && Math.max(...steps) <= 256, steps.join(' '));
    const given = steps.reduce((sum, pages) => sum + pages, 0) * 4_096;
    // The pages that map pointers leave with them, one for some 800 pages.
    assert.ok(before.file - after.file >= given && before.file - after.file < given * 1.01);
    assert.ok(after.file < before.file / 2, JSON.stringify([before, after]));
    assert.ok(after.free > 0, 'some pages stay for the next rows');
    assert.equal((await storage.forTenant(TENANT).clients.page(undefined, 1_000)).length, EVENTS / 40);
    await storage.close();
    assert.equal(statSync(path).size, after.file);
    assert.deepEqual(sqliteDamage(path), []);
  });
});

test('a SQLite file of an earlier version keeps its free pages, and serves as before', async () => {
  await inFolder(async (path) => {
    await (await openSqliteStorage(path)).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA auto_vacuum = NONE; VACUUM;');
    database.close();
    const storage = await filledAndSwept(path);
    const before = storage.file?.size();
    await giveBackSpace({ storage, metrics: SILENT });
    const after = storage.file?.size();
    assert.equal(after?.file, before?.file);
    assert.equal((await storage.forTenant(TENANT).clients.page(undefined, 1_000)).length, EVENTS / 40);
    await storage.close();
  });
});
