import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '../../ports/log.ts';
import {
  type Storage,
  type StorageFile,
  type StorageMeter,
  StorageUnavailable,
} from '../../ports/storage.ts';
import type { StorageMark } from '../../ports/table-dump.ts';
import { DERIVED_TABLES, DUMPED_TABLES } from '../dumped-tables.ts';
import { FailedReads } from '../failed-reads.ts';
import { parseRestoration, refuseUnfinishedCopy } from '../marks.ts';
import { type DatabaseStore, tenantStorage, wholeStores } from '../verbs.ts';
import {
  callbackSnapshot,
  isDamage,
  isInputOutputError,
  openLookUpConnection,
  openReadConnection,
  openWriteConnection,
} from './connection.ts';
import { countObjects, sizeReading, timeReading } from './database.ts';
import { createWhereAbsent, displacement, filesAt, hasRoom, inspect, unavailable } from './database-file.ts';
import { BesideCheck, logBytes, refuseDamagedRoots } from './file-check.ts';
import { logReaders } from './log-readers.ts';
import { migrate, needsMigration, refuseNewerSchema } from './migrations.ts';
import { openStores } from './nouns.ts';
import type { DatabasePlace } from './write-batch.ts';
import {
  GatheredWrites,
  mainThreadChannel,
  type WriteChannel,
  WriterThreadChannel,
} from './write-channel.ts';

const LOCK_WAIT_MS_MAX = 5000;
/**
 * A smaller database is checked whole before use, in less than half a second. A larger one is checked only if it was not
 * closed cleanly, and then beside the requests (ADR 46).
 */
const ALWAYS_CHECKED_BYTES_MAX = 64 * 1024 * 1024;

export interface SqliteOptions {
  /** `thread` (ADR 0003) or one grouped commit per event-loop turn on the calling thread. */
  readonly writer?: 'thread' | 'main';
  /** How long a write waits for a lock that another process holds. */
  readonly lock_wait_ms_max?: number;
  /**
   * Whether to check a database that may be damaged before use. A server does so at its start. A command that runs beside
   * a server need not, and the check takes longer the larger the database is.
   */
  readonly check?: boolean;
  /** Is called for each read that fails because of the disk or the file. */
  readonly failedRead?: () => void;
  readonly meter?: StorageMeter | undefined;
  /** Receives the progress of a check that runs beside the requests. */
  readonly log?: Log;
  /** Whether to create the file if there is none. */
  readonly create?: boolean;
  /** Whether to bring an old schema up to date. Otherwise a database with an old schema is refused. */
  readonly migrate?: boolean;
}

/** Opens or creates the database at `path`. Rejects with `StorageUnavailable`, whose message names the path. */
export async function openSqliteStorage(path: string, options: SqliteOptions = {}): Promise<Storage> {
  const lock_wait_ms_max = options.lock_wait_ms_max ?? LOCK_WAIT_MS_MAX;
  const opened: { close(): unknown }[] = [];
  const closedOnFailure = <T extends { close(): unknown }>(part: T): T => {
    opened.unshift(part);
    return part;
  };
  try {
    createWhereAbsent(path, secondsNow(), options.create ?? true);
    const { bytes, cleanlyClosed } = inspect(path);
    const large = bytes + logBytes(path) >= ALWAYS_CHECKED_BYTES_MAX;
    const beside =
      options.check !== false && large && !cleanlyClosed
        ? closedOnFailure(new BesideCheck(path, lock_wait_ms_max, options.log ?? SILENT))
        : undefined;
    await beside?.recovered;
    const checked = options.check === false ? 'nothing' : large ? 'roots' : 'everything';
    const reader = closedOnFailure(openChecked(path, lock_wait_ms_max, { ...options, checked }));
    const place = { path, files: filesAt(path) };
    const channel = closedOnFailure(
      options.writer === 'main'
        ? mainThreadChannel(place, lock_wait_ms_max)
        : new WriterThreadChannel(place, lock_wait_ms_max),
    );
    return storage(place, { reader, channel, beside, ...options });
  } catch (error) {
    // A thread that writes would keep a process alive whose start has failed.
    for (const part of opened) await part.close();
    throw unavailable(path, error);
  }
}

const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

const secondsNow = (): number => Math.floor(Date.now() / 1000);

interface Opening extends Pick<SqliteOptions, 'migrate'> {
  readonly checked: 'nothing' | 'roots' | 'everything';
}

/** Checks and migrates the database where necessary; returns the connection for reads. */
function openChecked(
  path: string,
  lock_wait_ms_max: number,
  { checked, migrate: mayMigrate = true }: Opening,
): DatabaseSync {
  // The server does not serve requests yet, so this connection may block for as long as a write may wait.
  const database = openWriteConnection(path, lock_wait_ms_max);
  try {
    if (checked === 'everything') refuseDamage(database, path);
    else if (checked === 'roots') refuseDamagedRoots(database, path);
    refuseNewerSchema(database, path);
    if (needsMigration(database)) {
      if (!mayMigrate) {
        throw new StorageUnavailable(
          `the schema of the database ${path} is behind this program: run chancery migrate up`,
        );
      }
      migrate(database, secondsNow());
    }
    refuseMissingTable(database, path);
    refuseUnfinishedCopy(markOf(database, 'copy'));
    // The reader opens before the other connection closes: the last connection to close locks starting processes out.
    return openLookUpConnection(path);
  } finally {
    database.close();
  }
}

function markOf(database: DatabaseSync, name: StorageMark): string | undefined {
  const row = database.prepare('SELECT content FROM storage_mark WHERE name = ?').get(name);
  return row === undefined ? undefined : String(row['content']);
}

function refuseDamage(database: DatabaseSync, path: string): void {
  const finding = String(database.prepare('PRAGMA quick_check(1)').get()?.['quick_check']);
  if (finding === 'ok') return;
  const line = finding.replaceAll(/\s+/g, ' ');
  throw new StorageUnavailable(damageLine(path, line));
}

/** `counters` is no table here: SQLite derives it. */
const TABLES = [...DUMPED_TABLES, ...DERIVED_TABLES]
  .map(({ name }) => name)
  .filter((name) => name !== 'counters');

/** Looks before the start: a statement is prepared at its first use, which may be a request. */
function refuseMissingTable(database: DatabaseSync, path: string): void {
  const found = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(found.map(({ name }) => name));
  const missing = TABLES.find((name) => !names.has(name));
  if (missing !== undefined) throw new StorageUnavailable(damageLine(path, `no such table: ${missing}`));
}

const damageLine = (path: string, finding: string): string =>
  `the database ${path} is damaged (${finding}): restore it from a backup`;

interface Opened extends Pick<SqliteOptions, 'failedRead' | 'meter'> {
  readonly reader: DatabaseSync;
  readonly channel: WriteChannel;
  readonly beside: BesideCheck | undefined;
}

function storage(
  { path, files }: DatabasePlace,
  { reader, channel, beside, failedRead, meter }: Opened,
): Storage {
  const writes = new GatheredWrites(channel, meter);
  const scanner = openReadConnection(path);
  const failedReads = new FailedReads(
    () => performance.now(),
    (error) => isInputOutputError(error) || isDamage(error),
    failedRead,
  );
  const connections = { lookUps: reader, scans: scanner, snapshot: callbackSnapshot(reader), failedReads };
  const { tenants, database, ...stores } = openStores(connections);
  const whole = wholeStores({ tenants, database }, writes);
  const remembered = timeReading(reader);
  let closed: Promise<void> | undefined;
  let damage: string | undefined;
  const stopWrites = (reason: string): void => {
    damage ??= reason;
    writes.stop(damage);
  };
  const heedDamage = async (): Promise<void> => {
    const outcome = await beside?.ended;
    if (outcome?.state === 'damaged') stopWrites(damageLine(path, outcome.reason));
  };
  void heedDamage();
  return {
    ...(beside === undefined ? {} : { fileCheck: beside }),
    stopWrites,
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
    file: storageFile(path, scanner, whole.database),
    figures: () => ({ writesWaiting: writes.unanswered, pools: [] }),
    objects: async () => await Promise.resolve(countObjects(scanner)),
    time: {
      remembered: async () => await Promise.resolve(remembered()),
      note: (sighting) => whole.database.noteTime(sighting),
      confirm: (at) => whole.database.confirmTime(at),
    },
    restoration: async () => await Promise.resolve(parseRestoration(markOf(reader, 'restored'))),
    async ready() {
      if (damage !== undefined) throw new StorageUnavailable(damage, { writesStopped: true });
      const displaced = displacement(path, files);
      if (displaced !== undefined) throw new StorageUnavailable(displaced, { writesStopped: true });
      if (!hasRoom(path)) throw new StorageUnavailable(`the disk of the database ${path} is full`);
      const failing = failedReads.problem();
      if (failing !== undefined)
        throw new StorageUnavailable(`the database ${path} cannot be read: ${failing}`);
      await whole.database.heartbeat();
    },
    concerns: () => Promise.resolve([]),
    close() {
      closed ??= (async () => {
        await beside?.close();
        await close([reader, scanner], channel, writes);
      })();
      return closed;
    },
  };
}

const storageFile = (path: string, scanner: DatabaseSync, database: DatabaseStore): StorageFile => ({
  size: sizeReading(scanner, path),
  logReaders: () => logReaders(path),
  giveBack: (pages) => database.giveBackPages(pages),
});

async function close(
  readers: readonly DatabaseSync[],
  channel: WriteChannel,
  writes: GatheredWrites,
): Promise<void> {
  await writes.drain();
  // The last connection to close empties and removes the log, so the writing connection must close last.
  for (const reader of readers) reader.close();
  await channel.close();
}
