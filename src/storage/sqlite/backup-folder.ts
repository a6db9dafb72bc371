import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BackupRefused, type StoredBackup } from '../../ports/backup-store.ts';
import { isBusy } from './connection.ts';
import { draftOf, makeFolder, syncFolder } from './database-file.ts';

/**
 * The folder of the backups that servers make. A backup is a file `ID.db` with a record `ID.json` beside it. The record is
 * written before the file begins and after it is complete, so an incomplete file is never taken for a backup.
 */

const OWNER_ONLY = 0o600;
/** Nothing else reaches a file system, so that no caller can name another file. */
const ID = /^\d{8}T\d{6}Z-[0-9a-f]{8}$/u;
const RECORD = /^(.{25})\.json$/u;
/** A file that was being written when its process ended. */
const LEFT_OVER = /^\d{8}T\d{6}Z-[0-9a-f]{8}\.(?:db|json)\.new-[0-9a-f]{16}(?:-journal|-wal|-shm)?$/u;

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

/**
 * Returns an id that sorts behind those of earlier milliseconds. Its last eight digits begin with the millisecond, because a list of two
 * backups of one second begins with the newest too, and the older one goes first.
 * @param now milliseconds since the epoch
 */
export function newBackupId(now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, '');
  return `${time}-${hex(now % 1000, 3)}${hex(randomInt(16 ** 5), 5)}`;
}

/** Returns when a backup was asked for, in seconds since the epoch. */
function timeOf(id: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/u.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) / 1000;
}

/** Returns the file of a backup. Throws for a text that is no id. */
export function backupFile(folder: string, id: string): string {
  return join(folder, `${requireId(id)}.db`);
}

const recordFile = (folder: string, id: string): string => join(folder, `${requireId(id)}.json`);

function requireId(id: string): string {
  if (ID.test(id)) return id;
  throw new Error('this is no id of a backup');
}

export async function writeRecord(folder: string, record: StoredBackup): Promise<void> {
  const path = recordFile(folder, record.id);
  const draft = draftOf(path);
  const file = await open(draft, 'wx', OWNER_ONLY);
  try {
    await file.writeFile(JSON.stringify(record));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  syncFolder(folder);
}

async function readRecord(folder: string, id: string): Promise<StoredBackup | undefined> {
  try {
    return JSON.parse(await readFile(recordFile(folder, id), 'utf8')) as StoredBackup;
  } catch (error) {
    // The file has gone since, or is no record of ours.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const isUnderWay = ({ state, verification }: StoredBackup): boolean =>
  state === 'creating' || verification?.finding === null;

/** Returns what a record means when no process works on it. */
function interrupted(record: StoredBackup): StoredBackup {
  if (record.state === 'creating') return { ...record, state: 'failed', failure: 'interrupted' };
  return isUnderWay(record) ? { ...record, verification: null } : record;
}

/**
 * Returns a backup as it is now; undefined if there is none. If its process ended too early, the record still says that it works.
 * The order of the three steps matters: a process writes its last record before it releases the lock.
 */
export async function findBackup(folder: string, id: string): Promise<StoredBackup | undefined> {
  if (!ID.test(id)) return undefined;
  const found = await readRecord(folder, id);
  if (found === undefined || !isUnderWay(found) || isLocked(folder)) return present(folder, found);
  const settled = await readRecord(folder, id);
  return present(folder, settled === undefined ? undefined : interrupted(settled));
}

/** Drops a record whose file was deleted. */
function present(folder: string, record: StoredBackup | undefined): StoredBackup | undefined {
  if (record?.state !== 'complete' || existsSync(backupFile(folder, record.id))) return record;
  return undefined;
}

/** Returns every backup, the newest first. */
export async function listBackups(folder: string): Promise<readonly StoredBackup[]> {
  const found: StoredBackup[] = [];
  for (const id of (await idsIn(folder)).toReversed()) {
    const backup = await findBackup(folder, id);
    if (backup !== undefined) found.push(backup);
  }
  return found;
}

/** Returns the ids of the records, the oldest first. */
async function idsIn(folder: string): Promise<readonly string[]> {
  return (await namesIn(folder)).flatMap((name) => {
    const id = RECORD.exec(name)?.[1] ?? '';
    return ID.test(id) ? [id] : [];
  });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder)).toSorted();
}

/** Deletes a backup: its file first, because a record without a file means nothing. */
export async function removeBackup(folder: string, id: string): Promise<void> {
  await rm(backupFile(folder, id), { force: true });
  await rm(recordFile(folder, id), { force: true });
  syncFolder(folder);
}

/** Corrects what a process left that ended too early. The caller holds the lock. */
export async function tidyFolder(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) if (LEFT_OVER.test(name)) await rm(join(folder, name));
  for (const id of await idsIn(folder)) {
    const record = await readRecord(folder, id);
    if (record === undefined) continue;
    if (record.state === 'complete' && !existsSync(backupFile(folder, id))) await removeBackup(folder, id);
    else if (record.state === 'creating') await rm(backupFile(folder, id), { force: true });
    if (isUnderWay(record)) await writeRecord(folder, interrupted(record));
  }
}

/** Deletes failed backups, whose reasons were read or never will be. The caller holds the lock. */
export async function removeFailed(folder: string): Promise<void> {
  for (const { id, state } of await listBackups(folder))
    if (state === 'failed') await removeBackup(folder, id);
}

/** Deletes the oldest complete backups beyond a number. The caller holds the lock. */
export async function pruneBackups(folder: string, keep: number): Promise<void> {
  const complete = (await listBackups(folder)).filter(({ state }) => state === 'complete');
  for (const { id } of complete.slice(keep)) await removeBackup(folder, id);
}

/** Returns when the newest complete backup was asked for, in seconds since the epoch; undefined without one. */
export function newestBackupTime(names: readonly string[]): number | undefined {
  const newest = names
    .filter((name) => name.endsWith('.db') && ID.test(name.slice(0, -'.db'.length)))
    .toSorted()
    .at(-1);
  return newest === undefined ? undefined : timeOf(newest);
}

const LOCK = 'backups.lock';
/** A look at the lock takes it for a moment. */
const LOCK_WAIT_MS = 1000;

/**
 * Works alone in the folder, among all processes of the machine. The lock is one of SQLite's on an empty file: the system
 * releases it when the process ends, however it ends. Rejects with `BackupRefused`.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  makeFolder(folder);
  const path = join(folder, LOCK);
  closeSync(openSync(path, 'a', OWNER_ONLY));
  const lock = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    exclusively(lock);
    return await work();
  } finally {
    lock.close();
  }
}

function exclusively(lock: DatabaseSync): void {
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    if (isBusy(error)) throw busy();
    throw error;
  }
}

export const busy = (): BackupRefused =>
  new BackupRefused('busy', 'another backup is being made or verified: wait until it has ended');

/** Says whether a process works in the folder. */
export function isLocked(folder: string): boolean {
  const path = join(folder, LOCK);
  if (!existsSync(path)) return false;
  const lock = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    lock.exec('SELECT 1 FROM sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}
