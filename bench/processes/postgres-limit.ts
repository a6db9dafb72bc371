/**
 * The limit on PostgreSQL: the bare client library on one connection, as a superuser to which row security does not apply,
 * in one loop without HTTP, JSON or cryptography. It looks up 64 keys with one query of the storage, or inserts 64 rows
 * with one statement and one durable commit into the tables of the storage.
 */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { locatorAt } from '../../src/tokens/token-identifier.ts';
import { sampleKeys } from '../postgres.ts';

export interface PostgresLimitOptions {
  readonly url: string;
  readonly work: PostgresWork;
}

export type PostgresWork =
  | {
      /** Takes the tenant and a list of keys of `access_token` as parameters. */
      readonly lookUp: string;
      readonly tenant: string;
    }
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

export interface PostgresLimitResult {
  readonly rows: number;
  readonly seconds: number;
  /** The CPU time of this process. */
  readonly cpuSeconds: number;
}

const GROUP = 64;

const { url, work } = JSON.parse(process.argv[2] ?? '') as PostgresLimitOptions;
const client = new Client({ connectionString: url });
await client.connect();

/** A statement that inserts a group of rows. A parameter is a list with a value for each row. */
interface Insertion {
  readonly text: string;
  readonly columns: readonly string[];
}

async function insertion(table: string, firstParameter: number): Promise<Insertion> {
  const { rows } = await client.query<{ column_name: string; data_type: string }>(
    'SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position',
    [table],
  );
  const columns = rows.map(({ column_name }) => column_name);
  const lists = rows.map(({ data_type }, index) => `$${firstParameter + index}::${data_type}[]`);
  const text = `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${lists.join(', ')})`;
  return { text, columns };
}

/** Turns rows into columns for `unnest`. */
const lists = ({ columns }: Insertion, rows: readonly Row[]): unknown[] =>
  columns.map((column) => rows.map((row) => row[column] ?? null));

const group = <T>(make: (index: number) => T): readonly T[] =>
  Array.from({ length: GROUP }, (_, index) => make(index));

async function step(): Promise<() => Promise<unknown>> {
  if ('lookUp' in work) return await lookUps(work);
  return 'token' in work ? await tokens(work.token) : await registrations(work);
}

async function lookUps(asked: Extract<PostgresWork, { lookUp: string }>): Promise<() => Promise<unknown>> {
  const keys = await sampleKeys(url);
  let next = 0;
  return async () => {
    const some = group((index) => keys[(next + index) % keys.length]);
    next += GROUP;
    const { rows } = await client.query({ name: 'limit', text: asked.lookUp, values: [asked.tenant, some] });
    if (rows.length !== GROUP) throw new Error(`${rows.length} of ${GROUP} were found`);
  };
}

async function tokens(example: Row): Promise<() => Promise<unknown>> {
  const into = await insertion('access_token', 1);
  return async () => {
    const rows = group(() => ({
      ...example,
      key: locatorAt(Date.now()) + randomBytes(32).toString('base64url'),
    }));
    await client.query({ name: 'limit', text: into.text, values: lists(into, rows) });
  };
}

/** Copies the examples with other keys, as long as client_id (24), instance (16) and digest (43). */
async function registrations(examples: {
  readonly client: Row;
  readonly event: Row;
}): Promise<() => Promise<unknown>> {
  const clients = await insertion('client', 1);
  const events = await insertion('audit_event', 1 + clients.columns.length);
  const { tenant = null } = examples.client;
  const ofTenant = `$${1 + clients.columns.length + events.columns.length}::text`;
  const text = `WITH clients AS (${clients.text}), events AS (${events.text})
    INSERT INTO open_client_count (tenant, clients) VALUES (${ofTenant}, ${GROUP})
    ON CONFLICT (tenant) DO UPDATE SET clients = open_client_count.clients + excluded.clients`;
  let sequence = 0;
  return async () => {
    const rows = group(() => {
      const random = randomBytes(63).toString('base64url');
      const client_id = random.slice(0, 24);
      sequence += 1;
      const keys = { client_id, instance: random.slice(24, 40), registration_token_digest: random.slice(41) };
      return { client: { ...examples.client, ...keys }, event: { ...examples.event, client_id, sequence } };
    });
    const values = [
      ...lists(
        clients,
        rows.map((row) => row.client),
      ),
      ...lists(
        events,
        rows.map((row) => row.event),
      ),
      tenant,
    ];
    await client.query({ name: 'limit', text, values });
  };
}

const act = await step();

async function run(milliseconds: number): Promise<PostgresLimitResult> {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let rows = 0;
  while (performance.now() - begun < milliseconds) {
    await act();
    rows += GROUP;
  }
  const { user, system } = process.cpuUsage(cpu);
  return { rows, seconds: (performance.now() - begun) / 1000, cpuSeconds: (user + system) / 1e6 };
}

process.on('message', (milliseconds: number) => {
  void run(milliseconds).then((result) => process.send?.(result));
});
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
