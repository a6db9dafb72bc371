import {
  type PoolFigures,
  type Storage,
  type StorageMeter,
  StorageUnavailable,
} from '../../ports/storage.ts';
import type { RememberedTime, TimeMemory } from '../../ports/time-memory.ts';
import { FailedReads } from '../failed-reads.ts';
import { parseRestoration, refuseUnfinishedCopy } from '../marks.ts';
import { type DatabaseStore, tenantStorage, wholeStores } from '../verbs.ts';
import { type Connection, Promotions } from './connection.ts';
import { estimateObjects, markOf, timeOf } from './database.ts';
import { isFailedRead, unavailable } from './database-error.ts';
import { isOwnMachine, parseDatabaseUrl } from './database-url.ts';
import { GatheredReads } from './gathered-reads.ts';
import { GatheredWrites } from './gathered-writes.ts';
import { migrate, pending, schemaState } from './migrations.ts';
import { openStores } from './nouns.ts';
import { Pool } from './pool.ts';
import { bound, statement } from './statement.ts';

/** Row security does not apply to a superuser or a role with BYPASSRLS. */
const ROLE = statement(
  'role_beyond_row_security',
  'SELECT rolname FROM pg_roles WHERE rolname = CURRENT_USER AND (rolsuper OR rolbypassrls)',
);

/** Returns a warning if row security does not apply to the role of the connection. */
async function concernsOfRole(connection: Connection): Promise<readonly string[]> {
  const [outcome] = await connection.execute([bound(ROLE, {})]);
  return (outcome?.rows ?? []).map(
    ({ rolname }) =>
      `the database role ${JSON.stringify(rolname)} is a superuser or has BYPASSRLS: row security, the second lock between tenants, does not hold for it`,
  );
}

/** Settings of a PostgreSQL that loses or damages acknowledged changes when its machine crashes. Other engines have neither. */
const UNSAFE_SETTINGS = statement(
  'unsafe_settings',
  `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off' ORDER BY name`,
);

/** Returns a warning for each setting of the database server that ends durability. */
async function concernsOfDurability(connection: Connection): Promise<readonly string[]> {
  const [outcome] = await connection.execute([bound(UNSAFE_SETTINGS, {})]);
  return (outcome?.rows ?? []).map(
    ({ name }) =>
      `PostgreSQL runs with ${String(name)}=off: a crash of its machine loses or damages what this server has acknowledged; set ${String(name)}=on`,
  );
}

export interface PostgresOptions {
  /** The number of connections in all. Half of them serve reads. */
  readonly connections_max: number;
  /** Limits connecting, each round trip, and the wait for a free connection. */
  readonly deadline_ms: number;
  /** Whether to bring an old schema up to date. Otherwise a database with an old schema is refused. */
  readonly migrate: boolean;
  /** Is called for each read that fails because of the disk or the data. */
  readonly failedRead?: () => void;
  readonly meter?: StorageMeter | undefined;
  /** The URL of a standby that serves pages of clients; empty if there is none. */
  readonly replica: string;
}

/** Opens the database at a `postgres:` URL. Rejects with `StorageUnavailable`, whose message has no password in it. */
export async function openPostgresStorage(url: string, options: PostgresOptions): Promise<Storage> {
  const { connections_max, deadline_ms, meter } = options;
  const database = parseDatabaseUrl(url);
  const forReads = Math.max(1, Math.ceil(connections_max / 2));
  // With one host, no other server can be promoted.
  const promotions = database.hosts.length > 1 ? new Promotions() : undefined;
  const primary = { deadline_ms, writable: true, promotions };
  const used = (kind: 'read' | 'write') =>
    meter === undefined ? undefined : (seconds: number) => meter.took(kind, seconds);
  const readers = new Pool(database, { ...primary, connections_max: forReads, used: used('read') });
  const writers = new Pool(database, {
    ...primary,
    connections_max: Math.max(1, connections_max - forReads),
    used: used('write'),
  });
  const pools = [readers, writers];
  const replica =
    options.replica === ''
      ? readers
      : new Pool(parseDatabaseUrl(options.replica), {
          deadline_ms,
          writable: false,
          connections_max: forReads,
          used: used('read'),
        });
  if (replica !== readers) pools.push(replica);
  try {
    await prepare(writers, options);
  } catch (error) {
    await closeAll(pools);
    throw unavailable(error);
  }
  const failedReads = new FailedReads(() => performance.now(), isFailedRead, options.failedRead);
  const concerns = (): Promise<readonly string[]> =>
    writers.with(async (connection) => [
      ...(await concernsOfRole(connection)),
      ...(await concernsOfDurability(connection)),
    ]);
  return storage(
    concerns,
    {
      primary: new GatheredReads(readers, failedReads),
      replica: new GatheredReads(replica, failedReads),
      failedReads,
    },
    new GatheredWrites(writers, meter),
    { pools, independent: !database.hosts.some(isOwnMachine) },
  );
}

async function prepare(pool: Pool, options: Pick<PostgresOptions, 'migrate'>): Promise<void> {
  await prepareSchema(pool, options);
  refuseUnfinishedCopy(await pool.with((connection) => markOf(connection, 'copy')));
}

async function prepareSchema(pool: Pool, options: Pick<PostgresOptions, 'migrate'>): Promise<void> {
  const behind = await pool.with(async (connection) => pending(await schemaState(connection)));
  if (behind.length === 0) return;
  if (!options.migrate) {
    throw new StorageUnavailable(
      'the schema of the database is behind this program: run chancery migrate up',
    );
  }
  await pool.with((connection) => migrate(connection, Math.floor(Date.now() / 1000)));
}

interface Reads {
  readonly primary: GatheredReads;
  readonly replica: GatheredReads;
  readonly failedReads: FailedReads;
}

function storage(
  concerns: Storage['concerns'],
  { primary, replica, failedReads }: Reads,
  writes: GatheredWrites,
  { pools, independent }: { readonly pools: readonly Pool[]; readonly independent: boolean },
): Storage {
  const { tenants, database, ...stores } = openStores({ primary, replica });
  const whole = wholeStores({ tenants, database }, writes);
  let closed: Promise<void> | undefined;
  return {
    forTenant: (tenant) => tenantStorage(tenant, stores, writes),
    tenants: whole.tenants,
    sealCanary: (sealed) => whole.database.sealCanary(sealed),
    replaceSealCanary: (sealed) => whole.database.replaceSealCanary(sealed),
    keepIssuer: (issuer) => whole.database.keepIssuer(issuer),
    replaceIssuer: (issuer) => whole.database.replaceIssuer(issuer),
    storedCanary: () => whole.database.storedCanary(),
    recordProcess: (process) => whole.database.recordProcess(process),
    processes: () => whole.database.processes(),
    forgetProcesses: (ids) => whole.database.forgetProcesses(ids),
    figures: () => ({ writesWaiting: writes.unanswered, pools: pools.map(figuresOf) }),
    objects: async () => (await pools[0]?.with(estimateObjects)) ?? NO_OBJECTS,
    time: timeMemory(whole.database, pools, independent),
    restoration: async () =>
      parseRestoration(await pools[0]?.with((connection) => markOf(connection, 'restored'))),
    async ready() {
      const failing = failedReads.problem();
      if (failing !== undefined) throw new StorageUnavailable(`the database cannot be read: ${failing}`);
      await whole.database.heartbeat();
    },
    concerns,
    close() {
      closed ??= writes.drain().then(() => closeAll(pools));
      return closed;
    },
  };
}

const NO_OBJECTS = { clients: 0, accounts: 0, sessions: 0, grants: 0, accessTokens: 0, clientVersions: 0 };

/** The pools stand in this order. */
const POOLS = ['read', 'write', 'replica'] as const;

const figuresOf = (pool: Pool, place: number): PoolFigures => ({
  pool: POOLS[place] ?? 'replica',
  ...pool.figures(),
});

/** @param independent whether the clock of the database server is that of another machine */
function timeMemory(database: DatabaseStore, pools: readonly Pool[], independent: boolean): TimeMemory {
  const withWitness = (time: RememberedTime): RememberedTime => ({
    ...time,
    database: time.database && { ...time.database, independent },
  });
  return {
    async remembered() {
      const time = await pools[0]?.with(timeOf);
      return time && withWitness(time);
    },
    note: async (sighting) => withWitness(await database.noteTime(sighting)),
    confirm: (at) => database.confirmTime(at),
  };
}

async function closeAll(pools: readonly Pool[]): Promise<void> {
  await Promise.all(pools.map((pool) => pool.close()));
}
