import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Write } from '../verbs.ts';
import { concernsOneWrite, isBusy, isInputOutputError, openWriteConnection, reasonOf } from './connection.ts';
import { displacement, type FilesInUse } from './database-file.ts';
import { type LogConnection, type LogKeeper, logConnection } from './log-keeper.ts';
import { type Handler, writeHandlers } from './noun.ts';
import { STORES } from './nouns.ts';

const RETRY_WAIT_MS = 20;

/** The result of a write. `refused`: this write alone was rolled back, and why. */
export type Answer = { readonly value: unknown } | { readonly refused: string };

/** Milliseconds on a clock that threads share and that changes of the wall clock do not move. */
export const monotonicMilliseconds = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** The database that a process opened. */
export interface DatabasePlace {
  readonly path: string;
  readonly files: FilesInUse;
}

interface OpenConnection {
  readonly database: DatabaseSync;
  readonly execute: (writes: readonly Write[]) => readonly Answer[];
  readonly log: LogConnection;
}

/** Owns the only writing connection: waits for locks without blocking, and replaces the connection after a failure. */
export class BatchExecutor {
  readonly #place: DatabasePlace;
  readonly #busy_timeout_ms: number;
  readonly #keeper: LogKeeper | undefined;
  #connection: OpenConnection | undefined;
  #emptyLog = false;

  /** @param keeper keeps the log short; without it, commits do */
  constructor(place: DatabasePlace, busy_timeout_ms: number, keeper?: LogKeeper) {
    this.#place = place;
    this.#busy_timeout_ms = busy_timeout_ms;
    this.#keeper = keeper;
  }

  /**
   * Executes the writes in one transaction; resolves when they are durable. Callers wait for one execution to end before
   * they start the next. Rejects with `StorageUnavailable`, also if the files are not in their place before or after.
   */
  async execute(writes: readonly Write[], deadline_ms: number): Promise<readonly Answer[]> {
    for (;;) {
      try {
        const before = this.#displacement();
        if (before !== undefined) throw new StorageUnavailable(before, { writesStopped: true });
        const earlier = this.#keeper?.inputOutputError();
        if (earlier !== undefined) this.#fail(earlier);
        this.#connection ??= this.#open();
        const answers = this.#connection.execute(writes);
        // The thread's fsync of the log may have failed for the pages of this very commit.
        const meanwhile = this.#keeper?.inputOutputError();
        if (meanwhile !== undefined) throw meanwhile;
        const after = this.#displacement();
        // A commit into a file that is gone must not be acknowledged.
        if (after !== undefined) throw new StorageUnavailable(after);
        return answers;
      } catch (error) {
        if (!isLocked(error) || monotonicMilliseconds() >= deadline_ms) throw this.#fail(error);
      }
      await sleep(RETRY_WAIT_MS);
    }
  }

  /** Moves pages of the log if it is long. Call it when a commit is answered, with the number of its writes. */
  async keepLog(writes: number): Promise<void> {
    if (this.#connection === undefined) return;
    try {
      await this.#keeper?.keep(this.#connection.log, writes);
    } catch (error) {
      this.#fail(error);
    }
  }

  async close(): Promise<void> {
    await this.#keeper?.close();
    this.#disconnect();
  }

  #disconnect(): void {
    this.#connection?.database.close();
    this.#connection = undefined;
  }

  #displacement(): string | undefined {
    return displacement(this.#place.path, this.#place.files);
  }

  #open(): OpenConnection {
    const checkpoints = this.#keeper === undefined ? 'commits' : 'apart';
    const database = openWriteConnection(this.#place.path, this.#busy_timeout_ms, checkpoints);
    try {
      if (this.#emptyLog) emptyWriteAheadLog(database);
      this.#emptyLog = false;
      return { database, execute: batchExecution(database), log: logConnection(database, this.#place.path) };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #fail(error: unknown): StorageUnavailable {
    // The connection stays: it holds the files, and closing it would save what the log holds.
    if (error instanceof StorageUnavailable) return error;
    this.#emptyLog ||= isInputOutputError(error) || isInputOutputError((error as Error).cause);
    const reason = reasonOf(error);
    try {
      this.#disconnect();
    } catch {
      // The reason of the failed batch matters more. A connection that cannot be closed is dropped.
      this.#connection = undefined;
    }
    return new StorageUnavailable(`cannot write to the database ${this.#place.path}: ${reason}`, {
      cause: error,
    });
  }
}

const isLocked = (error: unknown): boolean =>
  error instanceof NotBegun ? isBusy(error.cause) : error instanceof LogInUse;

class LogInUse extends Error {
  override readonly name = 'LogInUse';
}

/** The transaction could not begin, so no write was tried. Only after this failure may a batch be repeated. */
class NotBegun extends Error {
  override readonly name = 'NotBegun';
}

/**
 * Moves everything from the log to the main file and restarts the log. After a failed fsync the kernel may have dropped
 * pages that it could not write, and the next fsync succeeds: frames appended behind such a gap would be lost with it.
 */
function emptyWriteAheadLog(database: DatabaseSync): void {
  const outcome = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (outcome?.['busy'] !== 0) throw new LogInUse('the write-ahead log is in use');
}

/**
 * Executes batches on one connection, each in one transaction, and answers after a durable commit. Throws `NotBegun`, or
 * SQLite's error if the whole batch is lost or its outcome is unknown. The connection must not be used after that error.
 */
function batchExecution(database: DatabaseSync): (writes: readonly Write[]) => readonly Answer[] {
  const handlers = writeHandlers(STORES, database);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const handle = ({ name, values }: Write): unknown => {
    const handler = handlers.get(name);
    if (handler === undefined) throw new Error(`${name} is not a write`);
    return handler(...(values as Parameters<Handler>));
  };
  const handleApart = apart(database, handle);

  const transaction = (execute: () => readonly Answer[]): readonly Answer[] => {
    try {
      begin.run();
    } catch (cause) {
      throw new NotBegun(reasonOf(cause), { cause });
    }
    try {
      const answers = execute();
      commit.run();
      return answers;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };

  return (writes) => {
    try {
      return transaction(() => writes.map((write) => ({ value: handle(write) })));
    } catch (error) {
      if (error instanceof NotBegun || !concernsOneWrite(error)) throw error;
      // The batch was rolled back. A savepoint copies each page that its write changes, so only this retry uses them.
      return transaction(() => writes.map(handleApart));
    }
  };
}

/** Executes each write within a savepoint, so that a failed write is rolled back alone. */
function apart(database: DatabaseSync, handle: (write: Write) => unknown): (write: Write) => Answer {
  const savepoint = database.prepare('SAVEPOINT write');
  const release = database.prepare('RELEASE write');
  const undo = database.prepare('ROLLBACK TO write');

  return (write) => {
    savepoint.run();
    try {
      const value = handle(write);
      release.run();
      return { value };
    } catch (error) {
      // A full disk or a failed read has undone the other writes as well, or soon would.
      if (!concernsOneWrite(error) || !database.isTransaction) throw error;
      undo.run();
      release.run();
      return { refused: reasonOf(error) };
    }
  };
}
