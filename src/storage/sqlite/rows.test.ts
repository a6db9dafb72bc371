import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import {
  aClient,
  anEvent,
  aToken,
  EVENT,
  LABEL,
  NOW,
  OPEN,
  TENANT,
} from '../../testing/storage/stored-examples.ts';
import { MIGRATIONS } from './migrations.ts';
import { openSqliteStorage } from './open.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-rows-'));
after(() => rmSync(root, { recursive: true }));
const place = (): string => join(mkdtempSync(join(root, 'p-')), 'registry.sqlite');

/** Reads rows from the file after the storage is closed, without the storage's own code. */
function rows(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.fromEntries(Object.entries(row)));
  } finally {
    database.close();
  }
}

test('a used initial access token stays, with the client that descends from it; an unused one is swept', async () => {
  const path = place();
  const storage = await openSqliteStorage(path, { writer: 'main' });
  const { clients, accessTokens } = storage.forTenant(TENANT);
  const used = aToken();
  const client = aClient();
  await accessTokens.issueInitial(used, LABEL, EVENT);
  await accessTokens.issueInitial(aToken(), LABEL, EVENT);
  await clients.create(client, { ...OPEN, initialAccessToken: used.key });
  await clients.delete(client, anEvent({ at: NOW + 7 }));
  assert.equal(await accessTokens.sweepExpired(NOW + 100_000, 10), 1);
  await storage.close();

  const { client_id, instance } = client;
  assert.deepEqual(
    rows(path, 'SELECT key, used_at, used_by_client_id, used_by_instance FROM initial_access_token'),
    [{ key: used.key, used_at: NOW, used_by_client_id: client_id, used_by_instance: instance }],
  );
  assert.deepEqual(rows(path, 'SELECT client_id, instance, deleted_at FROM deleted_client'), [
    { client_id, instance, deleted_at: NOW + 7 },
  ]);
});

test('every table is STRICT, and its primary key begins with the tenant unless it is about the whole storage', async () => {
  const path = place();
  await (await openSqliteStorage(path, { writer: 'main' })).close();
  const tables = rows(path, "SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%'");
  assert.ok(tables.length >= 12);
  const whole = new Set([
    'heartbeat',
    'schema_compatibility',
    'schema_migration',
    'seal_canary',
    'storage_mark',
    'server_process',
    'time_memory',
    'tenant_list',
  ]);
  for (const { name, strict } of tables) {
    assert.equal(strict, 1, String(name));
    const [first] = rows(path, `SELECT name FROM pragma_table_info('${String(name)}') WHERE pk = 1`);
    assert.equal(first?.['name'] === 'tenant', !whole.has(String(name)), String(name));
  }
});

test('the applied migrations are recorded, numbered without gaps', async () => {
  const path = place();
  await (await openSqliteStorage(path, { writer: 'main' })).close();
  await (await openSqliteStorage(path, { writer: 'main' })).close();
  assert.deepEqual(
    rows(path, 'SELECT version, name FROM schema_migration ORDER BY version'),
    MIGRATIONS.map(({ version, name }) => ({ version, name })),
  );
  for (const [index, { version }] of MIGRATIONS.entries()) assert.equal(version, index + 1);
});
