import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { emptyDatabase, openTestDatabase } from '../../testing/postgres/database.ts';
import { openTestRows, type TestRows } from '../../testing/postgres/rows.ts';
import { OTHER_TENANT, TENANT } from '../../testing/storage/stored-examples.ts';

/** The second lock between tenants, as the database itself describes and keeps it: whatever table there is has one. */
const ABOUT_ALL_TENANTS: ReadonlySet<string> = new Set([
  'heartbeat',
  'logout_waiting',
  'schema_compatibility',
  'schema_migration',
  'storage_mark',
  'server_process',
  'time_memory',
  'seal_canary',
  'tenant',
  'tenant_issuer',
  'tenant_list',
  'webhook_tenant',
  'event_stream_tenant',
  'backchannel_tenant',
]);

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Those that each row has to have, with what a row gets there. */
  readonly filled: readonly string[];
  readonly values: readonly string[];
}

let superuser: TestRows;
/** The role of the program, which owns the tables. */
let program: Client;
let tables: readonly Table[];

before(async () => {
  const url = await emptyDatabase();
  await (await openTestDatabase(url)).close();
  superuser = await openTestRows(url);
  program = new Client({ connectionString: url });
  program.on('error', () => undefined);
  await program.connect();
  tables = await tablesOfTenants();
  for (const { name, filled, values } of tables) {
    for (const tenant of [TENANT, OTHER_TENANT]) await superuser.ask(insertion(name, filled, values), tenant);
  }
});
after(async () => {
  await superuser.close();
  await program.end();
});

async function tablesOfTenants(): Promise<readonly Table[]> {
  const found = await superuser.ask("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const names = found.map(({ tablename }) => String(tablename));
  return await Promise.all(names.filter((name) => !ABOUT_ALL_TENANTS.has(name)).map(table));
}

async function table(name: string): Promise<Table> {
  const columns = await superuser.ask(
    `SELECT column_name, data_type, is_nullable FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = ? ORDER BY ordinal_position`,
    name,
  );
  const needed = columns.filter(({ is_nullable }) => is_nullable === 'NO');
  const others = needed.filter(({ column_name }) => column_name !== 'tenant');
  return {
    name,
    columns: columns.map(({ column_name }) => String(column_name)),
    filled: others.map(({ column_name }) => String(column_name)),
    values: others.map(({ data_type }) => (data_type === 'bigint' ? '1' : "'x'")),
  };
}

const insertion = (name: string, filled: readonly string[], values: readonly string[]): string =>
  `INSERT INTO ${name} (${['tenant', ...filled].join(', ')}) VALUES (${['?', ...values].join(', ')})`;

/** As one of the program's transactions would be, in the tenant of its choice or in none. */
async function inTenant<T>(tenant: string | undefined, act: () => Promise<T>): Promise<T> {
  await program.query('BEGIN');
  try {
    if (tenant !== undefined) await program.query("SELECT set_config('chancery.tenant', $1, true)", [tenant]);
    return await act();
  } finally {
    await program.query('ROLLBACK');
  }
}

const tenantsSeen = async (name: string): Promise<readonly string[]> =>
  (await program.query<{ tenant: string }>(`SELECT tenant FROM ${name} ORDER BY tenant`)).rows.map(
    ({ tenant }) => tenant,
  );

test('every table but those about all tenants has a tenant, and row security that its owner cannot leave', async () => {
  assert.ok(tables.length > 20);
  for (const { name, columns } of tables) {
    assert.ok(columns.includes('tenant'), name);
    const [kept] = await superuser.ask(
      'SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = ?',
      name,
    );
    assert.deepEqual(kept, { relrowsecurity: true, relforcerowsecurity: true }, name);
    const policies = await superuser.ask(
      'SELECT permissive, cmd, qual, with_check FROM pg_policies WHERE tablename = ?',
      name,
    );
    assert.equal(policies.length, 1, name);
    const [{ permissive, cmd, with_check } = {}] = policies;
    // Without a check of its own what may be seen is what may be written.
    assert.deepEqual([permissive, cmd, with_check], ['PERMISSIVE', 'ALL', null], name);
  }
});

test('row security: in no tenant nothing is seen of any table, in one nothing but its own', async () => {
  for (const { name } of tables) {
    assert.equal((await superuser.ask(`SELECT 1 AS one FROM ${name}`)).length, 2, name);
    assert.deepEqual(await inTenant(undefined, () => tenantsSeen(name)), [], name);
    assert.deepEqual(await inTenant('', () => tenantsSeen(name)), [], name);
    assert.deepEqual(await inTenant('third', () => tenantsSeen(name)), [], name);
    assert.deepEqual(await inTenant(TENANT, () => tenantsSeen(name)), [TENANT], name);
    assert.deepEqual(await inTenant(OTHER_TENANT, () => tenantsSeen(name)), [OTHER_TENANT], name);
  }
});

test('row security: rows of another tenant are neither changed nor removed nor made, in any table', async () => {
  for (const { name, filled, values } of tables) {
    for (const within of [undefined, TENANT]) {
      const changed = async (sql: string): Promise<unknown> =>
        await inTenant(within, async () => (await program.query(sql, [OTHER_TENANT])).rowCount);
      assert.equal(await changed(`DELETE FROM ${name} WHERE tenant = $1`), 0, name);
      assert.equal(await changed(`UPDATE ${name} SET tenant = tenant WHERE tenant = $1`), 0, name);
      const numbered = insertion(name, filled, values).replace('?', '$1');
      await assert.rejects(changed(numbered), /row-level security/u, name);
    }
    const moved = inTenant(TENANT, () => program.query(`UPDATE ${name} SET tenant = $1`, [OTHER_TENANT]));
    await assert.rejects(moved, /row-level security/u, name);
  }
});

test('a role that row security does not hold is a concern: a superuser, one with BYPASSRLS, and no other', async () => {
  const url = await emptyDatabase();
  await superuser.ask('DROP ROLE IF EXISTS beyond');
  await superuser.ask('CREATE ROLE beyond LOGIN BYPASSRLS IN ROLE chancery');
  for (const [role, count] of [
    ['chancery', 0],
    ['beyond', 1],
    ['postgres', 1],
  ] as const) {
    const storage = await openTestDatabase(url.replace('chancery@', `${role}@`));
    const concerns = await storage.concerns();
    await storage.close();
    assert.equal(concerns.length, count, role);
    for (const concern of concerns) assert.match(concern, new RegExp(`"${role}".*BYPASSRLS`, 'u'));
  }
});

test('the tenant of a transaction ends with it', async () => {
  await inTenant(TENANT, () => tenantsSeen('client'));
  assert.deepEqual(await tenantsSeen('client'), []);
});
