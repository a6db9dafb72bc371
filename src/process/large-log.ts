import type { Log } from '../ports/log.ts';
import type { StorageFile } from '../ports/storage.ts';

/** Beyond it the file of the log shrinks when the log restarts (ADR 102). */
const LARGE_LOG_BYTES = 64 * 1024 * 1024;

/** Warns of a log that something keeps from being emptied, and names the processes that read the database now. */
export function warnOfLargeLog(file: Pick<StorageFile, 'size' | 'logReaders'>, log: Pick<Log, 'warn'>): void {
  const { log: bytes } = file.size();
  if (bytes <= LARGE_LOG_BYTES) return;

  const readers = file.logReaders();
  log.warn(
    { bytes, readers },
    readers.length === 0
      ? 'the write-ahead log of the database is large: writes come faster than it is emptied, or a reader has ended and its file shrinks with further writes'
      : 'the write-ahead log of the database is large: a process that reads the database for long keeps it from being emptied',
  );
}
