import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageUnavailable } from '../../ports/storage.ts';
import { isDamage, openFirstConnection, reasonOf } from './connection.ts';
import { APPLICATION_ID, migrate } from './migrations.ts';

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

/** Creates a complete database at `path` if there is no file and `mayCreate`. Throws `StorageUnavailable`. */
export function createWhereAbsent(path: string, now: number, mayCreate: boolean): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return;
  if (found !== undefined) {
    throw new StorageUnavailable(
      `cannot use the database ${path}: it is a ${found.isDirectory() ? 'directory' : 'special file'}`,
    );
  }
  // SQLite would replay the log into any file at `path`.
  if (existsSync(`${path}-wal`)) {
    throw new StorageUnavailable(
      `the database ${path} is missing, but its write-ahead log ${path}-wal is there: restore the database`,
    );
  }
  if (!mayCreate) {
    throw new StorageUnavailable(
      `there is no database at ${path} (storage.url); to make a new, empty one, start once with --create, or set storage.create to true`,
    );
  }
  create(path, now);
}

/** Creates the file so that it appears at `path` complete or not at all: an incomplete file can only be damage. */
function create(path: string, now: number): void {
  const folder = dirname(path);
  makeFolder(folder);
  const draft = draftOf(path);
  try {
    // SQLite gives its log files the mode of the database.
    closeSync(openSync(draft, 'wx', 0o600));
    const database = openFirstConnection(draft);
    try {
      migrate(database, now);
    } finally {
      database.close();
    }
    publish(draft, path);
    syncFolder(folder);
  } finally {
    removeWithLog(draft);
  }
}

/** Returns a name beside the file that no other user can have taken, so that neither the draft nor its log goes through a link. */
export const draftOf = (path: string): string => `${path}.new-${randomBytes(8).toString('hex')}`;

/** Makes a folder and its parents. Node's own `recursive` loops for ever if an existing folder answers ENOENT, as /proc does. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Moves the draft into place. Unlike a rename, a link does not replace a database that another process has just made. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

export function removeWithLog(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
}

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Examines the file before SQLite opens it, because SQLite takes an empty file for a new database. Throws
 * `StorageUnavailable`.
 * @returns `cleanlyClosed`: the last connection has emptied and removed the log
 */
export function inspect(path: string): { readonly bytes: number; readonly cleanlyClosed: boolean } {
  const header = readHeader(path);
  const damaged = (what: string): StorageUnavailable =>
    new StorageUnavailable(`the database ${path} is damaged (${what}): restore it from a backup`);
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, 16) !== MAGIC) {
    throw damaged('it has no SQLite header');
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new StorageUnavailable(`the database ${path} belongs to another program`);
  }
  if (isLogRemoved(path)) {
    throw new StorageUnavailable(
      `the database ${path} was not closed, and its write-ahead log ${path}-wal is missing: put that back, or restore a backup; to go on without what was in it, remove ${path}-shm`,
    );
  }
  const bytes = statSync(path).size;
  const cleanlyClosed = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
  // SQLite File Format §1.3.2 and §1.3.8: page size (1 means 65536), size in pages.
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  if (cleanlyClosed && bytes < header.readUInt32BE(28) * pageBytes) throw damaged('it is cut short');
  return { bytes, cleanlyClosed };
}

const OBSERVATIONS = 5;
const OBSERVATION_GAP_MS = 5;

/**
 * Whether the log was removed. SQLite creates the index of a log (`-shm`) after the log, and removes it first, so an index
 * without a log means that the log was deleted. The check repeats because other processes open and close the database
 * between the two look-ups.
 */
function isLogRemoved(path: string): boolean {
  for (let observation = 0; observation < OBSERVATIONS; observation += 1) {
    if (!existsSync(`${path}-shm`) || existsSync(`${path}-wal`)) return false;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OBSERVATION_GAP_MS);
  }
  return true;
}

function readHeader(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return header.subarray(0, readSync(descriptor, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** Identifies the database and the files of its log. They stay the same while a connection is open. */
export type FilesInUse = readonly [database: string, log: string, index: string];

export const filesAt = (path: string): FilesInUse => [
  fileIdentity(path),
  fileIdentity(`${path}-wal`),
  fileIdentity(`${path}-shm`),
];

/**
 * Returns one line if the files at `path` are no longer the ones in use; undefined otherwise. Writes to a deleted or moved
 * database succeed, and the next start does not find them.
 */
export function displacement(path: string, [database, log, index]: FilesInUse): string | undefined {
  if (fileIdentity(path) !== database)
    return `the database ${path} was moved, removed or replaced while it was in use: put the file back, or end the server with SIGTERM, which saves what is in the log`;
  if (fileIdentity(`${path}-wal`) === log && fileIdentity(`${path}-shm`) === index) return undefined;
  return `the log of the database ${path} was removed or replaced while it was in use: end the server with SIGTERM, which saves what is in it`;
}

function fileIdentity(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'absent' : `${found.dev}:${found.ino}`;
}

/** The log grows by this much when a few of the largest registrations are written. */
const ROOM_BYTES_MIN = 262_144;

/**
 * Whether the disk has room for a registration. A heartbeat does not tell: it writes one page, which fits into the log
 * long after a registration does not.
 */
export function hasRoom(path: string): boolean {
  const { blocks, bavail, bsize } = statfsSync(dirname(path));
  // Some file systems that are not disks report no size.
  return blocks === 0 || bavail * bsize >= ROOM_BYTES_MIN;
}

/** Turns any failure to open the database into one line for the operator. */
export function unavailable(path: string, error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  const reason = reasonOf(error);
  const line = isDamage(error)
    ? `the database ${path} is damaged (${reason}): restore it from a backup`
    : `cannot open the database ${path}: ${reason}`;
  return new StorageUnavailable(line, { cause: error });
}

const FINDINGS_MAX = 100;

/** Reads every page and compares every index with its table; returns SQLite's findings, none if the file is sound. */
export function sqliteDamage(path: string): readonly string[] {
  try {
    inspect(path);
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = database.prepare(`PRAGMA integrity_check(${FINDINGS_MAX})`).all();
      const findings = rows.map((row) => String(row['integrity_check']).replaceAll(/\s+/gu, ' '));
      return findings.length === 1 && findings[0] === 'ok' ? [] : findings;
    } finally {
      database.close();
    }
  } catch (error) {
    throw unavailable(path, error);
  }
}
