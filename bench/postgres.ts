import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { AccessTokenKey } from '../src/spec/identifiers.ts';
import { startTestServer } from '../src/testing/postgres/server.ts';
import { type Ours, startAnother, startOurs, type TokenCounts } from './ours.ts';
import { postgresPlace } from './place.ts';
import { familyCpuSeconds } from './processes/measured-process.ts';
import { type Registry, startRegistry } from './registry.ts';

/** A PostgreSQL of the run's own, and the program on it. */
export interface OnPostgres {
  /** As the role that owns the database and is held by row security. */
  readonly url: string;
  /** The same database as a superuser, who is not. */
  readonly superuserUrl: string;
  readonly ours: Ours;
  /** The program with a registry of many clients, in a database of its own on the same server; the caller stops it. */
  registry(clients: number): Promise<Registry>;
  /** Another node on the same database; the caller stops it. */
  startNode(): Promise<Ours['program']>;
  /** An empty one, for somebody else. */
  createDatabase(): Promise<string>;
  /** One with the schema of ours and nothing in it; as the superuser. */
  createLikeOurs(): Promise<string>;
  /** Of all its processes, those that are gone included. */
  readonly cpuSeconds: () => number | undefined;
  /** Its version, and what decides whether a commit is durable. */
  readonly described: string;
  close(): Promise<void>;
}

/** @param parent folder of the run */
export async function startPostgres(parent: string, counts: TokenCounts): Promise<OnPostgres> {
  const server = await startTestServer();
  try {
    const url = await server.createDatabase();
    const superuserUrl = asSuperuser(url);
    const folder = mkdtempSync(join(parent, 'on-postgres-'));
    const place = postgresPlace(url);
    await makeSchema(url);
    const ours = await startOurs(folder, counts, place);
    return {
      url,
      superuserUrl,
      ours,
      async registry(clients) {
        const another = await server.createDatabase();
        await makeSchema(another);
        return await startRegistry(folder, clients, 1, () => postgresPlace(another));
      },
      startNode: async () => await startAnother(folder, place.environment),
      createDatabase: async () => await server.createDatabase(),
      async createLikeOurs() {
        const empty = await server.createDatabase();
        await makeSchema(empty);
        return asSuperuser(empty);
      },
      cpuSeconds: () => familyCpuSeconds(server.pids()),
      described: await describe(superuserUrl),
      async close() {
        await ours.program.stop();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const asSuperuser = (url: string): string => url.replace(/\/\/[^@]+@/u, '//postgres@');

async function makeSchema(url: string): Promise<void> {
  await (await postgresPlace(url).open()).close();
}

const SETTINGS = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size'];

async function describe(url: string): Promise<string> {
  const rows = await query(
    url,
    `SELECT name, current_setting(name) AS value FROM unnest($1::text[]) AS name`,
    [['server_version', ...SETTINGS]],
  );
  return rows
    .map(({ name, value }) => (name === 'server_version' ? `PostgreSQL ${value}` : `${name} ${value}`))
    .join(', ');
}

/** One question on a connection of its own. */
export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, string>>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

const SAMPLED = 20_000;

/** Keys of access tokens from everywhere in the table, in no order. */
export async function sampleKeys(superuserUrl: string): Promise<readonly AccessTokenKey[]> {
  const rows = await query(superuserUrl, 'SELECT key FROM access_token ORDER BY random() LIMIT $1', [
    SAMPLED,
  ]);
  return rows.map(({ key }) => key as AccessTokenKey);
}
