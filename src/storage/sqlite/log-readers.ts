import { readFileSync, statSync } from 'node:fs';
import type { LogReader } from '../../ports/storage.ts';

/** The locks that readers of the log hold in the file `-shm` (https://www.sqlite.org/walformat.html#wal_locks). */
const FIRST_READ_LOCK = 123;
const LAST_READ_LOCK = 127;

/** `1: POSIX  ADVISORY  READ 557 fe:00:17746 124 124` (proc_locks(5)). */
const LOCK = /^\d+: POSIX +\S+ +READ +(?<pid>\d+) +\S+:(?<inode>\d+) (?<first>\d+) (?<last>\d+)$/u;

/**
 * Lists the other processes that read the database at `path` now, and so keep its log from being emptied. Only Linux tells them,
 * and only those that this process may see.
 */
export function logReaders(path: string): readonly LogReader[] {
  const inode = statSync(`${path}-shm`, { throwIfNoEntry: false })?.ino;
  const pids = new Set(
    linesOf('/proc/locks').flatMap((line) => {
      const { pid = '', inode: locked, first, last } = LOCK.exec(line)?.groups ?? {};
      const isRead =
        Number(locked) === inode && Number(first) <= LAST_READ_LOCK && Number(last) >= FIRST_READ_LOCK;
      return isRead ? [Number(pid)] : [];
    }),
  );
  pids.delete(process.pid);
  return [...pids].map((pid) => ({ pid, command: linesOf(`/proc/${pid}/comm`)[0] ?? '' }));
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    // Another system, or the process has ended.
    return [];
  }
}
