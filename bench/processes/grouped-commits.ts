/**
 * The limit of durable registrations: nothing but commits of 64 client rows, on one connection with the pragmas and the
 * table of the real storage, in one loop without HTTP, JSON or cryptography.
 */
import { randomBytes } from 'node:crypto';
import type { StoredClient } from '../../src/ports/client-store.ts';
import { openWriteConnection } from '../../src/storage/sqlite/connection.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';

export interface LimitOptions {
  readonly path: string;
  /** A registration as the real server stored it. */
  readonly example: StoredClient;
}

export interface LimitResult {
  readonly rows: number;
  readonly seconds: number;
}

const GROUP = 64;

const { path, example } = JSON.parse(process.argv[2] ?? '') as LimitOptions;
await (await openSqliteStorage(path)).close();
const database = openWriteConnection(path, 0);
const insert = database.prepare(`
  INSERT INTO client (tenant, client_id, instance, registration_token_digest, version, issued_at,
    registration_token_sealed, registered_via, secrets, privileges, metadata, data)
  VALUES ('default', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const secrets = JSON.stringify(example.secrets);

/** Random texts of the lengths that client_id (24), instance (16) and digest (43) have. */
function insertOne(): void {
  const random = randomBytes(63).toString('base64url');
  insert.run(
    random.slice(0, 24),
    random.slice(24, 40),
    random.slice(41),
    example.version,
    example.issued_at,
    example.registration_token_sealed,
    example.registered_via,
    secrets,
    example.privileges,
    example.metadata,
    example.data,
  );
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
