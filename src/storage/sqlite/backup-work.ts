import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type BackupFailure,
  type BackupFinding,
  BackupRefused,
  type BackupVerification,
  type StoredBackup,
} from '../../ports/backup-store.ts';
import { BackupChanged, createSqliteBackup, verifySqliteBackup } from './backup.ts';
import {
  backupFile,
  findBackup,
  newBackupId,
  pruneBackups,
  removeFailed,
  tidyFolder,
  withFolderLock,
  writeRecord,
} from './backup-folder.ts';
import { isDiskFull } from './connection.ts';
import { rests } from './rests.ts';

/** The needs of work on the backups in a folder. The work blocks its thread: a server gives it a process of its own. */
export interface BackupWork {
  readonly folder: string;
  /** The path of the database. */
  readonly database: string;
  /** The version of the program. */
  readonly program: string;
  /** The number of complete backups to keep. */
  readonly keep: number;
  /** Called when the work has begun, and cannot be refused any more. */
  readonly begun?: (backup: StoredBackup) => void;
}

/** A backup that was made, or not. */
interface Made {
  readonly backup: StoredBackup;
  /** For the log; undefined if it was made. */
  readonly cause: unknown;
}

const now = (): number => Math.floor(Date.now() / 1000);

/** Makes a backup in the folder, and deletes the oldest ones beyond the number to keep. Rejects with `BackupRefused`. */
export async function makeBackup(work: BackupWork): Promise<Made> {
  const { folder, database, program, keep } = work;
  return await withFolderLock(folder, async () => {
    await tidyFolder(folder);
    requireRoom(work);
    await removeFailed(folder);
    const requested_ms = Date.now();
    const begun: StoredBackup = {
      id: newBackupId(requested_ms),
      state: 'creating',
      requested_at: Math.floor(requested_ms / 1000),
      failure: null,
      bytes: null,
      sha256: null,
      manifest: null,
      verification: null,
    };
    await writeRecord(folder, begun);
    work.begun?.(begun);
    const file = backupFile(folder, begun.id);
    try {
      const manifest = await createSqliteBackup(database, file, { program, now });
      const { size: bytes } = statSync(file);
      const backup: StoredBackup = {
        ...begun,
        state: 'complete',
        bytes,
        sha256: await sha256Of(file),
        manifest,
      };
      await writeRecord(folder, backup);
      await pruneBackups(folder, keep);
      return { backup, cause: undefined };
    } catch (cause) {
      const backup: StoredBackup = { ...begun, state: 'failed', failure: failureOf(cause) };
      await writeRecord(folder, backup);
      return { backup, cause };
    }
  });
}

/** Verifies a complete backup in the folder. Rejects with `BackupRefused`. */
export async function verifyBackup({ folder, begun }: BackupWork, id: string): Promise<Made> {
  return await withFolderLock(folder, async () => {
    await tidyFolder(folder);
    const backup = await findBackup(folder, id);
    if (backup?.state !== 'complete')
      throw new BackupRefused('gone', 'there is no complete backup with this id');
    const record = async (verification: BackupVerification): Promise<StoredBackup> => {
      const noted = { ...backup, verification };
      // It may have been deleted meanwhile: a new record would bring it back.
      if (existsSync(backupFile(folder, id))) await writeRecord(folder, noted);
      return noted;
    };
    begun?.(await record({ at: now(), finding: null, tables: [] }));
    const { finding, tables, cause } = await findingOf(backup, backupFile(folder, id));
    return { backup: await record({ at: now(), finding, tables }), cause };
  });
}

interface Finding {
  readonly finding: BackupFinding;
  readonly tables: readonly string[];
  readonly cause: unknown;
}

async function findingOf({ sha256 }: StoredBackup, file: string): Promise<Finding> {
  try {
    await verifySqliteBackup(file);
  } catch (cause) {
    if (cause instanceof BackupChanged) return { finding: 'tables-changed', tables: cause.tables, cause };
    return { finding: 'damaged', tables: [], cause };
  }
  const isSame = (await sha256Of(file)) === sha256;
  return isSame
    ? { finding: 'sound', tables: [], cause: undefined }
    : { finding: 'file-changed', tables: [], cause: new Error('the digest of the file is another one') };
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  const rest = rests();
  for await (const piece of createReadStream(file)) {
    hash.update(piece as Buffer);
    await rest();
  }
  return hash.digest('hex');
}

function failureOf(cause: unknown): BackupFailure {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (isDiskFull(error)) return 'disk-full';
  return 'source-unusable';
}

/** The database goes on growing beside its backup. */
const RESERVE_BYTES = 16 * 1024 * 1024;

/** Throws `BackupRefused` unless the disk has room for a copy of the database. */
export function requireRoom({ folder, database: path }: Pick<BackupWork, 'folder' | 'database'>): void {
  if (!existsSync(path)) return;
  const { blocks, bavail, bsize } = statfsSync(existing(folder));
  const needed = usedBytes(path) + RESERVE_BYTES;
  // Some file systems that are not disks report no size.
  if (blocks === 0 || bavail * bsize >= needed) return;
  const [room, wanted] = [bavail * bsize, needed].map((bytes) => `${Math.ceil(bytes / 1_000_000)} MB`);
  throw new BackupRefused(
    'no-room',
    `the disk of backup.directory has ${room} left, and a backup needs ${wanted}`,
  );
}

/** Returns the folder, or the nearest one above it that is there. */
const existing = (folder: string): string => (existsSync(folder) ? folder : existing(dirname(folder)));

/** Returns the bytes of the pages that hold something. */
function usedBytes(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const number = (pragma: string): number => Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
    return (number('page_count') - number('freelist_count')) * number('page_size');
  } finally {
    database.close();
  }
}
