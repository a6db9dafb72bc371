import assert from 'node:assert/strict';
import { test } from 'node:test';
import './open.ts';
import { MIGRATIONS } from './migrations.ts';
import { STATEMENTS } from './statement.ts';

/**
 * The SQL that PostgreSQL, CockroachDB, YugabyteDB and Citus share, as far as this program uses it. The other three were not
 * run. ADR 22 names the parts that come from their documentation, and the parts that they refuse.
 */
const KINDS =
  /^(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|BEGIN|COMMIT|ROLLBACK|CREATE TABLE|CREATE (?:UNIQUE )?INDEX|DROP INDEX|ALTER TABLE|CREATE POLICY)\b/u;
const FUNCTIONS: ReadonlySet<string> = new Set([
  'any',
  'array',
  'clock_timestamp',
  'coalesce',
  'count',
  'current_setting',
  'exists',
  'extract',
  'greatest',
  'least',
  'length',
  // CockroachDB has both under the same names.
  'lower',
  'max',
  'min',
  'nullif',
  'pg_is_in_recovery',
  // For a metric alone.
  'pg_table_is_visible',
  // These two in a statement of their own, which others may refuse.
  'pg_current_wal_lsn',
  'pg_walfile_name',
  'row_number',
  'set_config',
  // CockroachDB and YugabyteDB have it.
  'string_agg',
  'strpos',
  'unnest',
]);
const TYPES: ReadonlySet<string> = new Set(['text', 'bigint']);
/** Words that a parenthesis may follow without a call. */
const NO_CALLS =
  /^(?:and|or|not|in|as|values|key|where|select|set|on|conflict|from|exists|using|then|else|when|is|do|returning|all|over|limit)$/u;
/** Sequences, triggers, procedures and locks of rows or tables; JSON types and temporary things. */
const FORBIDDEN =
  /\b(?:SERIAL|BIGSERIAL|NEXTVAL|TRIGGER|FUNCTION|PROCEDURE|LISTEN|NOTIFY|LOCK|ADVISORY|FOR UPDATE|FOR SHARE|FOR NO KEY|SKIP LOCKED|JSON|JSONB|TEMP|TEMPORARY|MERGE|LATERAL|RECURSIVE|REFERENCES|CTID|XMAX)\b/iu;

const SCHEMA = MIGRATIONS.flatMap(({ statements }) => statements);
const strings = /'(?:[^']|'')*'/gu;
const all = [
  ...[...STATEMENTS.values()].map(({ name, text }) => ({ name, text })),
  ...SCHEMA.map((text, index) => ({ name: `schema ${index}`, text: text.replaceAll(/\s+/gu, ' ') })),
];

/** Names that are defined with a list of columns: tables in `INSERT INTO name (` and `CREATE TABLE name (`, indexes. */
const namesBeforeColumns = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/\b(?:INTO|TABLE|EXISTS|ON|AS) (?:IF NOT EXISTS )?([a-z_]+) \(/gu)].map(
      ([, name]) => name ?? '',
    ),
  );

function problems(text: string): readonly string[] {
  const code = text.replaceAll(strings, "''");
  const found: string[] = [];
  if (!KINDS.test(code)) found.push('kind of statement');
  const forbidden = FORBIDDEN.exec(code)?.[0];
  if (forbidden !== undefined) found.push(forbidden);
  const named = namesBeforeColumns(code);
  for (const [, word = ''] of code.matchAll(/\b([a-z_]+) ?\(/giu)) {
    const name = word.toLowerCase();
    if (!NO_CALLS.test(name) && !named.has(word) && !FUNCTIONS.has(name)) found.push(`${word}()`);
  }
  for (const [, type = ''] of code.matchAll(/::([a-z0-9_ []+?)\b/giu)) {
    if (!TYPES.has(type.toLowerCase())) found.push(`::${type}`);
  }
  return found;
}

test('there are statements to look at', () => {
  assert.ok(all.length > 150, String(all.length));
});

test('no statement uses more than the engines have in common that speak the protocol of PostgreSQL', () => {
  assert.deepEqual(
    all.map(({ name, text }) => [name, problems(text)] as const).filter(([, found]) => found.length > 0),
    [],
  );
});

test('what is not on the list is found', () => {
  for (const text of [
    'SELECT nextval($1)',
    'SELECT key FROM client FOR UPDATE',
    'SELECT data::jsonb FROM client',
    'VACUUM client',
    'SELECT pg_advisory_lock(1)',
    'CREATE TABLE a (id BIGSERIAL)',
    'SELECT jsonb_build_object(1)',
  ]) {
    assert.notDeepEqual(problems(text), [], text);
  }
  assert.deepEqual(problems("SELECT 'FOR UPDATE nextval(1)' FROM client WHERE key = ANY($1)"), []);
});

const WHOLE_TABLES: ReadonlySet<string> = new Set([
  'tenant_list',
  'seal_canary',
  'heartbeat',
  'schema_migration',
  'schema_compatibility',
  'tenant',
  'tenant_issuer',
  'storage_mark',
  'server_process',
  'time_memory',
  'logout_waiting',
  'webhook_tenant',
  'event_stream_tenant',
  'backchannel_tenant',
]);

test('every statement about rows of tenants names the tenant', () => {
  const parts = all
    .filter(({ name }) => !name.startsWith('schema') && !name.startsWith('migration'))
    .flatMap(({ name, text }) =>
      [...text.matchAll(/\b(?:FROM|UPDATE|INTO|JOIN) ([a-z_]+)\b([^()]*)/gu)].map(([part, table = '']) => ({
        name,
        part,
        table,
      })),
    )
    .filter(({ table }) => SCHEMA.some((text) => text.startsWith(`CREATE TABLE ${table} `)))
    .filter(({ table }) => !WHOLE_TABLES.has(table));
  assert.ok(parts.length > 100);
  for (const { name } of parts)
    assert.match(STATEMENTS.get(name)?.text ?? '', /\btenant = \$\d+|\(tenant, |SELECT tenant,/u);
});

test('every table has a primary key that begins with the tenant, and row security, or is about all tenants', () => {
  const tables = SCHEMA.flatMap((text) => /^CREATE TABLE ([a-z_]+) /u.exec(text)?.[1] ?? []);
  assert.ok(tables.length > 20);
  for (const table of tables) {
    const made = SCHEMA.find((text) => text.startsWith(`CREATE TABLE ${table} `)) ?? '';
    if (WHOLE_TABLES.has(table)) continue;
    assert.match(made, /PRIMARY KEY \(tenant\b/u, table);
    assert.ok(SCHEMA.includes(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`), table);
    assert.ok(
      SCHEMA.some((text) => text.startsWith(`CREATE POLICY ${table}_of_tenant ON ${table} `)),
      table,
    );
  }
});

const changed = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:INSERT INTO|DELETE FROM|(?<!DO )UPDATE) ([a-z_]+)\b/gu)].map(
    ([, table = '']) => table,
  );

test('no statement changes a table twice: CockroachDB refuses that (cockroachdb/cockroach#70731), PostgreSQL leaves open what comes of it', () => {
  assert.deepEqual(changed('WITH a AS (UPDATE t SET i = 1), b AS (DELETE FROM t) SELECT 1'), ['t', 't']);
  for (const { name, text } of all) {
    const tables = changed(text.replaceAll(strings, "''"));
    assert.equal(new Set(tables).size, tables.length, name);
  }
});

test('every unique index of rows of tenants has the tenant in it: Citus wants the distribution column there', () => {
  const unique = SCHEMA.filter((text) => text.startsWith('CREATE UNIQUE INDEX'));
  assert.ok(unique.length > 3);
  for (const text of unique) {
    const [, table = ''] = / ON ([a-z_]+) \(/u.exec(text) ?? [];
    if (!WHOLE_TABLES.has(table)) assert.match(text, /\((?:[a-z_, ]+, )?tenant\b/u, text);
  }
});
