import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const READ_WAIT_MS = 50;

/** The most that SQLite maps (SQLITE_MAX_MMAP_SIZE). It reads the rest of a larger file the ordinary way. */
const MMAP_BYTES = 2_147_418_112;

function connect(path: string, busy_timeout_ms: number, mapped_bytes = MMAP_BYTES): DatabaseSync {
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
      PRAGMA mmap_size = ${mapped_bytes};`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the connection of the main thread for look-ups. It cannot write. */
export function openReadConnection(path: string): DatabaseSync {
  return readOnly(connect(path, READ_WAIT_MS));
}

/**
 * Opens the connection of the main thread for reads of whole tables. It does not map the file: every page read through a
 * mapping counts as memory of the process, so a list would make the process as large as the database.
 */
export function openScanConnection(path: string): DatabaseSync {
  return readOnly(connect(path, READ_WAIT_MS, 0));
}

function readOnly(database: DatabaseSync): DatabaseSync {
  try {
    database.exec('PRAGMA query_only = ON; SELECT 1 FROM sqlite_schema;');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** @param busy_timeout_ms how long one attempt blocks its thread while another process holds the lock */
export function openWriteConnection(path: string, busy_timeout_ms: number): DatabaseSync {
  return writable(connect(path, busy_timeout_ms));
}

/** Opens a connection that writes a whole registry and reads it back. Like `openScanConnection` it does not map the file. */
export function openLoadConnection(path: string, busy_timeout_ms: number): DatabaseSync {
  return writable(connect(path, busy_timeout_ms, 0));
}

function writable(database: DatabaseSync): DatabaseSync {
  try {
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -32768;
      PRAGMA journal_size_limit = 67108864;`);
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
 * callback itself causes.
 * @returns a function to call before each read
 */
export function callbackSnapshot(database: DatabaseSync): () => void {
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  let open = false;
  const end = (): void => {
    open = false;
    // A fault may have ended the transaction already.
    if (database.isOpen && database.isTransaction) commit.run();
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
  TOOBIG: 18,
  CONSTRAINT: 19,
  MISMATCH: 20,
  NOTADB: 26,
} as const;

/** Returns the result code of an error; undefined if SQLite did not raise it, as for a value that cannot be bound. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}

export const isBusy = (error: unknown): boolean => primaryCode(error) === SQLITE.BUSY;

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
