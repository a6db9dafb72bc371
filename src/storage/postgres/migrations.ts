import { StorageUnavailable } from '../../ports/storage.ts';
import { type Schema, type SchemaState, type SchemaStep, suits, tooNew } from '../schema.ts';
import { BACKCHANNEL_SCHEMA } from './backchannel-schema.ts';
import { CLIENT_LIST_SCHEMA, COVERING_LIST_SCHEMA } from './client-list-schema.ts';
import type { Connection } from './connection.ts';
import { sqlState, unavailable } from './database-error.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { EVENT_STREAM_SCHEMA } from './event-stream-schema.ts';
import { Pool } from './pool.ts';
import {
  ADMINISTRATION_SCHEMA,
  AUDIT_SEARCH_SCHEMA,
  DELETED_TENANT_SCHEMA,
  DOCUMENT_SCHEMA,
  ENDING_SCHEMA,
  EXCHANGE_SCHEMA,
  FIRST_SCHEMA,
  HISTORY_SCHEMA,
  INSTANCE_ORDER_SCHEMA,
  MARK_SCHEMA,
  ORIGIN_CLIENT_SCHEMA,
  OWNER_SCHEMA,
  PERSON_SCHEMA,
  PROCESS_SCHEMA,
  RATE_SCHEMA,
  RENEWAL_SCHEMA,
  TENANT_OWNER_SCHEMA,
  TENANT_ROUND_SCHEMA,
  TIME_SCHEMA,
  TRUST_ANCHOR_SCHEMA,
  WEBHOOK_SCHEMA,
} from './schema.ts';
import { type BoundStatement, bound, statement } from './statement.ts';

/** In order of version, without gaps. A released migration is never edited; a change is a new migration. */
export const MIGRATIONS: readonly SchemaStep[] = [
  { version: 1, name: 'everything as of the first version', statements: FIRST_SCHEMA },
  { version: 2, name: 'rates that all processes share', statements: RATE_SCHEMA, compatibleFrom: 1 },
  { version: 3, name: 'what the database says of itself', statements: MARK_SCHEMA, compatibleFrom: 1 },
  {
    version: 4,
    name: 'server processes and the names of their encryption keys',
    statements: PROCESS_SCHEMA,
    compatibleFrom: 1,
  },
  { version: 5, name: 'the latest time that was seen', statements: TIME_SCHEMA, compatibleFrom: 1 },
  {
    version: 6,
    name: 'changes of tenants, and which of them have logouts to deliver',
    statements: TENANT_ROUND_SCHEMA,
    compatibleFrom: 1,
  },
  { version: 7, name: 'metadata documents of clients', statements: DOCUMENT_SCHEMA, compatibleFrom: 1 },
  { version: 8, name: 'who acted, and from where', statements: PERSON_SCHEMA, compatibleFrom: 1 },
  { version: 9, name: 'renewals of federated clients', statements: RENEWAL_SCHEMA, compatibleFrom: 1 },
  { version: 10, name: 'keys of trust anchors', statements: TRUST_ANCHOR_SCHEMA, compatibleFrom: 1 },
  { version: 11, name: 'owners of declared clients', statements: OWNER_SCHEMA, compatibleFrom: 1 },
  { version: 12, name: 'deleted tenants', statements: DELETED_TENANT_SCHEMA, compatibleFrom: 1 },
  { version: 13, name: 'people in the administration', statements: ADMINISTRATION_SCHEMA, compatibleFrom: 1 },
  { version: 14, name: 'lists of clients', statements: CLIENT_LIST_SCHEMA, compatibleFrom: 1 },
  { version: 15, name: 'searches in the audit', statements: AUDIT_SEARCH_SCHEMA, compatibleFrom: 1 },
  { version: 16, name: 'webhooks', statements: WEBHOOK_SCHEMA, compatibleFrom: 1 },
  { version: 17, name: 'former versions of clients', statements: HISTORY_SCHEMA, compatibleFrom: 1 },
  { version: 18, name: 'what ended, in the journal', statements: ENDING_SCHEMA, compatibleFrom: 1 },
  { version: 19, name: 'origins of exchanged tokens', statements: EXCHANGE_SCHEMA, compatibleFrom: 1 },
  {
    version: 20,
    name: 'more columns in the lists of clients',
    statements: COVERING_LIST_SCHEMA,
    compatibleFrom: 1,
  },
  { version: 21, name: 'streams of security events', statements: EVENT_STREAM_SCHEMA, compatibleFrom: 1 },
  { version: 22, name: 'owners of declared tenants', statements: TENANT_OWNER_SCHEMA, compatibleFrom: 1 },
  {
    version: 23,
    name: 'requests of clients without a browser',
    statements: BACKCHANNEL_SCHEMA,
    compatibleFrom: 1,
  },
  { version: 24, name: 'clients of origins', statements: ORIGIN_CLIENT_SCHEMA, compatibleFrom: 1 },
  {
    version: 25,
    name: 'lists of devices',
    statements: ["CREATE INDEX interaction_device ON interaction (tenant, key) WHERE kind = 'device'"],
    compatibleFrom: 1,
  },
  { version: 26, name: 'clients by their instances', statements: INSTANCE_ORDER_SCHEMA, compatibleFrom: 1 },
];

export const NEWEST = MIGRATIONS.length;
/** Since this version the schema states which programs it suits. */
const COMPATIBILITY_KNOWN_FROM = 2;

const CREATE_LIST = statement(
  'migration_list_create',
  `CREATE TABLE IF NOT EXISTS schema_migration
    (version BIGINT NOT NULL, name TEXT NOT NULL, applied_at BIGINT NOT NULL, PRIMARY KEY (version))`,
);
/** Version 0 has only the row that a migrating process locks. */
const ADD_ROW = statement(
  'migration_row',
  `INSERT INTO schema_migration (version, name, applied_at) VALUES (0, 'none', :now) ON CONFLICT DO NOTHING`,
);
const TAKE_ROW = statement(
  'migration_row_take',
  'UPDATE schema_migration SET applied_at = applied_at WHERE version = 0',
);
const VERSION = statement(
  'migration_version',
  'SELECT coalesce(max(version), 0) AS version FROM schema_migration',
);
const APPLIED = statement(
  'migration_applied',
  'INSERT INTO schema_migration (version, name, applied_at) VALUES (:version, :name, :now)',
);
const SUITS_FROM = statement(
  'migration_suits_from',
  'INSERT INTO schema_compatibility (version, compatible_from) VALUES (:version, :compatible_from)',
);
const COMPATIBLE_FROM = statement(
  'migration_compatible_from',
  'SELECT compatible_from FROM schema_compatibility WHERE version = :version',
);

const UNDEFINED_TABLE = '42P01';
/** The SQLSTATEs that a process gets if another one creates the same table at the same time. */
const ALREADY_THERE: ReadonlySet<string | undefined> = new Set(['42P07', '42710', '23505', '40001']);

/** Returns the version of the schema; 0 for an empty database. */
async function schemaVersion(connection: Connection): Promise<number> {
  try {
    const [outcome] = await connection.execute([bound(VERSION, {})]);
    return Number(outcome?.rows[0]?.['version'] ?? 0);
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return 0;
    throw error;
  }
}

export async function schemaState(connection: Connection): Promise<SchemaState> {
  const version = await schemaVersion(connection);
  if (version < COMPATIBILITY_KNOWN_FROM) return { version, compatibleFrom: version };
  const [outcome] = await connection.execute([bound(COMPATIBLE_FROM, { version })]);
  return { version, compatibleFrom: Number(outcome?.rows[0]?.['compatible_from'] ?? version) };
}

/**
 * Returns the migrations that the database still needs.
 * @throws StorageUnavailable if a newer program has changed the schema in a way that this program cannot work with
 */
export function pending(state: SchemaState): readonly SchemaStep[] {
  if (!suits(state, NEWEST)) throw new StorageUnavailable(`the database has ${tooNew(state, NEWEST)}`);
  return MIGRATIONS.slice(state.version);
}

/** Brings the schema up to date, all or nothing. If several processes migrate at once, one does it and the others wait. */
export async function migrate(connection: Connection, now: number): Promise<readonly SchemaStep[]> {
  pending(await schemaState(connection));
  await createList(connection);
  await connection.execute([bound(ADD_ROW, { now })]);
  await connection.execute([plain('migration_begin', 'BEGIN'), bound(TAKE_ROW, {})]);
  const applied = pending(await schemaState(connection));
  for (const { version, name, statements, compatibleFrom = version } of applied) {
    const steps = statements.map((text, index) => plain(`migration_${version}_${index}`, text));
    for (let start = 0; start < steps.length; start += STEPS_AT_ONCE) {
      await connection.execute(steps.slice(start, start + STEPS_AT_ONCE));
    }
    await connection.execute([bound(APPLIED, { version, name, now })]);
    if (version < COMPATIBILITY_KNOWN_FROM) continue;
    await connection.execute([bound(SUITS_FROM, { version, compatible_from: compatibleFrom })]);
  }
  await connection.execute([plain('migration_commit', 'COMMIT')]);
  return applied;
}

/** A round trip executes at most this many steps, because it has the deadline of the connection. */
const STEPS_AT_ONCE = 20;

const plain = (name: string, text: string): BoundStatement => ({
  statement: { name, text, parameters: [] },
  values: [],
});

async function createList(connection: Connection): Promise<void> {
  try {
    await connection.execute([bound(CREATE_LIST, {})]);
  } catch (error) {
    if (!ALREADY_THERE.has(sqlState(error))) throw error;
  }
}

/** A migration may take longer than a request. */
const DEADLINE_FACTOR = 30;

/** Opens the schema of the database at a `postgres:` URL. */
export function openPostgresSchema(url: string, deadline_ms: number): Schema {
  const pool = new Pool(parseDatabaseUrl(url), {
    connections_max: 1,
    deadline_ms: deadline_ms * DEADLINE_FACTOR,
    writable: true,
  });
  const on = async <T>(act: (connection: Connection) => Promise<T>): Promise<T> => {
    try {
      return await pool.with(act);
    } catch (error) {
      throw unavailable(error);
    }
  };
  return {
    newest: NEWEST,
    state: () => on(schemaState),
    pending: () => on(async (connection) => pending(await schemaState(connection))),
    up: (now) => on((connection) => migrate(connection, now)),
    close: () => pool.close(),
  };
}
