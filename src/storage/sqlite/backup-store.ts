import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  BackupRefused,
  type BackupStore,
  type OpenBackup,
  type StoredBackup,
} from '../../ports/backup-store.ts';
import type { Log } from '../../ports/log.ts';
import {
  backupFile,
  busy,
  findBackup,
  isLocked,
  listBackups,
  newestBackupTime,
  removeBackup,
  tidyFolder,
  withFolderLock,
} from './backup-folder.ts';
import type { BackupMessage, BackupTask } from './backup-process.ts';
import { requireRoom } from './backup-work.ts';

export interface BackupPlace extends Pick<BackupTask, 'folder' | 'database' | 'program' | 'keep'> {
  readonly log: Log;
}

export interface SqliteBackups extends BackupStore {
  /** Returns when the newest backup was made, in seconds since the epoch; undefined without one. */
  newest(): number | undefined;
  /** Ends the work that this process began, which leaves no incomplete file. */
  close(): Promise<void>;
}

/** The backups of a SQLite database in a folder. Each one is made by a process that a stopping server can end at any moment. */
export function openBackups(place: BackupPlace): SqliteBackups {
  const { folder, log } = place;
  const working = new Set<ChildProcess>();
  const requireFree = (): void => {
    // Requests at once must not become processes at once.
    if (working.size > 0 || isLocked(folder)) throw busy();
  };
  const begin = async (verify: string | undefined): Promise<StoredBackup> => {
    requireFree();
    return await beginWork(working, { ...place, verify }, log);
  };
  return {
    list: async () => await listBackups(folder),
    find: async (id) => await findBackup(folder, id),
    async check() {
      requireFree();
      await Promise.resolve(requireRoom(place));
    },
    create: async () => await begin(undefined),
    verify: async (id) => await begin(id),
    async remove(id) {
      const found = await findBackup(folder, id);
      if (found === undefined) throw gone();
      if (found.state === 'creating' || found.verification?.finding === null) throw busy();
      await removeBackup(folder, id);
    },
    open: async (id) => await openFile(folder, id),
    newest: () => newestBackupTime(namesIn(folder)),
    async close() {
      if (working.size === 0) return;
      await Promise.all([...working].map(ended));
      await withFolderLock(folder, async () => await tidyFolder(folder)).catch((cause: unknown) =>
        log.warn({ cause }, 'the folder of the backups was not tidied'),
      );
    },
  };
}

const gone = (): BackupRefused => new BackupRefused('gone', 'there is no such backup');

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing is there yet, or it cannot be read: there is no backup to speak of.
    return [];
  }
}

/** Starts a process. Resolves with the backup when its work is under way. Rejects with `BackupRefused`. */
async function beginWork(
  working: Set<ChildProcess>,
  { folder, database, program, keep, verify }: BackupTask,
  log: Log,
): Promise<StoredBackup> {
  const { promise, resolve, reject } = Promise.withResolvers<StoredBackup>();
  const child = fork(fileURLToPath(new URL('./backup-process.ts', import.meta.url)), {
    // It needs neither the settings nor the secrets of the server.
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  working.add(child);
  const what = verify === undefined ? 'a backup' : 'the verification of a backup';
  let id = verify;
  child.on('message', (message: BackupMessage) => {
    if (message.kind === 'begun') {
      ({ id } = message.backup);
      resolve(message.backup);
    } else if (message.kind === 'refused') reject(new BackupRefused(message.why, message.words));
    else if (message.cause === null) log.info({ backup: id }, `${what} has ended`);
    else log.error({ reason: message.cause, backup: id }, `${what} failed`);
  });
  const left = (failure: Error): void => {
    working.delete(child);
    reject(failure);
  };
  // A process that could not be started has no end.
  child.on('error', left);
  child.on('close', (code, signal) => {
    left(new Error(`the process of ${what} ended with ${signal ?? code}`));
    if (signal !== null || code !== 0)
      log.error({ code, signal, backup: id }, `the process of ${what} ended`);
  });
  const task: BackupTask = { folder, database, program, keep, verify };
  child.send(task, () => undefined);
  return await promise;
}

async function ended(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.kill('SIGKILL');
  });
}

const CHUNK_BYTES = 65_536;

async function openFile(folder: string, id: string): Promise<OpenBackup | undefined> {
  const backup = await findBackup(folder, id);
  if (backup?.state !== 'complete') return undefined;
  const file = await open(backupFile(folder, id), 'r').catch(nothingIfAbsent);
  if (file === undefined) return undefined;
  const { size: bytes } = await file.stat();
  return { bytes, read: (first, last) => chunksOf(file, first, last), close: async () => await file.close() };
}

function nothingIfAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

async function* chunksOf(file: FileHandle, first: number, last: number): AsyncGenerator<Uint8Array> {
  for (let at = first; at <= last; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, last - at + 1));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new Error('the file of the backup is shorter than its record says');
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
