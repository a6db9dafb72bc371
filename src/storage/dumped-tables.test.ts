import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { emptyDatabase } from '../testing/postgres/database.ts';
import { DUMPED_TABLES } from './dumped-tables.ts';
import { openPostgresSchema } from './postgres/migrations.ts';
import { ownTable } from './postgres/own-table.ts';
import { openSqliteSchema } from './sqlite/sqlite-schema.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-dumped-'));
after(() => rmSync(root, { recursive: true }));

/** Tables about the database itself, which a copy leaves out. */
const STAYING: ReadonlySet<string> = new Set([
  'schema_migration',
  'schema_compatibility',
  'heartbeat',
  'storage_mark',
  'server_process',
  'time_memory',
  // It says where to look first. Rounds find what it does not name.
  'logout_waiting',
  // Servers fill the lists of clients again.
  'client_entry',
  'client_term',
  'client_listing',
]);
/** A copy is a new list, in which each process reads all tenants first. */
const isDerived = (table: string, column: string): boolean => table === 'tenant' && column === 'listed';

type Columns = Readonly<Record<string, readonly string[]>>;

/** Columns by table, each with its type and, where it is of the key, its place there. */
function described(rows: readonly { table: string; column: string; type: string; place: number }[]): Columns {
  const tables: Record<string, string[]> = {};
  for (const { table, column, type, place } of rows) {
    const kind = /^(?:int|bigint)/iu.test(type) ? 'integer' : 'text';
    (tables[table] ??= []).push(`${column} ${kind} ${place}`);
  }
  return Object.fromEntries(Object.entries(tables).map(([table, columns]) => [table, columns.sort()]));
}

function expected(nameOf: (table: (typeof DUMPED_TABLES)[number]) => ReturnType<typeof ownTable>): Columns {
  const rows = DUMPED_TABLES.flatMap((table) => {
    const own = nameOf(table);
    return table.columns.map(({ type }, index) => ({
      table: own.name,
      column: own.columns[index] ?? '',
      type: type === 'integer' ? 'int' : 'text',
      place: index < table.keyLength ? index + 1 : 0,
    }));
  });
  return described(rows);
}

const plainly = ({ name, columns }: (typeof DUMPED_TABLES)[number]): ReturnType<typeof ownTable> => ({
  name,
  columns: columns.map((column) => column.name),
});

test('every table and every column of the SQLite schema is copied: a new one has to be added to DUMPED_TABLES', async () => {
  const path = join(root, 'registry.sqlite');
  await openSqliteSchema(path).up(1);
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare(
      `SELECT tables.name AS "table", columns.name AS "column", columns.type, columns.pk AS place
       FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'`,
    )
    .all() as { table: string; column: string; type: string; place: number }[];
  database.close();
  // Its greatest number is that of `counters`; the journal's is counted.
  const { counters: _, ...copied } = expected(plainly);
  const found = described(
    rows.filter(({ table, column }) => !STAYING.has(table) && !isDerived(table, column)),
  );
  assert.deepEqual(found, { ...copied, audit_swept: ['sequence integer 0', 'tenant text 1'] });
});

test('every table and every column of the PostgreSQL schema is copied: a new one has to be added to DUMPED_TABLES', async () => {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 20_000);
  await schema.up(1);
  await schema.close();
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ table: string; column: string; type: string; place: number }>(
    `SELECT columns.table_name AS table, columns.column_name AS column, columns.data_type AS type,
       coalesce(keys.ordinal_position, 0) AS place
     FROM information_schema.columns AS columns LEFT JOIN information_schema.key_column_usage AS keys
       USING (table_schema, table_name, column_name) WHERE table_schema = 'public'`,
  );
  await client.end();
  const found = described(
    rows.filter(({ table, column }) => !STAYING.has(table) && !isDerived(table, column)),
  );
  assert.deepEqual(found, expected(ownTable));
});
