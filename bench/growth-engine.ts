import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openWriteConnection } from '../src/storage/sqlite/connection.ts';
import { startTestServer, type TestServer } from '../src/testing/postgres/server.ts';
import { type Place, postgresPlace, sqlitePlace } from './place.ts';
import { query } from './postgres.ts';
import { familyCpuSeconds } from './processes/measured-process.ts';

/** An empty database whose growth is measured. */
export interface GrowthEngine {
  readonly name: string;
  readonly folder: string;
  readonly place: Place;
  /** Returns the size of tables and indexes on disk, without the write-ahead log. */
  bytes(): Promise<number>;
  /** Returns the bytes of the write-ahead log written so far; undefined if the engine does not count them. */
  logBytes(): Promise<number | undefined>;
  /** Returns the CPU seconds of a database server so far. */
  readonly databaseCpu: () => number | undefined;
  /** Returns the private memory of each backend that serves the program. */
  backendBytes(): Promise<readonly number[]>;
  /** Returns the transactions so far; undefined if the engine does not count them. */
  transactions(): Promise<number | undefined>;
  /** Returns another empty database of the same engine, on the same database server. */
  another(): Promise<GrowthEngine>;
  close(): Promise<void>;
}

export function sqliteGrowth(parent: string): GrowthEngine {
  const folder = mkdtempSync(join(parent, 'sqlite-'));
  const path = join(folder, 'chancery.db');
  return {
    name: 'SQLite',
    folder,
    place: sqlitePlace(folder),
    async bytes() {
      const database = openWriteConnection(path, 0);
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
      return await Promise.resolve(statSync(path).size);
    },
    logBytes: async () => await Promise.resolve(undefined),
    databaseCpu: () => undefined,
    backendBytes: async () => await Promise.resolve([]),
    transactions: async () => await Promise.resolve(undefined),
    another: async () => await Promise.resolve(sqliteGrowth(parent)),
    close: async () => await Promise.resolve(),
  };
}

export async function postgresGrowth(parent: string): Promise<GrowthEngine> {
  return await onServer(parent, await startTestServer());
}

async function onServer(parent: string, server: TestServer): Promise<GrowthEngine> {
  const url = await server.createDatabase();
  const superuserUrl = url.replace(/\/\/[^@]+@/u, '//postgres@');
  const place = postgresPlace(url);
  await (await place.open()).close();
  const number = async (text: string): Promise<number> => {
    const [row] = await query(superuserUrl, text);
    return Number(row?.['value']);
  };
  return {
    name: 'PostgreSQL',
    folder: mkdtempSync(join(parent, 'postgres-')),
    place,
    async bytes() {
      await query(superuserUrl, 'VACUUM ANALYZE');
      return await number('SELECT pg_database_size(current_database()) AS value');
    },
    logBytes: async () => await number(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS value`),
    databaseCpu: () => familyCpuSeconds(server.pids()),
    async backendBytes() {
      const rows = await query(
        superuserUrl,
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'chancery'`,
      );
      return rows.map(({ pid }) => ownMemory(Number(pid)));
    },
    transactions: async () => await number('SELECT sum(xact_commit) AS value FROM pg_stat_database'),
    another: async () => await onServer(parent, server),
    close: async () => await server.stop(),
  };
}

/** proc(5): memory that is neither shared nor a file. */
function ownMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^RssAnon:\s+(\d+) kB$/mu.exec(status)?.[1] ?? Number.NaN) * 1024;
}
