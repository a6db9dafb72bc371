import type { DatabaseSync } from 'node:sqlite';
import { type Storage, StorageUnavailable } from '../../ports/storage.ts';
import type { StorageMark } from '../../ports/table-dump.ts';
import { refuseUnfinishedCopy } from '../copy-mark.ts';
import { GatheredWrites } from '../gathered-writes.ts';
import { parseRestoration } from '../mark-restored.ts';
import { type Reads, tenantStorage } from '../tenant-storage.ts';
import type { WriteChannel } from '../write.ts';
import { accessTokenReads } from './access-token-reads.ts';
import { accountReads } from './account-reads.ts';
import { auditReads } from './audit-reads.ts';
import { authorizationCodeReads } from './authorization-code-rows.ts';
import { callbackSnapshot } from './callback-snapshot.ts';
import { clientPage, clientReads } from './client-reads.ts';
import { clientUseReads } from './client-use-reads.ts';
import { openReadConnection, openScanConnection, openWriteConnection } from './connection.ts';
import { consentReads } from './consent-rows.ts';
import { createWhereAbsent, fileIdentity, hasRoom, inspect, unavailable } from './database-file.ts';
import { grantReads, grantsOfSubject } from './grant-reads.ts';
import { interactionReads } from './interaction-reads.ts';
import { journalReads } from './journal-reads.ts';
import { logoutNotificationReads } from './logout-notification-rows.ts';
import { mainThreadChannel } from './main-thread-channel.ts';
import { migrate, needsMigration, refuseNewerSchema } from './migrations.ts';
import { removedServerKeyRows, serverKeyRows } from './server-key-rows.ts';
import { sessionReads } from './session-reads.ts';
import { tenantReads } from './tenant-reads.ts';
import { WriterThreadChannel } from './writer-thread-channel.ts';

const LOCK_WAIT_MS_MAX = 5000;
/** A larger database that was closed cleanly is not read through at every start. */
const ALWAYS_CHECKED_BYTES_MAX = 64 * 1024 * 1024;

export interface SqliteOptions {
  /** `thread` (ADR 0003) or one grouped commit per event-loop turn on the calling thread. */
  readonly writer?: 'thread' | 'main';
  /** How long a write waits for a lock that another process holds. */
  readonly lock_wait_ms_max?: number;
  /**
   * Whether a database that may be damaged is read through first. A server does so at its start; a command that runs
   * beside one need not, and would take as long as the database is large.
   */
  readonly check?: boolean;
  /** Whether a schema that is behind is brought up to date; otherwise such a database is refused. */
  readonly migrate?: boolean;
}

/** Opens or creates the database at `path`. Rejects with `StorageUnavailable`, whose message names the path. */
export async function openSqliteStorage(path: string, options: SqliteOptions = {}): Promise<Storage> {
  const lock_wait_ms_max = options.lock_wait_ms_max ?? LOCK_WAIT_MS_MAX;
  try {
    const reader = openChecked(path, lock_wait_ms_max, options);
    const channel =
      options.writer === 'main'
        ? mainThreadChannel(path, lock_wait_ms_max)
        : new WriterThreadChannel(path, lock_wait_ms_max);
    return storage(path, reader, channel);
  } catch (error) {
    throw unavailable(path, error);
  }
}

/** Creates, checks and migrates the database where that is needed, and answers the connection for reads. */
function openChecked(
  path: string,
  lock_wait_ms_max: number,
  { check = true, migrate: mayMigrate = true }: SqliteOptions,
): DatabaseSync {
  const now = Math.floor(Date.now() / 1000);
  createWhereAbsent(path, now);
  const { bytes, cleanlyClosed } = inspect(path);
  // Nothing is served yet: this connection may block for as long as a write may wait.
  const database = openWriteConnection(path, lock_wait_ms_max);
  try {
    if (check && (!cleanlyClosed || bytes < ALWAYS_CHECKED_BYTES_MAX)) refuseDamage(database, path);
    refuseNewerSchema(database, path);
    if (needsMigration(database)) {
      if (!mayMigrate) {
        throw new StorageUnavailable(
          `the schema of the database ${path} is behind this program: run chancery migrate up`,
        );
      }
      migrate(database, now);
    }
    refuseUnfinishedCopy(markOf(database, 'copy'));
    // Opened before the other is closed: the last connection to close would lock starting processes out while it tidies up.
    return openReadConnection(path);
  } finally {
    database.close();
  }
}

/** The files of the log stay the same for as long as one connection is open. */
const logIdentity = (path: string): string =>
  ['-wal', '-shm'].map((suffix) => fileIdentity(`${path}${suffix}`)).join(' ');

function markOf(database: DatabaseSync, name: StorageMark): string | undefined {
  const row = database.prepare('SELECT content FROM storage_mark WHERE name = ?').get(name);
  return row === undefined ? undefined : String(row['content']);
}

function refuseDamage(database: DatabaseSync, path: string): void {
  const finding = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  if (finding === 'ok') return;
  const line = finding.replaceAll(/\s+/g, ' ');
  throw new StorageUnavailable(`the database ${path} is damaged (${line}): restore it from a backup`);
}

function storage(path: string, reader: DatabaseSync, channel: WriteChannel): Storage {
  const writes = new GatheredWrites(channel);
  const scanner = openScanConnection(path);
  const snapshot = callbackSnapshot(reader);
  const reads: Reads = {
    clients: { ...clientReads(reader), ...clientUseReads(scanner), page: clientPage(scanner) },
    accessTokens: accessTokenReads(reader, snapshot),
    authorizationCodes: { find: authorizationCodeReads(reader) },
    grants: { find: grantReads(reader), ofSubject: grantsOfSubject(reader) },
    accounts: accountReads(reader),
    sessions: sessionReads(reader),
    logoutNotifications: logoutNotificationReads(reader),
    interactions: interactionReads(reader),
    consents: consentReads(reader),
    serverKeys: { all: serverKeyRows(reader), removed: removedServerKeyRows(reader) },
    audit: auditReads(scanner),
    journal: journalReads(reader, snapshot),
  };
  const tenants = tenantReads(reader);
  const opened = fileIdentity(path);
  const log = logIdentity(path);
  let closed: Promise<void> | undefined;
  return {
    forTenant: (tenant) => tenantStorage(tenant, reads, writes),
    tenants: {
      version: () => tenants.version(),
      all: () => tenants.all(),
      create: (tenant, event) => writes.write('createTenant', { tenant, event }),
      replace: (id, expectedVersion, content, event) =>
        writes.write('replaceTenant', { id, expectedVersion, content, event }),
    },
    sealCanary: (sealed) => writes.write('sealCanary', { sealed }),
    replaceSealCanary: (sealed) => writes.write('replaceSealCanary', { sealed }),
    restoration: async () => await Promise.resolve(parseRestoration(markOf(reader, 'restored'))),
    async ready() {
      if (fileIdentity(path) !== opened) {
        throw new StorageUnavailable(`the database ${path} was removed or replaced while it was in use`);
      }
      if (logIdentity(path) !== log) {
        throw new StorageUnavailable(
          `the log of the database ${path} was removed or replaced while it was in use: end the server with SIGTERM, which saves what is in it`,
        );
      }
      if (!hasRoom(path)) throw new StorageUnavailable(`the disk of the database ${path} is full`);
      await writes.write('beat', {});
    },
    concerns: () => Promise.resolve([]),
    close() {
      closed ??= close([reader, scanner], channel, writes);
      return closed;
    },
  };
}

async function close(
  readers: readonly DatabaseSync[],
  channel: WriteChannel,
  writes: GatheredWrites,
): Promise<void> {
  await writes.drain();
  // The last connection to close empties and removes the log: that must be the one that may write.
  for (const reader of readers) reader.close();
  await channel.close();
}
