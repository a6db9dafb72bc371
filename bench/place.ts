import { join } from 'node:path';
import { Client } from 'pg';
import type { StoredAccessToken } from '../src/ports/access-token-store.ts';
import type { Storage } from '../src/ports/storage.ts';
import { DEFAULT_TENANT } from '../src/spec/identifiers.ts';
import { openPostgresStorage } from '../src/storage/postgres/open.ts';
import { accessTokenInsertion } from '../src/storage/sqlite/access-tokens.ts';
import { openWriteConnection } from '../src/storage/sqlite/connection.ts';
import { openSqliteStorage } from '../src/storage/sqlite/open.ts';

/** The database of a started program. It is filled while the program is stopped. */
export interface Place {
  readonly environment: Readonly<Record<string, string>>;
  open(): Promise<Storage>;
  /** Inserts without waiting for the disk: after a crash the next run makes the data again. */
  insertTokens(records: Iterable<StoredAccessToken>): Promise<void>;
}

const ROWS_PER_COMMIT = 20_000;
/** How long an insertion waits while a started program writes. */
const LOCK_WAIT_MS = 5_000;

export function sqlitePlace(folder: string): Place {
  const path = join(folder, 'chancery.db');
  return {
    environment: {},
    open: async () => await openSqliteStorage(path),
    async insertTokens(records) {
      const database = openWriteConnection(path, LOCK_WAIT_MS);
      database.exec('PRAGMA synchronous = OFF');
      const insert = accessTokenInsertion(database);
      let count = 0;
      database.exec('BEGIN IMMEDIATE');
      for (const record of records) {
        insert(DEFAULT_TENANT, record);
        count += 1;
        if (count % ROWS_PER_COMMIT === 0) database.exec('COMMIT; BEGIN IMMEDIATE');
      }
      database.exec('COMMIT');
      database.close();
    },
  };
}

const COLUMNS = ['key', 'expires_at', 'client_id', 'client_instance', 'introspection'] as const;
const INSERT_TOKENS = `INSERT INTO access_token (tenant, ${COLUMNS.join(', ')})
  SELECT '${DEFAULT_TENANT}', * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[])`;
const OPTIONS = { connections_max: 4, deadline_ms: 60_000, migrate: true, replica: '' } as const;

/** @param url names a database that the program's role owns. A missing schema is made. */
export function postgresPlace(url: string): Place {
  return {
    environment: { CHANCERY_STORAGE_URL: url },
    open: async () => await openPostgresStorage(url, OPTIONS),
    async insertTokens(records) {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`SET synchronous_commit = off`);
      await client.query(`SELECT set_config('chancery.tenant', $1, false)`, [DEFAULT_TENANT]);
      for (const rows of inGroups(records, ROWS_PER_COMMIT)) {
        await client.query(
          INSERT_TOKENS,
          COLUMNS.map((column) => rows.map((row) => row[column])),
        );
      }
      // Autovacuum would do the same within its minute; the benchmark does not wait for it.
      await client.query('VACUUM ANALYZE access_token');
      await client.end();
    },
  };
}

/** Returns the items in arrays of this size; the last one may be shorter. */
export function* inGroups<T>(items: Iterable<T>, size: number): Generator<readonly T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
