import type { DatabaseSync } from 'node:sqlite';
import { type Storage, StorageUnavailable, type TenantStorage } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { accessTokenReads } from './access-token-reads.ts';
import { auditReads } from './audit-reads.ts';
import { authorizationCodeReads } from './authorization-code-rows.ts';
import { clientPage, clientReads } from './client-reads.ts';
import { clientUseReads } from './client-use-reads.ts';
import { openReadConnection, openScanConnection, openWriteConnection } from './connection.ts';
import { createWhereAbsent, fileIdentity, hasRoom, inspect, unavailable } from './database-file.ts';
import { GatheredWrites } from './gathered-writes.ts';
import { grantReads } from './grant-reads.ts';
import { journalReads } from './journal-reads.ts';
import { mainThreadChannel } from './main-thread-channel.ts';
import { migrate, needsMigration, refuseNewerSchema } from './migrations.ts';
import { removedServerKeyRows, serverKeyRows } from './server-key-rows.ts';
import { type ServerKeyReads, serverKeyStore } from './server-key-store.ts';
import { sessionStores } from './session-stores.ts';
import { tenantReads } from './tenant-reads.ts';
import type { WriteChannel } from './write.ts';
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
}

/** Opens or creates the database at `path`. Rejects with `StorageUnavailable`, whose message names the path. */
export async function openSqliteStorage(path: string, options: SqliteOptions = {}): Promise<Storage> {
  const lock_wait_ms_max = options.lock_wait_ms_max ?? LOCK_WAIT_MS_MAX;
  try {
    const reader = openChecked(path, lock_wait_ms_max, options.check ?? true);
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
function openChecked(path: string, lock_wait_ms_max: number, check: boolean): DatabaseSync {
  const now = Math.floor(Date.now() / 1000);
  createWhereAbsent(path, now);
  const { bytes, cleanlyClosed } = inspect(path);
  // Nothing is served yet: this connection may block for as long as a write may wait.
  const database = openWriteConnection(path, lock_wait_ms_max);
  try {
    if (check && (!cleanlyClosed || bytes < ALWAYS_CHECKED_BYTES_MAX)) refuseDamage(database, path);
    refuseNewerSchema(database, path);
    if (needsMigration(database)) migrate(database, now);
    // Opened before the other is closed: the last connection to close would lock starting processes out while it tidies up.
    return openReadConnection(path);
  } finally {
    database.close();
  }
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
  const reads = {
    clients: { ...clientReads(reader), ...clientUseReads(scanner), page: clientPage(scanner) },
    accessTokens: accessTokenReads(reader),
    authorizationCodes: authorizationCodeReads(reader),
    grants: grantReads(reader),
    serverKeys: { all: serverKeyRows(reader), removed: removedServerKeyRows(reader) },
    audit: auditReads(scanner),
    journal: journalReads(reader),
    ofEndUsers: sessionStores(reader, writes),
  };
  const tenants = tenantReads(reader);
  const opened = fileIdentity(path);
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
    async ready() {
      if (fileIdentity(path) !== opened) {
        throw new StorageUnavailable(`the database ${path} was removed or replaced while it was in use`);
      }
      if (!hasRoom(path)) throw new StorageUnavailable(`the disk of the database ${path} is full`);
      await writes.write('beat', {});
    },
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

interface Reads {
  readonly clients: ReturnType<typeof clientReads> &
    ReturnType<typeof clientUseReads> & { readonly page: ReturnType<typeof clientPage> };
  readonly accessTokens: ReturnType<typeof accessTokenReads>;
  readonly authorizationCodes: ReturnType<typeof authorizationCodeReads>;
  readonly grants: ReturnType<typeof grantReads>;
  readonly serverKeys: ServerKeyReads;
  readonly audit: ReturnType<typeof auditReads>;
  readonly journal: ReturnType<typeof journalReads>;
  readonly ofEndUsers: ReturnType<typeof sessionStores>;
}

function tenantStorage(tenant: TenantId, reads: Reads, writes: GatheredWrites): TenantStorage {
  return {
    ...reads.ofEndUsers(tenant),
    clients: {
      find: (client_id) => reads.clients.find(tenant, client_id),
      hasRegistrationToken: (digest) => reads.clients.hasRegistrationToken(tenant, digest),
      page: (after, limit) => reads.clients.page(tenant, after, limit),
      create: (client, conditions) => writes.write('createClient', { tenant, client, conditions }),
      replace: (client, expectedVersion, event) =>
        writes.write('replaceClient', { tenant, client, expectedVersion, event }),
      delete: ({ client_id, instance, version }, event) =>
        writes.write('deleteClient', { tenant, client: { client_id, instance, version }, event }),
      findShared: (digest) => reads.clients.findShared(tenant, digest),
      recordUses: (uses) => writes.write('recordClientUses', { tenant, uses }),
      uses: (client) => reads.clients.uses(tenant, client),
      idle: (before, after, limit) => reads.clients.idle(tenant, before, after, limit),
      countOpen: () => reads.clients.countOpen(tenant),
    },
    accessTokens: {
      find: (key) => reads.accessTokens.find(tenant, key),
      findInitial: (key) => reads.accessTokens.findInitial(tenant, key),
      issue: (token) => writes.write('issueAccessToken', { tenant, token }),
      pageInitial: (after, limit) => reads.accessTokens.pageInitial(tenant, after, limit),
      issueInitial: (token, label, event) =>
        writes.write('issueInitialAccessToken', { tenant, token, label, event }),
      revokeInitial: (key, event) => writes.write('revokeInitialAccessToken', { tenant, key, event }),
      revoke: (key, now) => writes.write('revokeAccessToken', { tenant, key, now }),
      sweepExpired: (now, limit) => writes.write('sweepExpired', { tenant, now, limit }),
    },
    authorizationCodes: {
      issue: (code) => writes.write('issueAuthorizationCode', { tenant, code }),
      find: (key) => reads.authorizationCodes(tenant, key),
      redeem: (key, grant, token) => writes.write('redeemAuthorizationCode', { tenant, key, grant, token }),
      sweepExpired: (now, limit) => writes.write('sweepAuthorizationCodes', { tenant, now, limit }),
    },
    grants: {
      create: (grant, token) => writes.write('createGrant', { tenant, grant, token }),
      find: (grant_id) => reads.grants(tenant, grant_id),
      refresh: (refreshing) => writes.write('refreshGrant', { tenant, refreshing }),
      end: (grant_id) => writes.write('endGrant', { tenant, grant_id }),
      endAllOf: (sub) => writes.write('endGrantsOf', { tenant, sub }),
      sweepExpired: (now, limit) => writes.write('sweepGrants', { tenant, now, limit }),
    },
    replays: {
      rememberOnce: (kind, owner, value, expires_at) =>
        writes.write('rememberOnce', { tenant, kind, owner, value, expires_at }),
      sweepExpired: (now, limit) => writes.write('sweepRememberedOnce', { tenant, now, limit }),
    },
    serverKeys: serverKeyStore(tenant, reads.serverKeys, writes),
    audit: {
      append: (event) => writes.write('appendAuditEvent', { tenant, event }),
      page: (sequence, limit) => reads.audit.page(tenant, sequence, limit),
      sweep: (at, limit) => writes.write('sweepAuditEvents', { tenant, at, limit }),
    },
    journal: {
      head: () => reads.journal.head(tenant),
      since: (sequence) => reads.journal.since(tenant, sequence),
    },
  };
}
