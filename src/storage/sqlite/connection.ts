import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

const READ_WAIT_MS = 50;

/** SQLite's own ceiling for mapped bytes (SQLITE_MAX_MMAP_SIZE); what lies beyond is read the ordinary way. */
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

/** The connection of the main thread for look-ups; it cannot write. */
export function openReadConnection(path: string): DatabaseSync {
  return readOnly(connect(path, READ_WAIT_MS));
}

/**
 * The connection of the main thread for what reads a table from end to end. It does not map the file: every page that
 * is read through a mapping counts as memory of the process, so that a list would make it as large as the database.
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

/** `busy_timeout_ms`: how long one attempt blocks its thread while another process holds the lock. */
export function openWriteConnection(path: string, busy_timeout_ms: number): DatabaseSync {
  return writable(connect(path, busy_timeout_ms));
}

/** For whoever writes a whole registry and reads it back; it does not map the file, as `openScanConnection`. */
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
