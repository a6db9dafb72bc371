import type { StoredObjects } from '../../ports/storage.ts';
import type { StorageMark } from '../../ports/table-dump.ts';
import type { RememberedTime } from '../../ports/time-memory.ts';
import type { Sealed } from '../../spec/identifiers.ts';
import { processRow } from '../rows.ts';
import type { DatabaseStore } from '../verbs.ts';
import type { Connection } from './connection.ts';
import { changed, one, type PostgresStore } from './noun.ts';
import { bound, type Row, statement } from './statement.ts';

const PUT_CANARY = statement(
  'canary_put',
  'INSERT INTO seal_canary (id, sealed) VALUES (1, :sealed) ON CONFLICT DO NOTHING',
);
const CANARY = statement('canary', 'SELECT sealed FROM seal_canary WHERE id = 1');
const REPLACE_CANARY = statement(
  'canary_replace',
  `INSERT INTO seal_canary (id, sealed) VALUES (1, :sealed) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed`,
);
const PUT_ISSUER = statement(
  'issuer_put',
  `INSERT INTO storage_mark (name, content) VALUES ('issuer', :issuer) ON CONFLICT DO NOTHING`,
);
const ISSUER = statement('issuer', `SELECT content FROM storage_mark WHERE name = 'issuer'`);
const REPLACE_ISSUER = statement(
  'issuer_replace',
  `INSERT INTO storage_mark (name, content) VALUES ('issuer', :issuer) ON CONFLICT (name) DO UPDATE SET content = excluded.content`,
);
/** The clock of the database server, in seconds. The cast rounds, so it may be half a second ahead. */
const DATABASE_NOW = 'extract(epoch from clock_timestamp())::bigint';
const NOTE_TIME = statement(
  'time_note',
  `INSERT INTO time_memory (id, latest, waited, confirmation)
   VALUES (1, least(:at::bigint, ${DATABASE_NOW}), :waited::bigint, :confirmation::bigint)
   ON CONFLICT (id) DO UPDATE SET latest = greatest(time_memory.latest, excluded.latest), waited = excluded.waited
   WHERE time_memory.confirmation = excluded.confirmation`,
);
const TIME = statement(
  'time',
  `SELECT latest, waited, confirmation, ${DATABASE_NOW} AS now FROM time_memory WHERE id = 1`,
);
const CONFIRM_TIME = statement(
  'time_confirm',
  `INSERT INTO time_memory (id, latest, waited, confirmation) VALUES (1, :at::bigint, 0, 1)
   ON CONFLICT (id) DO UPDATE SET latest = excluded.latest, waited = 0, confirmation = time_memory.confirmation + 1`,
);
const HEARTBEAT = statement('heartbeat', 'UPDATE heartbeat SET beats = beats + 1 WHERE id = 1');

const RECORD_PROCESS = statement(
  'process_record',
  `INSERT INTO server_process (id, name, ring, beats) VALUES (:id, :name, :ring, 1)
   ON CONFLICT (id) DO UPDATE SET ring = excluded.ring, beats = server_process.beats + 1`,
);
const PROCESSES = statement(
  'process_all',
  'SELECT id, name, ring, beats FROM server_process ORDER BY name, id',
);
const FORGET_PROCESSES = statement('process_forget', 'DELETE FROM server_process WHERE id = ANY(:ids)');

export const database: PostgresStore<DatabaseStore, 'storedCanary' | 'processes'> = {
  reads: {
    storedCanary:
      ({ primary }) =>
      async () => {
        const [row] = await primary.rows(undefined, CANARY, {});
        return row?.['sealed'] as Sealed | undefined;
      },
    processes:
      ({ primary }) =>
      async () =>
        (await primary.rows(undefined, PROCESSES, {})).map(processRow.read),
  },
  writes: {
    sealCanary: {
      locksTenant: false,
      async pipelined(transaction, sealed) {
        const [, kept] = await Promise.all([
          transaction.query(PUT_CANARY, { sealed }),
          one(transaction.query(CANARY, {})),
        ]);
        return String(kept?.['sealed']) as Sealed;
      },
    },
    replaceSealCanary: {
      locksTenant: false,
      async pipelined(transaction, sealed) {
        await transaction.query(REPLACE_CANARY, { sealed });
      },
    },
    keepIssuer: {
      locksTenant: false,
      async pipelined(transaction, issuer) {
        const [, kept] = await Promise.all([
          transaction.query(PUT_ISSUER, { issuer }),
          one(transaction.query(ISSUER, {})),
        ]);
        return String(kept?.['content']);
      },
    },
    replaceIssuer: {
      locksTenant: false,
      async pipelined(transaction, issuer) {
        await transaction.query(REPLACE_ISSUER, { issuer });
      },
    },
    recordProcess: {
      locksTenant: false,
      async pipelined(transaction, { id, name, ring }) {
        await transaction.query(RECORD_PROCESS, { id, name, ring: JSON.stringify(ring) });
      },
    },
    forgetProcesses: {
      locksTenant: false,
      async pipelined(transaction, ids) {
        await transaction.query(FORGET_PROCESSES, { ids });
      },
    },
    // PostgreSQL gives space back with its own vacuum.
    giveBackPages: { locksTenant: false, pipelined: async () => await Promise.resolve(0) },
    noteTime: {
      locksTenant: false,
      async pipelined(transaction, { at, waited, confirmation }) {
        const [, row] = await Promise.all([
          transaction.query(NOTE_TIME, { at, waited, confirmation }),
          one(transaction.query(TIME, {})),
        ]);
        const time = remembered(row);
        if (time === undefined) throw new Error('the remembered time is missing');
        return time;
      },
    },
    confirmTime: {
      locksTenant: false,
      async pipelined(transaction, at) {
        await transaction.query(CONFIRM_TIME, { at });
      },
    },
    heartbeat: {
      locksTenant: false,
      async pipelined(transaction) {
        if ((await changed(transaction.query(HEARTBEAT, {}))) !== 1)
          throw new Error('the heartbeat row is missing');
      },
    },
  },
};

/** The engine does not know on which machine its server runs: `open` adds it. */
function remembered(row: Row | undefined): RememberedTime | undefined {
  if (row === undefined) return undefined;
  const { latest, waited, confirmation, now } = row;
  return {
    latest: Number(latest),
    waited: Number(waited),
    confirmation: Number(confirmation),
    database: { now: Number(now), independent: false },
  };
}

/** Returns what the database remembers of the time; undefined before the first sighting. */
export async function timeOf(connection: Connection): Promise<RememberedTime | undefined> {
  const [outcome] = await connection.execute([bound(TIME, {})]);
  return remembered(outcome?.rows[0]);
}

const OBJECTS = statement(
  'object_estimates',
  `SELECT relname::text AS name, greatest(reltuples, 0)::bigint AS rows FROM pg_class
   WHERE relkind = 'r' AND pg_table_is_visible(oid)
     AND relname IN ('client', 'account', 'session', 'authorization_grant', 'access_token', 'client_version')`,
);

/** Returns how many rows of each kind all tenants have, as the last VACUUM or ANALYZE estimated. Row security hides a count. */
export async function estimateObjects(connection: Connection): Promise<StoredObjects> {
  const [outcome] = await connection.execute([bound(OBJECTS, {})]);
  const rows = new Map((outcome?.rows ?? []).map((row) => [String(row['name']), Number(row['rows'])]));
  const of = (table: string): number => rows.get(table) ?? 0;
  return {
    clients: of('client'),
    accounts: of('account'),
    sessions: of('session'),
    grants: of('authorization_grant'),
    accessTokens: of('access_token'),
    clientVersions: of('client_version'),
  };
}

const MARK = statement('mark', 'SELECT content FROM storage_mark WHERE name = :name');

/** Returns a mark that the database carries about itself; undefined if it has none. */
export async function markOf(connection: Connection, name: StorageMark): Promise<string | undefined> {
  const [outcome] = await connection.execute([bound(MARK, { name })]);
  const content = outcome?.rows[0]?.['content'];
  return typeof content === 'string' ? content : undefined;
}
