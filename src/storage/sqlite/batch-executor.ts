import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Answer, Write } from '../write.ts';
import { openWriteConnection } from './connection.ts';
import { isBusy, isInputOutputError, reasonOf } from './sqlite-error.ts';
import { batchExecution, NotBegun } from './write-batch.ts';

const RETRY_WAIT_MS = 20;

/** Comparable between threads, and indifferent to changes of the wall clock. */
export const monotonicMilliseconds = (): number => Number(process.hrtime.bigint() / 1_000_000n);

interface OpenConnection {
  readonly database: DatabaseSync;
  readonly execute: (writes: readonly Write[]) => readonly Answer[];
}

/** Owns the one writing connection: waits for locks without blocking, and replaces the connection after a failure. */
export class BatchExecutor {
  readonly #path: string;
  readonly #busy_timeout_ms: number;
  #connection: OpenConnection | undefined;
  #emptyLog = false;

  constructor(path: string, busy_timeout_ms: number) {
    this.#path = path;
    this.#busy_timeout_ms = busy_timeout_ms;
  }

  /** Callers wait for one execution to end before they start the next. Rejects with `StorageUnavailable`. */
  async execute(writes: readonly Write[], deadline_ms: number): Promise<readonly Answer[]> {
    for (;;) {
      try {
        this.#connection ??= this.#open();
        return this.#connection.execute(writes);
      } catch (error) {
        if (!isLocked(error) || monotonicMilliseconds() >= deadline_ms) throw this.#fail(error);
      }
      await sleep(RETRY_WAIT_MS);
    }
  }

  close(): void {
    this.#connection?.database.close();
    this.#connection = undefined;
  }

  #open(): OpenConnection {
    const database = openWriteConnection(this.#path, this.#busy_timeout_ms);
    try {
      if (this.#emptyLog) emptyWriteAheadLog(database);
      this.#emptyLog = false;
      return { database, execute: batchExecution(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #fail(error: unknown): StorageUnavailable {
    this.#emptyLog ||= isInputOutputError(error) || isInputOutputError((error as Error).cause);
    const reason = reasonOf(error);
    try {
      this.close();
    } catch {
      // What matters is why the batch failed; a connection that cannot even be closed is dropped.
      this.#connection = undefined;
    }
    return new StorageUnavailable(`cannot write to the database ${this.#path}: ${reason}`, { cause: error });
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof NotBegun ? isBusy(error.cause) : error instanceof LogInUse;

class LogInUse extends Error {
  override readonly name = 'LogInUse';
}

/**
 * After a failed fsync the kernel may have dropped the pages that it could not write, and the next fsync succeeds.
 * Frames appended behind such a gap would be lost with it, so everything is moved to the main file and the log starts anew.
 */
function emptyWriteAheadLog(database: DatabaseSync): void {
  const outcome = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (outcome?.['busy'] !== 0) throw new LogInUse('the write-ahead log is in use');
}
