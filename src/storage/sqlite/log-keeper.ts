import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isInputOutputError, LOG_FILE_BYTES, LOG_PAGES } from './connection.ts';

/** The log as SQLite sees it: its pages, and the number of its first pages that are in the file too. `-1`: unknown. */
export interface LogState {
  readonly log: number;
  readonly checkpointed: number;
}

/** `errcode` is SQLite's, if SQLite raised the error. */
export type CheckpointOutcome = LogState | { readonly failure: string; readonly errcode: number | undefined };

/** A thread that does checkpoints beside the writer. It starts with the first one, and ends a while after the last. */
export interface CheckpointThread {
  begin(): void;
  /** Returns how the checkpoint ended, once; undefined while it is under way. */
  poll(): CheckpointOutcome | undefined;
  /** Resolves when `poll` has something to return. */
  ended(): Promise<void>;
  /** Resolves when the thread has ended, after the checkpoint that is under way. */
  close(): Promise<void>;
}

/** The log, as the connection that writes sees and moves it. */
export interface LogConnection {
  state(): LogState;
  /** Moves to the file what no reader needs in the log. Does not wait for readers. */
  checkpoint(): LogState;
  /** Is called before the log can restart: the commit that restarts it also cuts its file short, by a little only. */
  easeCut(): void;
}

export interface LogKeeperOptions {
  readonly thread: CheckpointThread;
  /** Milliseconds on a monotonic clock. */
  readonly now_ms: () => number;
  /** Pages in the log from which on it is to be restarted. */
  readonly pages?: number;
}

/** The writer moves at most this share of the log while writes wait: 250 pages, 1 MB. */
const REST_SHARE = 1 / 16;
/** If a checkpoint leaves more than this share, something needs it for longer than a read of a request takes. */
const HELD_SHARE = 1 / 2;
/** After this number of writes the writer asks SQLite for the size of the log, which takes about 2 µs. */
const WRITES_UNSEEN_MAX = 16;
/** After a rest was moved, the log restarts with the next commit that meets no reader. Then the rest is moved again. */
const REST_GAP_MS = 10;
/** A backup, or another process that does a checkpoint, is not over sooner. */
const HELD_GAP_MS = 500;
const UNKNOWN = Number.POSITIVE_INFINITY;

/**
 * Keeps the log short without letting writes wait for its pages (ADR 102). A thread moves them to the file while the writer goes on.
 * SQLite restarts the log only if all of it is moved, and under constant writes the thread never gets there: the writer moves the
 * small rest. If the thread cannot keep up, the writer waits for it and moves everything. So the log stays bounded.
 */
export class LogKeeper {
  readonly #thread: CheckpointThread;
  readonly #now_ms: () => number;
  readonly #pages: number;
  #writesUnseen = 0;
  #underWay = false;
  #threadFailed = false;
  /** The thread has failed to read, write or sync the files. */
  #inputOutputError: Error | undefined;
  /** Pages beyond which writes wait for the log. It is set when there is something to move that no reader holds. */
  #limit = UNKNOWN;
  #notBefore_ms = 0;

  constructor({ thread, now_ms, pages = LOG_PAGES }: LogKeeperOptions) {
    this.#thread = thread;
    this.#now_ms = now_ms;
    this.#pages = pages;
  }

  /** Returns, once, the input/output error that ended a checkpoint of the thread. A call takes less than a microsecond. */
  inputOutputError(): Error | undefined {
    this.#hear();
    const error = this.#inputOutputError;
    this.#inputOutputError = undefined;
    return error;
  }

  /** Is called after each commit. Rejects with the input/output error of a checkpoint. */
  async keep(connection: LogConnection, writes: number): Promise<void> {
    this.#writesUnseen += writes;
    if (this.#writesUnseen < WRITES_UNSEEN_MAX) return;
    this.#writesUnseen = 0;
    this.#hear();
    if (this.#inputOutputError !== undefined) return;
    const { log, checkpointed } = connection.state();
    if (log < this.#pages) {
      if (!this.#underWay) this.#limit = UNKNOWN;
      return;
    }
    if (this.#underWay) {
      if (log <= this.#limit) return;
      await this.#thread.ended();
      this.#hear();
      if (this.#inputOutputError !== undefined) return;
    }
    if (this.#now_ms() < this.#notBefore_ms) return;
    // A backup leaves a long log: as much may follow while the thread moves it.
    if (this.#limit === UNKNOWN) this.#limit = 2 * log + 4 * this.#pages;
    if (log > this.#limit || this.#threadFailed || log - checkpointed <= this.#pages * REST_SHARE)
      this.#moveRest(connection);
    else this.#begin(connection);
  }

  /** Resolves when no checkpoint is under way any more. */
  async close(): Promise<void> {
    await this.#thread.close();
  }

  #begin(connection: LogConnection): void {
    connection.easeCut();
    this.#underWay = true;
    this.#thread.begin();
  }

  /** Heeds how the thread's checkpoint ended, if it has. */
  #hear(): void {
    const outcome = this.#underWay ? this.#thread.poll() : undefined;
    if (outcome === undefined) return;
    this.#underWay = false;
    if (!('failure' in outcome)) return this.#heedReaders(outcome, 0);
    const { failure, errcode } = outcome;
    const error = Object.assign(new Error(failure), errcode === undefined ? {} : { errcode });
    if (isInputOutputError(error)) this.#inputOutputError = error;
    else this.#threadFailed = true;
  }

  #moveRest(connection: LogConnection): void {
    this.#threadFailed = false;
    connection.easeCut();
    this.#heedReaders(checkpointOf(connection), REST_GAP_MS);
  }

  /** Something needs the log that was left: a backup that reads it, a full disk, another process that moves it. */
  #heedReaders({ log, checkpointed }: LogState, gap_ms: number): void {
    const isHeld = log < 0 || log - checkpointed > this.#pages * HELD_SHARE;
    this.#notBefore_ms = this.#now_ms() + (isHeld ? HELD_GAP_MS : gap_ms);
    if (isHeld) this.#limit = UNKNOWN;
  }
}

function checkpointOf(connection: LogConnection): LogState {
  try {
    return connection.checkpoint();
  } catch (error) {
    if (isInputOutputError(error)) throw error;
    // On a full disk the pages stay in the log, where nothing is lost.
    return { log: -1, checkpointed: -1 };
  }
}

/** ext4 takes about half a millisecond to give back a megabyte. */
const CUT_BYTES = 33_554_432;

export function logConnection(database: DatabaseSync, path: string): LogConnection {
  const noop = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  const passive = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const stateOf = (row: ReturnType<typeof noop.get>): LogState => ({
    log: Number(row?.['log']),
    checkpointed: Number(row?.['checkpointed']),
  });
  return {
    state: () => stateOf(noop.get()),
    checkpoint: () => stateOf(passive.get()),
    easeCut() {
      const bytes = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      database.exec(`PRAGMA journal_size_limit = ${Math.max(LOG_FILE_BYTES, bytes - CUT_BYTES)}`);
    },
  };
}
