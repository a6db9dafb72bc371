import type { DatabaseSync } from 'node:sqlite';
import { StorageUnavailable } from '../../ports/storage.ts';
import { type SchemaState, suits, tooNew } from '../schema.ts';
import { BACKCHANNEL_SCHEMA } from './backchannel-schema.ts';
import { CLIENT_LIST_SCHEMA, COVERING_LIST_SCHEMA } from './client-list-schema.ts';
import { HISTORY_SCHEMA, INSTANCE_ORDER_SCHEMA, OWNER_SCHEMA, RENEWAL_SCHEMA } from './client-schema.ts';
import {
  ADMINISTRATION_SCHEMA,
  CODE_ORDER_SCHEMA,
  DEVICE_LIST_SCHEMA,
  EXCHANGE_SCHEMA,
  LOGOUT_ISSUER_SCHEMA,
  LOGOUT_SCHEMA,
  ORIGIN_CLIENT_SCHEMA,
  SESSION_SCHEMA,
} from './end-user-schema.ts';
import { AUDIT_SEARCH_SCHEMA, EVENT_STREAM_SCHEMA, WEBHOOK_SCHEMA } from './event-schema.ts';
import {
  COMPATIBILITY_SCHEMA,
  RATE_SCHEMA,
  REPLAY_ORDER_SCHEMA,
  REPLAY_SCHEMA,
  TIME_SCHEMA,
} from './process-schema.ts';
import { SERVER_KEY_SCHEMA } from './server-key-schema.ts';
import { DELETED_TENANT_SCHEMA, TENANT_OWNER_SCHEMA, TENANT_SCHEMA } from './tenant-schema.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** The oldest version whose programs may still use the database afterwards (ADR 24). The default is the own version. */
  readonly compatibleFrom?: number;
}

/** Marks a file as ours: `Chcy`. */
export const APPLICATION_ID = 0x43686379;

/** In order of version, without gaps. A released migration is never edited; a change is a new migration. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: 'clients, access tokens, server keys',
    // `access_token` is clustered by its key. Keys are ordered by time, so rows are appended, and one descent finds a row.
    // `client` rows are large. The dense index `client_instance` answers whether the client of a token still exists.
    sql: `
      CREATE TABLE client (
        tenant TEXT NOT NULL,
        client_id TEXT NOT NULL,
        instance TEXT NOT NULL,
        version INTEGER NOT NULL,
        issued_at INTEGER NOT NULL,
        registration_token_digest TEXT NOT NULL,
        registration_token_sealed TEXT NOT NULL,
        registered_via TEXT NOT NULL,
        secrets TEXT NOT NULL,
        privileges TEXT NOT NULL,
        metadata TEXT NOT NULL,
        data TEXT,
        PRIMARY KEY (tenant, client_id)
      ) STRICT;
      CREATE INDEX client_instance ON client (tenant, client_id, instance);
      CREATE INDEX client_registration_token ON client (tenant, registration_token_digest);

      CREATE TABLE deleted_client (
        tenant TEXT NOT NULL,
        client_id TEXT NOT NULL,
        instance TEXT NOT NULL,
        deleted_at INTEGER NOT NULL,
        PRIMARY KEY (tenant, client_id, instance)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE access_token (
        tenant TEXT NOT NULL,
        key TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        client_id TEXT NOT NULL,
        client_instance TEXT,
        introspection TEXT NOT NULL,
        PRIMARY KEY (tenant, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX access_token_expiry ON access_token (tenant, expires_at);

      CREATE TABLE initial_access_token (
        tenant TEXT NOT NULL,
        key TEXT NOT NULL,
        label TEXT NOT NULL,
        issued_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        used_at INTEGER,
        used_by_client_id TEXT,
        used_by_instance TEXT,
        PRIMARY KEY (tenant, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX initial_access_token_expiry ON initial_access_token (tenant, expires_at) WHERE used_at IS NULL;

      CREATE TABLE server_key (
        tenant TEXT NOT NULL,
        kid TEXT NOT NULL,
        position INTEGER NOT NULL,
        use TEXT NOT NULL CHECK (use IN ('sig', 'enc', 'mac')),
        created_at INTEGER NOT NULL,
        public_jwk TEXT,
        sealed_jwk TEXT NOT NULL,
        PRIMARY KEY (tenant, kid)
      ) STRICT, WITHOUT ROWID;

      CREATE TABLE seal_canary (id INTEGER PRIMARY KEY CHECK (id = 1), sealed TEXT NOT NULL) STRICT;
      CREATE TABLE heartbeat (id INTEGER PRIMARY KEY CHECK (id = 1), beats INTEGER NOT NULL) STRICT;
      INSERT INTO heartbeat (id, beats) VALUES (1, 0);`,
  },
  {
    version: 2,
    name: 'audit events, uses of clients, limits of open registration',
    // Counting a million rows of an index takes tens of milliseconds, inside the write lock, for every open registration. So
    // a row for each tenant keeps the count. Triggers could update it, but a statement with triggers copies each page that
    // it changes, which costs a sixth of a creation. The three writes that change the count update it themselves.
    // `client_instance` now covers what the search for idle clients asks, so that the large rows are read for idle ones
    // only. An index of open clients alone would be another page that each creation makes dirty: half as slow again.
    sql: `
      ALTER TABLE client ADD COLUMN shared_digest TEXT;
      CREATE UNIQUE INDEX client_shared ON client (tenant, shared_digest) WHERE shared_digest IS NOT NULL;
      DROP INDEX client_instance;
      CREATE INDEX client_instance ON client (tenant, client_id, instance, registered_via, issued_at);

      CREATE TABLE open_client_count (tenant TEXT NOT NULL PRIMARY KEY, clients INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      INSERT INTO open_client_count SELECT tenant, count(*) FROM client WHERE registered_via = 'open' GROUP BY tenant;

      CREATE TABLE client_use (
        tenant TEXT NOT NULL,
        client_id TEXT NOT NULL,
        instance TEXT NOT NULL,
        secret_digest TEXT NOT NULL, -- empty for a use that involved no secret: a key has no nulls
        last_used_at INTEGER NOT NULL,
        PRIMARY KEY (tenant, client_id, instance, secret_digest)
      ) STRICT, WITHOUT ROWID;

      ALTER TABLE initial_access_token ADD COLUMN scope TEXT NOT NULL DEFAULT '';
      ALTER TABLE initial_access_token ADD COLUMN redirect_hosts TEXT;
      ALTER TABLE initial_access_token ADD COLUMN revoked_at INTEGER;
      UPDATE initial_access_token AS initial SET scope = coalesce((
        SELECT introspection ->> '$.scope' FROM access_token AS token
        WHERE token.tenant = initial.tenant AND token.key = initial.key AND json_valid(introspection)), '');

      CREATE TABLE audit_event (
        tenant TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        at INTEGER NOT NULL,
        action TEXT NOT NULL,
        outcome TEXT NOT NULL,
        actor TEXT NOT NULL,
        client_id TEXT,
        request_id TEXT NOT NULL,
        detail TEXT,
        PRIMARY KEY (tenant, sequence)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX audit_event_time ON audit_event (tenant, at);
      -- The greatest sequence when events were last swept: none is given twice, although the greatest may be gone.
      CREATE TABLE audit_swept (tenant TEXT NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
  },
  {
    version: 3,
    name: 'journal of changes',
    sql: `
      CREATE TABLE change_journal (
        tenant TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        kind TEXT NOT NULL,
        subject TEXT NOT NULL,
        instance TEXT,
        PRIMARY KEY (tenant, sequence)
      ) STRICT, WITHOUT ROWID;`,
  },
  { version: 4, name: 'what may be used once', sql: REPLAY_SCHEMA },
  {
    version: 5,
    name: 'grants and refresh tokens',
    // The grants of a deleted client are not searched for when it is deleted: they are found no more, and swept later.
    sql: `
      ALTER TABLE access_token ADD COLUMN grant_id TEXT;
      CREATE INDEX access_token_grant ON access_token (tenant, grant_id) WHERE grant_id IS NOT NULL;

      CREATE TABLE authorization_grant (
        tenant TEXT NOT NULL,
        grant_id TEXT NOT NULL,
        client_id TEXT NOT NULL,
        client_instance TEXT NOT NULL,
        sub TEXT NOT NULL,
        authorization TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        refresh_token_digest TEXT,
        refresh_token_expires_at INTEGER,
        PRIMARY KEY (tenant, grant_id)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX authorization_grant_expiry ON authorization_grant (tenant, expires_at);
      CREATE INDEX authorization_grant_client ON authorization_grant (tenant, client_id, client_instance);
      CREATE INDEX authorization_grant_subject ON authorization_grant (tenant, sub);

      CREATE TABLE client_with_orphans (
        tenant TEXT NOT NULL,
        client_id TEXT NOT NULL,
        instance TEXT NOT NULL,
        PRIMARY KEY (tenant, client_id, instance)
      ) STRICT, WITHOUT ROWID;`,
  },
  { version: 6, name: 'tenants', sql: TENANT_SCHEMA },
  { version: 7, name: 'accounts, sessions, interactions, consents', sql: SESSION_SCHEMA },
  {
    version: 8,
    name: 'authorisation codes',
    // A code stays after its use, with the grant that it gave: a second use ends that grant.
    sql: `
      CREATE TABLE authorization_code (
        tenant TEXT NOT NULL,
        key TEXT NOT NULL,
        client_id TEXT NOT NULL,
        client_instance TEXT NOT NULL,
        content TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        kept_until INTEGER NOT NULL,
        grant_id TEXT,
        PRIMARY KEY (tenant, key)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX authorization_code_keeping ON authorization_code (tenant, kept_until);`,
  },
  { version: 9, name: 'the life of server keys', sql: SERVER_KEY_SCHEMA },
  { version: 10, name: 'logout', sql: LOGOUT_SCHEMA },
  {
    version: 11,
    name: 'clients that a federation registers',
    // Both indexes are partial, so a client without a federation costs no more than before.
    sql: `
      ALTER TABLE client ADD COLUMN entity_id TEXT;
      ALTER TABLE client ADD COLUMN expires_at INTEGER;
      CREATE UNIQUE INDEX client_entity ON client (tenant, entity_id) WHERE entity_id IS NOT NULL;
      CREATE INDEX client_end ON client (tenant, expires_at) WHERE expires_at IS NOT NULL;`,
  },
  { version: 12, name: 'logout under every name of the issuer', sql: LOGOUT_ISSUER_SCHEMA },
  {
    version: 13,
    name: 'resources that were agreed to',
    sql: "ALTER TABLE consent ADD COLUMN resources TEXT NOT NULL DEFAULT '[]';",
  },
  {
    version: 14,
    name: 'rates that all processes share',
    sql: RATE_SCHEMA + COMPATIBILITY_SCHEMA,
    compatibleFrom: 13,
  },
  {
    version: 15,
    name: 'what the database says of itself',
    sql: 'CREATE TABLE storage_mark (name TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL) STRICT, WITHOUT ROWID;',
    compatibleFrom: 13,
  },
  {
    version: 16,
    name: 'server processes and the names of their encryption keys',
    sql: `CREATE TABLE server_process (
      id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, ring TEXT NOT NULL, beats INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
    compatibleFrom: 13,
  },
  { version: 17, name: 'the latest time that was seen', sql: TIME_SCHEMA, compatibleFrom: 13 },
  {
    version: 18,
    name: 'changes of tenants',
    sql: `
      ALTER TABLE tenant ADD COLUMN listed INTEGER NOT NULL DEFAULT 0;
      CREATE INDEX tenant_listed ON tenant (listed);`,
    compatibleFrom: 13,
  },
  {
    version: 19,
    name: 'metadata documents of clients',
    sql: 'ALTER TABLE client ADD COLUMN document TEXT;',
    compatibleFrom: 13,
  },
  {
    version: 20,
    name: 'who acted, and from where',
    sql: ['sub', 'address', 'user_agent']
      .map((column) => `ALTER TABLE audit_event ADD COLUMN ${column} TEXT;`)
      .join('\n'),
    compatibleFrom: 13,
  },
  { version: 21, name: 'renewals of federated clients', sql: RENEWAL_SCHEMA, compatibleFrom: 13 },
  {
    version: 22,
    name: 'keys of trust anchors',
    sql: `
      CREATE TABLE trust_anchor (
        tenant TEXT NOT NULL, entity_id TEXT NOT NULL, version INTEGER NOT NULL,
        content TEXT NOT NULL, PRIMARY KEY (tenant, entity_id)) STRICT, WITHOUT ROWID;`,
    compatibleFrom: 13,
  },
  { version: 23, name: 'owners of declared clients', sql: OWNER_SCHEMA, compatibleFrom: 13 },
  { version: 24, name: 'deleted tenants', sql: DELETED_TENANT_SCHEMA, compatibleFrom: 13 },
  { version: 25, name: 'people in the administration', sql: ADMINISTRATION_SCHEMA, compatibleFrom: 13 },
  { version: 26, name: 'lists of clients', sql: CLIENT_LIST_SCHEMA, compatibleFrom: 13 },
  { version: 27, name: 'searches in the audit', sql: AUDIT_SEARCH_SCHEMA, compatibleFrom: 13 },
  { version: 28, name: 'webhooks', sql: WEBHOOK_SCHEMA, compatibleFrom: 13 },
  { version: 29, name: 'former versions of clients', sql: HISTORY_SCHEMA, compatibleFrom: 13 },
  {
    version: 30,
    name: 'what ended, in the journal',
    sql: `
      ALTER TABLE change_journal ADD COLUMN ended TEXT;
      ALTER TABLE change_journal ADD COLUMN client_id TEXT;
      ALTER TABLE change_journal ADD COLUMN sub TEXT;
      ALTER TABLE change_journal ADD COLUMN expires_at INTEGER;`,
    compatibleFrom: 13,
  },
  { version: 31, name: 'origins of exchanged tokens', sql: EXCHANGE_SCHEMA, compatibleFrom: 13 },
  {
    version: 32,
    name: 'more columns in the lists of clients',
    sql: COVERING_LIST_SCHEMA,
    compatibleFrom: 13,
  },
  { version: 33, name: 'streams of security events', sql: EVENT_STREAM_SCHEMA, compatibleFrom: 13 },
  { version: 34, name: 'owners of declared tenants', sql: TENANT_OWNER_SCHEMA, compatibleFrom: 13 },
  { version: 35, name: 'requests of clients without a browser', sql: BACKCHANNEL_SCHEMA, compatibleFrom: 13 },
  { version: 36, name: 'clients of origins', sql: ORIGIN_CLIENT_SCHEMA, compatibleFrom: 13 },
  { version: 37, name: 'lists of devices', sql: DEVICE_LIST_SCHEMA, compatibleFrom: 13 },
  { version: 38, name: 'codes in their order', sql: CODE_ORDER_SCHEMA, compatibleFrom: 13 },
  { version: 39, name: 'clients by their instances', sql: INSTANCE_ORDER_SCHEMA, compatibleFrom: 13 },
  { version: 40, name: 'what may be used once, in its order', sql: REPLAY_ORDER_SCHEMA, compatibleFrom: 13 },
];

export const NEWEST = MIGRATIONS.length;
/** Since this version the schema states which programs it suits. */
const COMPATIBILITY_KNOWN_FROM = 14;

/** Returns 0 for a database without a schema. */
function versionOf(database: DatabaseSync): number {
  const known = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'").get();
  if (known === undefined) return 0;
  const row = database.prepare('SELECT max(version) AS version FROM schema_migration').get();
  return Number(row?.['version'] ?? 0);
}

export function stateOf(database: DatabaseSync): SchemaState {
  const version = versionOf(database);
  if (version < COMPATIBILITY_KNOWN_FROM) return { version, compatibleFrom: version };
  const row = database
    .prepare('SELECT compatible_from FROM schema_compatibility WHERE version = ?')
    .get(version);
  return { version, compatibleFrom: Number(row?.['compatible_from'] ?? version) };
}

/** Throws `StorageUnavailable` if a newer program has changed the schema in a way that this program cannot work with. */
export function refuseNewerSchema(database: DatabaseSync, path: string): void {
  const state = stateOf(database);
  if (!suits(state, NEWEST))
    throw new StorageUnavailable(`the database ${path} has ${tooNew(state, NEWEST)}`);
}

export const pendingMigrations = (database: DatabaseSync): readonly Migration[] =>
  MIGRATIONS.slice(versionOf(database));

export const needsMigration = (database: DatabaseSync): boolean => versionOf(database) < NEWEST;

/** Brings the schema up to date, all or nothing. Throws SQLite's busy error while another process holds the lock. */
export function migrate(database: DatabaseSync, now: number): void {
  // IMMEDIATE takes the lock before the version is read, so that only one of two starting processes migrates.
  database.exec('BEGIN IMMEDIATE');
  try {
    const applied = versionOf(database);
    for (const migration of MIGRATIONS.slice(applied)) apply(database, migration, now);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function apply(database: DatabaseSync, migration: Migration, now: number): void {
  const { version, name, sql, compatibleFrom = version } = migration;
  if (version === 1) {
    database.exec(`
      PRAGMA application_id = ${APPLICATION_ID};
      CREATE TABLE schema_migration (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;`);
  }
  database.exec(sql);
  database
    .prepare('INSERT INTO schema_migration (version, name, applied_at) VALUES (?, ?, ?)')
    .run(version, name, now);
  if (version < COMPATIBILITY_KNOWN_FROM) return;
  database
    .prepare('INSERT INTO schema_compatibility (version, compatible_from) VALUES (?, ?)')
    .run(version, compatibleFrom);
}
