import { after } from 'node:test';
import type { DatabaseError } from 'pg';
import type { Storage } from '../../ports/storage.ts';
import { openPostgresSchema } from '../../storage/postgres/migrations.ts';
import { openPostgresStorage, type PostgresOptions } from '../../storage/postgres/open.ts';
import type { Engine } from '../storage/engine.ts';
import { administer, createDatabase, startTestServer, type TestServer } from './server.ts';

/** Set by `npm test`, which starts one server for all files. */
const SHARED_PORT = 'CHANCERY_TEST_POSTGRES_PORT';

const TEST_OPTIONS: PostgresOptions = {
  connections_max: 6,
  // A machine that runs many tests at once answers late.
  deadline_ms: 20_000,
  migrate: true,
  replica: '',
};

let own: Promise<TestServer> | undefined;
// At the root of the file: within a test it would stop the server after that test.
after(async () => await (await own)?.stop());

/** The port of a PostgreSQL: the one of the test run, or one of this file's own. */
async function testPort(): Promise<number> {
  const shared = process.env[SHARED_PORT];
  if (shared !== undefined) return Number(shared);
  own ??= startTestServer();
  return (await own).port;
}

export async function openTestDatabase(url: string): Promise<Storage> {
  return await openPostgresStorage(url, TEST_OPTIONS);
}

/** A new database on the server of the test run. */
export async function emptyDatabase(): Promise<string> {
  return await createDatabase(await testPort());
}

/** On each server: an empty database with the present schema. */
const TEMPLATE = 'migrated_template';

/** A new database with the present schema: a copy of the one that the migrations made first, because they take longer. */
export async function migratedDatabase(): Promise<string> {
  const port = await testPort();
  try {
    return await createDatabase(port, TEMPLATE);
  } catch (error) {
    if ((error as DatabaseError).code !== UNDEFINED_DATABASE) throw error;
  }
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, TEST_OPTIONS.deadline_ms);
  await schema.up(0);
  await schema.close();
  try {
    await administer(port, 'postgres', `ALTER DATABASE ${nameOf(url)} RENAME TO ${TEMPLATE}`);
  } catch (error) {
    // Another file was quicker: this database is not needed as the template.
    if ((error as DatabaseError).code === DUPLICATE_DATABASE) return url;
    throw error;
  }
  return await createDatabase(port, TEMPLATE);
}

const UNDEFINED_DATABASE = '3D000';
const DUPLICATE_DATABASE = '42P04';

const cleaned: string[] = [];

/** Empty databases for a contract: one that was used is emptied and used again, which is quicker than making another. */
export async function postgresEngine(): Promise<Engine> {
  const url = cleaned.pop() ?? (await emptyDatabase());
  return {
    open: () => openTestDatabase(url),
    async remove() {
      await empty(url);
      cleaned.push(url);
    },
  };
}

async function empty(url: string): Promise<void> {
  await administer(await testPort(), nameOf(url), EMPTY_ALL);
}

const nameOf = (url: string): string => new URL(url.replace('postgres:', 'http:')).pathname.slice(1);

/** Connects as a superuser, to which row security does not apply. */
const EMPTY_ALL = `DO $$
  DECLARE named text;
  BEGIN
    FOR named IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
      AND tablename NOT IN ('schema_migration', 'schema_compatibility', 'heartbeat', 'tenant_list')
    LOOP EXECUTE format('DELETE FROM %I', named); END LOOP;
    UPDATE tenant_list SET version = 0;
  END $$`;
