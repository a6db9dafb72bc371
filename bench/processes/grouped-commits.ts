/**
 * The limit of durable registrations: nothing but commits of 64 client rows, on one connection with the pragmas and the
 * table of the real storage, in one loop without HTTP, JSON or cryptography.
 */
import { randomBytes } from 'node:crypto';
import { openWriteConnection } from '../../src/storage/sqlite/connection.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';

export interface LimitOptions {
  readonly path: string;
  /** A row of the table `client` as the real server stored it. */
  readonly example: Readonly<Record<string, string | number | null>>;
}

export interface LimitResult {
  readonly rows: number;
  readonly seconds: number;
}

const GROUP = 64;

const { path, example } = JSON.parse(process.argv[2] ?? '') as LimitOptions;
await (await openSqliteStorage(path)).close();
const database = openWriteConnection(path, 0);
const columns = Object.keys(example);
const insert = database.prepare(
  `INSERT INTO client (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
);
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');

/** The example with other keys, of the lengths that client_id (24), instance (16) and digest (43) have. */
function insertOne(): void {
  const random = randomBytes(63).toString('base64url');
  const keys = {
    client_id: random.slice(0, 24),
    instance: random.slice(24, 40),
    registration_token_digest: random.slice(41),
  };
  insert.run(...Object.values({ ...example, ...keys }));
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
