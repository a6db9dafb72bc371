import { totalmem } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const READ_WAIT_MS = 50;

/** Opens the file without a mapping: a failed read of a mapped page is a SIGBUS, which ends the process (ADR 0039). */
function connect(path: string, busy_timeout_ms: number): DatabaseSync {
  const url = pathToFileURL(path);
  // `rw` without `c`: a file that has vanished is an error, not a new empty registry.
  url.searchParams.set('mode', 'rw');
  const database = new DatabaseSync(url, {
    timeout: busy_timeout_ms,
    allowExtension: false,
    defensive: true,
    enableForeignKeyConstraints: true,
    enableDoubleQuotedStringLiterals: false,
  });
  try {
    database.exec(`
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA mmap_size = 0;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The cache of pages that SQLite gives a connection by default. */
const SCAN_PAGES_KIB = 2000;
const LOOK_UP_PAGES_KIB_MAX = 32_768;
/** The share of the memory that the pages of look-ups may take. */
const LOOK_UP_PAGES_SHARE = 1 / 16;

/** Opens a connection for look-ups by key. Its cache of pages replaces a mapping of the file (ADR 39). */
export function openLookUpConnection(path: string): DatabaseSync {
  const memory = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  const kib = Math.min(LOOK_UP_PAGES_KIB_MAX, Math.floor((memory / 1024) * LOOK_UP_PAGES_SHARE));
  return openReadConnection(path, kib);
}

/** Opens a connection that cannot write, for reads of whole tables. */
export function openReadConnection(path: string, pages_kib = SCAN_PAGES_KIB): DatabaseSync {
  const database = connect(path, READ_WAIT_MS);
  try {
    database.exec(`PRAGMA query_only = ON; PRAGMA cache_size = ${-pages_kib}; SELECT 1 FROM sqlite_schema;`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Pages in the log before they are moved to the file: 16 MB. A page of a random key, such as a client's, is changed again and
 * again; it is moved once. With SQLite's 1,000 pages a registration costs a sixth more.
 */
export const LOG_PAGES = 4000;

/** The file of the log keeps this many bytes when the log restarts. */
export const LOG_FILE_BYTES = 67_108_864;

const WRITING = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA wal_autocheckpoint = ${LOG_PAGES};
  PRAGMA cache_size = -32768;
  PRAGMA journal_size_limit = ${LOG_FILE_BYTES};`;

/**
 * @param busy_timeout_ms how long one attempt blocks its thread while another process holds the lock
 * @param checkpoints `commits`: a commit moves the pages of a long log. `apart`: the caller does it.
 */
export function openWriteConnection(
  path: string,
  busy_timeout_ms: number,
  checkpoints: 'commits' | 'apart' = 'commits',
): DatabaseSync {
  const database = connect(path, busy_timeout_ms);
  try {
    database.exec(WRITING);
    if (checkpoints === 'apart') database.exec('PRAGMA wal_autocheckpoint = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens an empty file for its first schema. Its pages can be given back to the file system a few at a time
 * (`PRAGMA incremental_vacuum`). SQLite takes this choice only before the first page is written.
 */
export function openFirstConnection(path: string): DatabaseSync {
  const database = connect(path, 0);
  try {
    database.exec(`PRAGMA auto_vacuum = INCREMENTAL; ${WRITING}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Lets all reads of one callback of the event loop share one snapshot of the database. Without it each read takes and
 * releases a file lock, which costs a fifth of a look-up, and the journal could be older than the records. The snapshot
 * begins with the first read, after everything that this callback serves was received. It ends before anything that the
 * callback itself causes. A read that fails ends with an error for its own request, and the next callback begins anew.
 * @returns a function to call before each read
 */
export function callbackSnapshot(database: DatabaseSync): () => void {
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  let open = false;
  const end = (): void => {
    open = false;
    // A fault may have ended the transaction already.
    if (!database.isOpen || !database.isTransaction) return;
    try {
      commit.run();
    } catch {
      // After a read that failed, COMMIT fails too; it usually ends the transaction nevertheless. The request of that
      // read has the error already. An open transaction would show one moment for ever.
      if (database.isTransaction) database.exec('ROLLBACK');
    }
  };
  return () => {
    if (open) return;
    begin.run();
    open = true;
    queueMicrotask(end);
  };
}

/** Primary result codes (https://www.sqlite.org/rescode.html). */
const SQLITE = {
  BUSY: 5,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  TOOBIG: 18,
  CONSTRAINT: 19,
  MISMATCH: 20,
  NOTADB: 26,
} as const;

/** Returns the result code of an error; undefined if SQLite did not raise it, as for a value that cannot be bound. */
export function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode;
}

function primaryCode(error: unknown): number | undefined {
  const code = codeOf(error);
  return code === undefined ? undefined : code & 0xff;
}

export const isBusy = (error: unknown): boolean => primaryCode(error) === SQLITE.BUSY;

/** Whether a disk or a quota has no room left, as SQLite or the system says it. */
export function isDiskFull(error: unknown): boolean {
  if (primaryCode(error) === SQLITE.FULL) return true;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export const isInputOutputError = (error: unknown): boolean => primaryCode(error) === SQLITE.IOERR;

/** Whether the file is damaged. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE.CORRUPT || code === SQLITE.NOTADB;
}

/** Whether the fault lies in the values of one write, so that the other writes of its batch may be retried without it. */
export function concernsOneWrite(error: unknown): boolean {
  const code = primaryCode(error);
  return (
    code === undefined || code === SQLITE.CONSTRAINT || code === SQLITE.TOOBIG || code === SQLITE.MISMATCH
  );
}

/** Returns one line, with SQLite's result code if there is one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'errcode' in error ? ` (SQLite ${String(error.errcode)})` : '';
  return `${error.message}${code}`.replaceAll(/\s+/g, ' ');
}
