import { setTimeout as sleep } from 'node:timers/promises';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { SealBroken, type Sealer } from '../ports/sealer.ts';
import { type Storage, type StorageMeter, StorageUnavailable } from '../ports/storage.ts';
import type { TableDump } from '../ports/table-dump.ts';
import type { Sealed } from '../spec/identifiers.ts';
import type { PostgresOptions } from '../storage/postgres/open.ts';
import type { Schema } from '../storage/schema.ts';
import { keyName, sealerWith } from '../system/sealer.ts';

const CANARY_PLACE = 'canary';

export function sealerOf(settings: Settings): Sealer {
  return sealerWith(ringKeys(settings));
}

/** Returns the keys in the ring, the one that seals first. */
export const ringKeys = (settings: Settings): readonly Uint8Array[] =>
  (settings['encryption.key'] ?? []).map((key) => Buffer.from(key, 'hex'));

/** Returns the names of the keys in the ring, the one that seals first. */
export const ringOf = (settings: Settings): readonly string[] =>
  ringKeys(settings).map((key) => keyName(key));

/** The path of the SQLite file; undefined for another engine. */
export function sqlitePath(settings: Settings): string | undefined {
  return sqlitePathOf(settings['storage.url']);
}

/** The path in a `storage.url`; undefined where it names another engine. */
export function sqlitePathOf(url: string): string | undefined {
  return url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
}

/** In production a schema that is behind the program is refused: an operator decides when it changes (`chancery migrate`). */
export async function openStorage(
  settings: Settings,
  {
    check,
    create = false,
    mode,
    log,
    failedRead = () => undefined,
    meter,
  }: {
    readonly check: boolean;
    /** Whether to create an SQLite file that is not there. */
    readonly create?: boolean;
    readonly mode: Mode;
    readonly log?: Log;
    /** Is called for each read that fails because of the disk or the data. */
    readonly failedRead?: () => void;
    readonly meter?: StorageMeter | undefined;
  },
): Promise<Storage> {
  const path = sqlitePath(settings);
  const migrate = mode === 'development';
  if (path !== undefined) {
    const lines = log === undefined ? {} : { log };
    const lock_wait_ms_max = settings['storage.deadline'];
    const { openSqliteStorage } = await import('../storage/sqlite/open.ts');
    return await openSqliteStorage(path, {
      check,
      create,
      migrate,
      lock_wait_ms_max,
      failedRead,
      meter,
      ...lines,
    });
  }
  const { openPostgresStorage } = await import('../storage/postgres/open.ts');
  return await openPostgresStorage(settings['storage.url'], {
    ...postgresLimits(settings),
    migrate,
    failedRead,
    meter,
  });
}

function postgresLimits(settings: Settings): Omit<PostgresOptions, 'migrate' | 'failedRead' | 'meter'> {
  return {
    connections_max: settings['storage.connections'],
    deadline_ms: settings['storage.deadline'],
    replica: settings['storage.replica-url'] === 'none' ? '' : settings['storage.replica-url'],
  };
}

/** Opens the schema of the database that the settings name. */
export async function openSchema(settings: Settings): Promise<Schema> {
  return await openSchemaAt(settings['storage.url'], settings['storage.deadline']);
}

const SCHEMA_DEADLINE_MS = 2000;

/** Opens the schema of the database at a `storage.url`. */
export async function openSchemaAt(url: string, deadline_ms = SCHEMA_DEADLINE_MS): Promise<Schema> {
  const path = sqlitePathOf(url);
  if (path === undefined) {
    const { openPostgresSchema } = await import('../storage/postgres/migrations.ts');
    return openPostgresSchema(url, deadline_ms);
  }
  const { openSqliteSchema } = await import('../storage/sqlite/sqlite-schema.ts');
  return openSqliteSchema(path);
}

/** Opens the rows of the database at a `storage.url`. */
export async function tablesAt(url: string): Promise<TableDump> {
  const path = sqlitePathOf(url);
  if (path === undefined) {
    const { postgresTables } = await import('../storage/postgres/table-dump.ts');
    return postgresTables(url);
  }
  const { sqliteTables } = await import('../storage/sqlite/table-dump.ts');
  return sqliteTables(path);
}

export interface WaitingNeeds {
  readonly settings: Settings;
  readonly mode: Mode;
  readonly log: Log;
  readonly failedRead: () => void;
  readonly meter: StorageMeter;
  /** Whether to check the SQLite file. One process of a server does. */
  readonly check: boolean;
  /** Ends the waiting. */
  readonly stopped: AbortSignal;
  /** Called once, where there is something to wait for; what it answers is called when that is over. */
  readonly meanwhile: () => Promise<() => Promise<void>>;
}

const WAIT_MS = 1000;
/** If opening takes longer, the listeners answer meanwhile that the database is away. */
const SLOW_OPENING_MS = 500;

/**
 * Opens the storage of a server and waits for a database that is not reachable yet, so that servers and databases start in
 * any order. Rejects at once for a lasting problem (a wrong password, an outdated schema), and for every problem of SQLite.
 * Returns undefined if it is stopped meanwhile.
 */
export async function openStorageWhenThere(
  needs: WaitingNeeds,
): Promise<{ readonly storage: Storage; readonly sealer: Sealer } | undefined> {
  const { settings, log, stopped } = needs;
  const sealer = sealerOf(settings);
  let reason: string | undefined;
  let waiting: ReturnType<WaitingNeeds['meanwhile']> | undefined;
  const wait = async (): Promise<unknown> => await (waiting ??= needs.meanwhile());
  try {
    while (!stopped.aborted) {
      // A large log of SQLite takes seconds to recover. A failure to listen is reported at the end.
      const slow = setTimeout(() => void wait().catch(() => undefined), SLOW_OPENING_MS);
      try {
        const storage = await openReady(needs, sealer);
        if (reason !== undefined) log.info({}, 'the database is there');
        return { storage, sealer };
      } catch (failure) {
        if (!(failure instanceof StorageUnavailable && failure.mayComeBack)) throw failure;
        await wait();
        if (reason !== failure.message) {
          log.warn({ reason: failure.message }, 'the database is away: waiting for it, nothing is served');
        }
        reason = failure.message;
      } finally {
        clearTimeout(slow);
      }
      await sleep(WAIT_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
    return undefined;
  } finally {
    const endWaiting = await waiting;
    await endWaiting?.();
  }
}

async function openReady(
  { settings, mode, log, check, failedRead, meter }: WaitingNeeds,
  sealer: Sealer,
): Promise<Storage> {
  const storage = await openStorage(settings, {
    check,
    log,
    failedRead,
    meter,
    create: mode === 'development' || settings['storage.create'],
    mode,
  });
  try {
    await Promise.all([requireRightKey(storage, sealer), requireSameIssuer(storage, settings.issuer, mode)]);
    for (const concern of await storage.concerns()) log.warn({}, concern);
    return storage;
  } catch (failure) {
    await storage.close();
    throw failure;
  }
}

/** A wrong key is noticed here, in one clear line, and not by the first client that reads its secret. */
export async function requireRightKey(storage: Storage, sealer: Sealer): Promise<void> {
  const kept = await storage.sealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
  requireKeyOpens(kept, sealer, 'the database');
}

/**
 * Refuses a server whose issuer is not the one that the database was made for: a mistyped name, or the database of another
 * server. In development the issuer follows the port, so the database follows the issuer.
 */
async function requireSameIssuer(storage: Storage, issuer: string, mode: Mode): Promise<void> {
  const kept = await storage.keepIssuer(issuer);
  if (kept === issuer) return;
  if (mode === 'development') return await storage.replaceIssuer(issuer);
  throw new StorageUnavailable(
    `the database was made for the issuer ${kept}, and issuer is ${issuer}: correct issuer or storage.url, or run chancery storage confirm-issuer to change the issuer for good`,
  );
}

/** @param holder of the canary, as a message names it */
export function requireKeyOpens(canary: Sealed, sealer: Sealer, holder: string): void {
  const problem = keyProblem(canary, sealer, holder);
  if (problem !== undefined) throw new StorageUnavailable(problem);
}

/** Returns why the ring does not open the canary, as one line; undefined if it does. */
export function keyProblem(canary: Sealed, sealer: Sealer, holder: string): string | undefined {
  try {
    sealer.open(canary, CANARY_PLACE);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    return `encryption.key does not open what ${holder} holds: it was sealed with another key`;
  }
}

export async function resealCanary(storage: Storage, sealer: Sealer): Promise<void> {
  await storage.replaceSealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
}
