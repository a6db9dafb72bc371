import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { AccessTokenKey } from '../src/spec/identifiers.ts';
import { startTestServer } from '../src/testing/postgres/server.ts';
import { type Ours, startOurs, type TokenCounts } from './ours.ts';
import { postgresPlace } from './place.ts';
import { familyCpuSeconds } from './processes/measured-process.ts';
import { openRegistries, type Registry } from './registry.ts';

/** A PostgreSQL that the run started, and the program on it. */
export interface OnPostgres {
  /** The URL with the role that owns the database. Row security applies to it. */
  readonly url: string;
  /** The URL with a superuser. Row security does not apply to it. */
  readonly superuserUrl: string;
  readonly ours: Ours;
  /** Returns the program with a registry of many clients, in its own database on the same server. The first call starts it. */
  registry(clients: number): Promise<Registry>;
  /** Creates an empty database for a peer. */
  createDatabase(): Promise<string>;
  /** Creates an empty database with our schema. The URL names the superuser. */
  createLikeOurs(): Promise<string>;
  /** Returns the CPU time of all its processes, ended ones included. */
  readonly cpuSeconds: () => number | undefined;
  /** Its version, and the settings that decide whether a commit is durable. */
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
    const registries = openRegistries(folder, { loadedClients: 1 }, async () => {
      const another = await server.createDatabase();
      await makeSchema(another);
      return postgresPlace(another);
    });
    return {
      url,
      superuserUrl,
      ours,
      registry: async (clients) => await registries.open(clients),
      createDatabase: async () => await server.createDatabase(),
      async createLikeOurs() {
        const empty = await server.createDatabase();
        await makeSchema(empty);
        return asSuperuser(empty);
      },
      cpuSeconds: () => familyCpuSeconds(server.pids()),
      described: await describe(superuserUrl),
      async close() {
        await registries.close();
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

/** Asks one question on a new connection. */
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

/** Returns keys of access tokens from everywhere in the table, in random order. */
export async function sampleKeys(superuserUrl: string): Promise<readonly AccessTokenKey[]> {
  const rows = await query(superuserUrl, 'SELECT key FROM access_token ORDER BY random() LIMIT $1', [
    SAMPLED,
  ]);
  return rows.map(({ key }) => key as AccessTokenKey);
}
