import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Storage } from '../ports/storage.ts';
import type { TableDump } from '../ports/table-dump.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { emptyDatabase, openTestDatabase } from '../testing/postgres/database.ts';
import { openTestRows } from '../testing/postgres/rows.ts';
import { fillTables } from '../testing/storage/dump-rows.ts';
import { anEvent, NOW } from '../testing/storage/stored-examples.ts';
import { checkTables } from './check-tables.ts';
import { deletedTenants } from './copy-table.ts';
import { markRestored } from './marks.ts';
import { postgresTables } from './postgres/table-dump.ts';
import { openSqliteStorage } from './sqlite/open.ts';
import { sqliteTables } from './sqlite/table-dump.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-cleared-'));
after(() => rmSync(root, { recursive: true }));

/** They keep the id of the tenant. */
const KEPT: ReadonlySet<string> = new Set(['tenant', 'tenant_issuer']);
const GOING = 'z' as TenantId;

/** Tables that no copy has. */
const DERIVED_ROWS: readonly string[] = [
  `INSERT INTO client_entry (tenant, client_id, instance, version, issued_at, name, last_used_at, terms)
   VALUES (?, 'a', 'i', 1, 1, '', 0, '[]')`,
  "INSERT INTO client_term (tenant, term, issued_at, client_id) VALUES (?, 't', 1, 'a')",
  'INSERT INTO client_listing (tenant, audited) VALUES (?, 1)',
];

/** Rows of a tenant by table, for each table of the schema that names tenants. */
type RowsOf = (tenant: string) => Promise<Readonly<Record<string, number>>>;

async function deletedWhole(storage: Storage, dump: TableDump, rowsOf: RowsOf): Promise<void> {
  const event = anEvent({ action: 'tenant.delete' });
  const other = await rowsOf('😀');
  const filled = await rowsOf(GOING);
  for (const [table, rows] of Object.entries(filled))
    assert.ok(rows > 0, `${table} has no row, so its deletion is not tested`);
  assert.ok(Object.keys(filled).length > 24);
  assert.equal(await storage.tenants.beginDeletion(GOING, 1, NOW, event), 'begun');
  while ((await storage.tenants.clear(GOING, 5)) !== undefined);
  await storage.tenants.endDeletion(GOING, NOW, event);
  const left = Object.entries(await rowsOf(GOING)).filter(([, rows]) => rows > 0);
  assert.deepEqual(left.map(([table]) => table).toSorted(), [...KEPT]);
  assert.deepEqual(await rowsOf('😀'), other, 'another tenant keeps its rows');
  const writer = await dump.writer();
  await markRestored(writer, { taken_at: NOW, restored_at: NOW }, event);
  const rows = await rowsOf(GOING);
  assert.deepEqual(
    [rows['audit_event'], rows['change_journal']],
    [0, 0],
    'a restoration makes no rows of it',
  );
  assert.deepEqual(await deletedTenants(writer), new Set([GOING]));
  assert.deepEqual(
    (await checkTables(writer)).findings.filter((finding) => finding.includes(`of ${GOING} `)),
    [],
  );
  await writer.close();
}

test('a deletion leaves no row of the tenant in any table of the SQLite schema but the one that keeps its id', async () => {
  const path = join(root, 'registry.sqlite');
  const storage = await openSqliteStorage(path, { writer: 'main' });
  await fillTables(sqliteTables(path), 'one');
  const database = new DatabaseSync(path);
  for (const sql of DERIVED_ROWS) for (const tenant of [GOING, '😀']) database.prepare(sql).run(tenant);
  const tables = database
    .prepare(
      `SELECT tables.name AS name FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.name = 'tenant'`,
    )
    .all()
    .map(({ name }) => String(name));
  const rowsOf: RowsOf = async (tenant) =>
    await Promise.resolve(
      Object.fromEntries(
        tables.map((name) => {
          const counted = database
            .prepare(`SELECT count(*) AS rows FROM ${name} WHERE tenant = ?`)
            .get(tenant);
          return [name, Number(counted?.['rows'])];
        }),
      ),
    );
  await deletedWhole(storage, sqliteTables(path), rowsOf);
  database.close();
  await storage.close();
});

test('a deletion leaves no row of the tenant in any table of the PostgreSQL schema but the one that keeps its id', async () => {
  const url = await emptyDatabase();
  const storage = await openTestDatabase(url);
  await fillTables(postgresTables(url), 'one');
  const rows = await openTestRows(url);
  for (const tenant of [GOING, '😀'])
    for (const sql of ['INSERT INTO logout_waiting (tenant) VALUES (?)', ...DERIVED_ROWS])
      await rows.ask(sql, tenant);
  const tables = await rows.ask(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'tenant'`,
  );
  const rowsOf: RowsOf = async (tenant) => {
    const counted: [string, number][] = [];
    for (const { name } of tables) {
      const [found] = await rows.ask(
        `SELECT count(*)::int AS rows FROM ${String(name)} WHERE tenant = ?`,
        tenant,
      );
      counted.push([String(name), Number(found?.['rows'])]);
    }
    return Object.fromEntries(counted);
  };
  await deletedWhole(storage, postgresTables(url), rowsOf);
  await rows.close();
  await storage.close();
});
