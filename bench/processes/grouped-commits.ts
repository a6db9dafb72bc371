/**
 * The limit of durable acts: commits of 64 on one connection, with the pragmas and the tables of the real storage, in one
 * loop without HTTP, JSON or cryptography. Each act writes the rows that the real one leaves in the database, with their
 * indexes, and reads no row. A registration is a client, an audit event, and the count of open clients. An access token is
 * its record.
 */
import { randomBytes } from 'node:crypto';
import type { StatementSync } from 'node:sqlite';
import { openWriteConnection } from '../../src/storage/sqlite/connection.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { locatorAt } from '../../src/tokens/token-identifier.ts';

export interface LimitOptions {
  readonly path: string;
  readonly act: LimitedAct;
}

/** Rows as the real server stored them. */
export type LimitedAct =
  | {
      /** A row of the table `client`. */
      readonly client: Row;
      /** The row of its registration in the table `audit_event`. */
      readonly event: Row;
    }
  | {
      /** A row of the table `access_token`. */
      readonly token: Row;
    };

export type Row = Readonly<Record<string, string | number | null>>;

export interface LimitResult {
  readonly rows: number;
  readonly seconds: number;
}

const GROUP = 64;

const { path, act } = JSON.parse(process.argv[2] ?? '') as LimitOptions;
await (await openSqliteStorage(path)).close();
const database = openWriteConnection(path, 0);
const insertInto = (table: string, row: Row): StatementSync => {
  const columns = Object.keys(row);
  return database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
};
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');

const insertOne = 'token' in act ? tokenInsertion(act.token) : registrationInsertion(act);

/** Copies the examples with other keys, as long as client_id (24), instance (16, ordered by time) and digest (43). */
function registrationInsertion({ client, event }: { readonly client: Row; readonly event: Row }): () => void {
  const insertClient = insertInto('client', client);
  const insertEvent = insertInto('audit_event', event);
  const count = database.prepare(`
    INSERT INTO open_client_count (tenant, clients) VALUES (?, 1) ON CONFLICT (tenant) DO UPDATE SET clients = clients + 1`);
  let sequence = 0;
  return () => {
    const random = randomBytes(63).toString('base64url');
    const keys = {
      client_id: random.slice(0, 24),
      instance: locatorAt(Date.now()) + random.slice(24, 29),
      registration_token_digest: random.slice(41),
    };
    insertClient.run(...Object.values({ ...client, ...keys }));
    sequence += 1;
    insertEvent.run(...Object.values({ ...event, client_id: keys.client_id, sequence }));
    count.run(client['tenant'] ?? null);
  };
}

/** Copies the example with other keys, which rise with time as the real ones do. */
function tokenInsertion(token: Row): () => void {
  const insert = insertInto('access_token', token);
  return () => {
    const key = locatorAt(Date.now()) + randomBytes(32).toString('base64url');
    insert.run(...Object.values({ ...token, key }));
  };
}

function run(milliseconds: number): LimitResult {
  const begun = performance.now();
  let rows = 0;
  while (performance.now() - begun < milliseconds) {
    begin.run();
    for (let row = 0; row < GROUP; row += 1) insertOne();
    commit.run();
    rows += GROUP;
  }
  return { rows, seconds: (performance.now() - begun) / 1000 };
}

process.on('message', (milliseconds: number) => process.send?.(run(milliseconds)));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
