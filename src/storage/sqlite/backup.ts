import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BackupManifest } from '../../ports/backup-store.ts';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Sealed } from '../../spec/identifiers.ts';
import { differingTables, keyNameOf, parseManifest, sealedCanary, tableDigests } from '../backup-manifest.ts';
import { otherSchema } from '../schema.ts';
import { isBusy, openWriteConnection } from './connection.ts';
import { draftOf, inspect, makeFolder, removeWithLog, syncFolder, unavailable } from './database-file.ts';
import { flushedWhile } from './flushed-while.ts';
import { migrate, NEWEST, stateOf } from './migrations.ts';
import { type Rest, restingReader, rests } from './rests.ts';
import { readTables } from './table-dump.ts';

const OWNER_ONLY = 0o600;

interface CreateOptions {
  /** The version of the program. */
  readonly program: string;
  /** Seconds since the epoch. */
  readonly now: () => number;
  readonly rest?: Rest;
}

/**
 * Writes the present content of the database at `path` to a new file. Servers continue to write without waiting, but their
 * log is not emptied meanwhile. The file appears complete, checked and durable, or not at all. It contains no free pages,
 * and so no deleted data. Rejects with `StorageUnavailable`, also if a file exists at `out`.
 */
export async function createSqliteBackup(
  path: string,
  out: string,
  { program, now, rest = rests() }: CreateOptions,
): Promise<BackupManifest> {
  if (existsSync(out)) throw new StorageUnavailable(`${out} is there already: nothing was changed`);
  const draft = draftOf(out);
  try {
    const taken_at = await copyDatabase(path, draft, now);
    const manifest = await describe(draft, { program, taken_at }, rest);
    publish(draft, out);
    return manifest;
  } catch (error) {
    throw unavailable(path, error);
  } finally {
    removeWithLog(draft);
  }
}

/** @returns the time at which the copied state was current, in seconds since the epoch */
async function copyDatabase(path: string, draft: string, now: () => number): Promise<number> {
  if (!existsSync(path)) throw new StorageUnavailable(`there is no database at ${path}`);
  inspect(path);
  closeSync(openSync(draft, 'wx', OWNER_ONLY));
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const { version } = stateOf(database);
    if (version !== NEWEST) throw new StorageUnavailable(otherSchema(version, NEWEST));
    // Otherwise SQLite flushes the whole copy at its end, in one go. `publish` does it before the copy gets its name. This connection
    // only reads the database, so it moves nothing from the log either.
    database.exec('PRAGMA synchronous = OFF');
    return await flushedWhile(draft, () => {
      const taken_at = now();
      database.prepare('VACUUM INTO ?').run(draft);
      return taken_at;
    });
  } finally {
    database.close();
  }
}

async function describe(
  draft: string,
  given: Pick<BackupManifest, 'program' | 'taken_at'>,
  rest: Rest,
): Promise<BackupManifest> {
  // Not a connection of the server's kind, because a backup is one file without a log.
  const database = new DatabaseSync(draft);
  try {
    refuseDamage(database, draft);
    const reader = restingReader(readTables(database, draft), rest);
    const manifest: BackupManifest = {
      ...given,
      schema: stateOf(database).version,
      encryption_key: keyNameOf(await sealedCanary(reader)),
      tables: await tableDigests(reader),
    };
    database
      .prepare("INSERT INTO storage_mark (name, content) VALUES ('backup', ?)")
      .run(JSON.stringify(manifest));
    return manifest;
  } finally {
    database.close();
  }
}

export interface VerifiedBackup {
  readonly manifest: BackupManifest;
  /** The sealed text that the encryption key must open. */
  readonly canary: Sealed | undefined;
  /** False for a backup with an older schema: its tables differ, so only SQLite's own check was made. */
  readonly digestsCompared: boolean;
}

/** Says that tables of a backup are not those that were written. */
export class BackupChanged extends StorageUnavailable {
  readonly tables: readonly string[];

  constructor(file: string, tables: readonly string[]) {
    super(`the backup ${file} was changed since it was made: ${tables.join(', ')}`);
    this.tables = tables;
  }
}

/** Reads and checks a whole backup. Rejects with `StorageUnavailable` if it is damaged, changed, or newer than the program. */
export async function verifySqliteBackup(file: string, rest: Rest = rests()): Promise<VerifiedBackup> {
  try {
    if (!existsSync(file)) throw new StorageUnavailable(`there is no file at ${file}`);
    inspect(file);
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      refuseNewer(database);
      refuseDamage(database, file);
      const reader = restingReader(readTables(database, file), rest);
      const manifest = parseManifest(await reader.mark('backup'), file);
      const digestsCompared = manifest.schema === NEWEST;
      if (digestsCompared) {
        const differing = differingTables(manifest, await tableDigests(reader));
        if (differing.length > 0) throw new BackupChanged(file, differing);
      }
      return { manifest, canary: await sealedCanary(reader), digestsCompared };
    } finally {
      database.close();
    }
  } catch (error) {
    throw unavailable(file, error);
  }
}

export interface RestoredPlace {
  /** The new path of the database that was at the path before; undefined if there was none. */
  readonly aside: string | undefined;
}

/**
 * Places a verified backup at `path`, after migrating it to the schema of this program and calling `complete`. Moves an
 * existing database aside if that is allowed, and never while a process has it open. The file appears complete or not at all.
 */
export async function restoreSqliteBackup(
  file: string,
  path: string,
  { moveAside, now, complete }: RestoreOptions,
): Promise<RestoredPlace> {
  const draft = draftOf(path);
  try {
    const inTheWay = ['', '-wal', '-shm'].filter((suffix) => existsSync(`${path}${suffix}`));
    if (inTheWay.length > 0 && !moveAside) {
      throw new StorageUnavailable(
        `there is a database at ${path}: nothing was changed (--move-aside puts it away)`,
      );
    }
    if (inTheWay.length > 0) refuseInUse(path);
    makeFolder(dirname(path));
    copyPrivately(file, draft);
    const database = openWriteConnection(draft, 0);
    try {
      migrate(database, now);
    } finally {
      database.close();
    }
    await complete(draft);
    const aside = inTheWay.length === 0 ? undefined : `${path}.before-restore-${now}`;
    if (aside !== undefined) putAside(path, aside, inTheWay);
    publish(draft, path);
    return { aside };
  } catch (error) {
    throw unavailable(path, error);
  } finally {
    removeWithLog(draft);
  }
}

const COPY_BYTES = 1024 * 1024;

/** Copies a file to a new one. It has its mode before it has content. */
function copyPrivately(from: string, to: string): void {
  const source = openSync(from, 'r');
  try {
    const target = openSync(to, 'wx', OWNER_ONLY);
    try {
      const buffer = Buffer.alloc(COPY_BYTES);
      for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer)) {
        writeFileSync(target, buffer.subarray(0, read));
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

export interface RestoreOptions {
  readonly moveAside: boolean;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Called with the path of the database before it is put in place. */
  readonly complete: (draft: string) => Promise<void>;
}

/** Throws if a process has the database open: a server would continue to write to the moved file, and those writes would be lost. */
function refuseInUse(path: string): void {
  try {
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK;');
    } finally {
      database.close();
    }
  } catch (error) {
    // A database too damaged to open may be replaced: a backup exists for that case.
    if (isBusy(error))
      throw new StorageUnavailable(`the database ${path} is in use: stop every server on it first`);
  }
}

function putAside(path: string, aside: string, suffixes: readonly string[]): void {
  if (existsSync(aside)) throw new StorageUnavailable(`${aside} is there already`);
  for (const suffix of suffixes) {
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${aside}${suffix}`);
  }
  syncFolder(dirname(path));
}

/** Moves the file. Unlike a rename, a link never replaces an existing file. */
function publish(draft: string, path: string): void {
  const descriptor = openSync(draft, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new StorageUnavailable(`${path} is there already`);
  }
  rmSync(draft, { force: true });
  syncFolder(dirname(path));
}

/** Refuses a newer schema even if it is compatible with this program, because the unknown parts would be lost. */
function refuseNewer(database: DatabaseSync): void {
  const { version } = stateOf(database);
  if (version > NEWEST) throw new StorageUnavailable(otherSchema(version, NEWEST));
}

function refuseDamage(database: DatabaseSync, path: string): void {
  const finding = String(database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']);
  if (finding === 'ok') return;
  throw new StorageUnavailable(`${path} is damaged (${finding.replaceAll(/\s+/gu, ' ')})`);
}
