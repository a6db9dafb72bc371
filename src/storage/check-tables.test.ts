import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { aClient, anEvent, aToken, OPEN, TENANT, times } from '../testing/storage/stored-examples.ts';
import { checkTables } from './check-tables.ts';
import { openSqliteStorage } from './sqlite/open.ts';
import { sqliteTables } from './sqlite/table-dump.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-check-'));
after(() => rmSync(root, { recursive: true }));

/** Creates a registry with the verbs of the storage. */
async function lived(): Promise<string> {
  const path = join(mkdtempSync(join(root, 'p-')), 'registry.sqlite');
  const storage = await openSqliteStorage(path, { writer: 'main' });
  const { clients, accessTokens, audit } = storage.forTenant(TENANT);
  const made = times(300, () => aClient());
  await Promise.all(made.map((client) => clients.create(client, OPEN)));
  await Promise.all(made.slice(0, 40).map((client, index) => clients.delete(client, anEvent(), index < 10)));
  const changed = made.slice(100, 120).map((client) => ({ ...client, version: 2 }));
  await Promise.all(changed.map((client) => clients.replace(client, 1, anEvent(), 3)));
  await clients.recordUses(
    made
      .slice(40, 60)
      .map(({ client_id, instance }) => ({ client_id, instance, secret_digest: null, last_used_at: 5 })),
  );
  await Promise.all(times(300, () => accessTokens.issue(aToken())));
  await audit.sweep(anEvent().at + 1, 50);
  await storage.close();
  return path;
}

async function findings(path: string): Promise<readonly string[]> {
  const reader = await sqliteTables(path).snapshot();
  try {
    return (await checkTables(reader)).findings;
  } finally {
    await reader.close();
  }
}

test('a registry that lived is found sound', async () => {
  assert.deepEqual(await findings(await lived()), []);
});

for (const [what, sql, finding] of [
  ['a count', 'UPDATE open_client_count SET clients = 7', /260 open clients of default are counted as 7/],
  ['a gap in the journal', 'DELETE FROM change_journal WHERE sequence = 5', /journal of default has 1 gaps/],
  [
    'a row without an owner',
    "INSERT INTO client_use VALUES ('default', 'unknown', 'i', '', 1)",
    /client_use .*unknown.* belongs to no client/,
  ],
  [
    'a version of no client',
    "UPDATE client_version SET client_id = 'unknown' WHERE rowid = (SELECT min(rowid) FROM client_version)",
    /client_version .*unknown.* belongs to no client or deleted_client/,
  ],
  [
    'a former version that is no JSON',
    "UPDATE client_version SET data = '{' WHERE rowid = (SELECT min(rowid) FROM client_version)",
    /client_version .*data is no JSON/,
  ],
  [
    'text that is no JSON',
    "UPDATE client SET metadata = '{' WHERE client_id = (SELECT min(client_id) FROM client)",
    /metadata is no JSON/,
  ],
  [
    'a strange tenant',
    "INSERT INTO deleted_client VALUES ('stranger', 'c', 'i', 1)",
    /tenant that is not there: stranger/,
  ],
] as const) {
  test(`${what} is found`, async () => {
    const path = await lived();
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const found = await findings(path);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', finding);
  });
}
