import { type Storage, StorageUnavailable } from '../../ports/storage.ts';
import { refuseUnfinishedCopy } from '../copy-mark.ts';
import { parseRestoration } from '../mark-restored.ts';
import { type Reads, tenantStorage } from '../tenant-storage.ts';
import { accessTokenReads } from './access-token-rows.ts';
import { accountReads } from './account-rows.ts';
import { auditReads } from './audit-rows.ts';
import { authorizationCodeReads } from './authorization-code-rows.ts';
import { clientReads } from './client-rows.ts';
import { consentReads } from './consent-rows.ts';
import { unavailable } from './database-error.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { GatheredReads } from './gathered-reads.ts';
import { grantReads } from './grant-rows.ts';
import { interactionReads } from './interaction-rows.ts';
import { journalReads } from './journal-rows.ts';
import { logoutNotificationReads } from './logout-notification-rows.ts';
import { migrate, pending, schemaState } from './migrations.ts';
import { Pool } from './pool.ts';
import { PostgresWrites } from './postgres-writes.ts';
import { Promotions } from './promotions.ts';
import { serverKeyReads } from './server-key-rows.ts';
import { sessionReads } from './session-rows.ts';
import { markOf } from './storage-mark-rows.ts';
import { tenantReads } from './tenant-rows.ts';
import { concernsOfRole } from './tenant-scope.ts';

export interface PostgresOptions {
  /** In all; half of them for reads. */
  readonly connections_max: number;
  /** For connecting, for each round trip, and for waiting for a free connection. */
  readonly deadline_ms: number;
  /** Whether a schema that is behind is brought up to date; otherwise such a database is refused. */
  readonly migrate: boolean;
  /** Where pages of clients are read instead; empty: nowhere else. */
  readonly replica: string;
}

/** Opens the database at a `postgres:` URL. Rejects with `StorageUnavailable`, whose message has no password in it. */
export async function openPostgresStorage(url: string, options: PostgresOptions): Promise<Storage> {
  const { connections_max, deadline_ms } = options;
  const database = parseDatabaseUrl(url);
  const forReads = Math.max(1, Math.ceil(connections_max / 2));
  // A host alone has nobody who could have been promoted since.
  const promotions = database.hosts.length > 1 ? new Promotions() : undefined;
  const primary = { deadline_ms, writable: true, promotions };
  const readers = new Pool(database, { ...primary, connections_max: forReads });
  const writers = new Pool(database, {
    ...primary,
    connections_max: Math.max(1, connections_max - forReads),
  });
  const pools = [readers, writers];
  const replica =
    options.replica === ''
      ? readers
      : new Pool(parseDatabaseUrl(options.replica), {
          deadline_ms,
          writable: false,
          connections_max: forReads,
        });
  if (replica !== readers) pools.push(replica);
  try {
    await prepare(writers, options);
  } catch (error) {
    await closeAll(pools);
    throw unavailable(error);
  }
  const concerns = (): Promise<readonly string[]> => readers.with(concernsOfRole);
  return storage(
    concerns,
    new GatheredReads(readers),
    new GatheredReads(replica),
    new PostgresWrites(writers),
    pools,
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

function storage(
  concerns: Storage['concerns'],
  reading: GatheredReads,
  replica: GatheredReads,
  writes: PostgresWrites,
  pools: readonly Pool[],
): Storage {
  const reads: Reads = {
    clients: clientReads(reading, replica),
    accessTokens: accessTokenReads(reading),
    authorizationCodes: authorizationCodeReads(reading),
    grants: grantReads(reading),
    accounts: accountReads(reading),
    sessions: sessionReads(reading),
    logoutNotifications: logoutNotificationReads(reading),
    interactions: interactionReads(reading),
    consents: consentReads(reading),
    serverKeys: serverKeyReads(reading),
    audit: auditReads(reading),
    journal: journalReads(reading),
  };
  let closed: Promise<void> | undefined;
  return {
    forTenant: (tenant) => tenantStorage(tenant, reads, writes),
    tenants: {
      ...tenantReads(reading),
      create: (tenant, event) => writes.write('createTenant', { tenant, event }),
      replace: (id, expectedVersion, content, event) =>
        writes.write('replaceTenant', { id, expectedVersion, content, event }),
    },
    sealCanary: (sealed) => writes.write('sealCanary', { sealed }),
    replaceSealCanary: (sealed) => writes.write('replaceSealCanary', { sealed }),
    restoration: async () =>
      parseRestoration(await pools[0]?.with((connection) => markOf(connection, 'restored'))),
    async ready() {
      await writes.write('beat', {});
    },
    concerns,
    close() {
      closed ??= writes.drain().then(() => closeAll(pools));
      return closed;
    },
  };
}

async function closeAll(pools: readonly Pool[]): Promise<void> {
  await Promise.all(pools.map((pool) => pool.close()));
}
