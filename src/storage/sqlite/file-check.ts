import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../ports/log.ts';
import { type FileCheck, type FileCheckState, StorageUnavailable } from '../../ports/storage.ts';
import type { FileCheckData, FileCheckMessage } from './file-check-thread.ts';

/** The writer empties the log at 16 MB. A larger one had a reader in its way. */
const LARGE_LOG_BYTES = 64 * 1024 * 1024;
const LOG_INTERVAL_MS = 10_000;

export const logBytes = (path: string): number =>
  statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** Recovers a large database after a crash on a thread, and then checks its pages there while requests are answered (ADR 46). */
export class BesideCheck implements FileCheck {
  readonly #path: string;
  readonly #log: Log;
  readonly #worker: Worker;
  readonly #began = performance.now();
  readonly #ended = Promise.withResolvers<FileCheckState>();
  readonly #recovered = Promise.withResolvers<void>();
  #state: FileCheckState = { state: 'running', done: 0, of: 0, rows: 0 };
  #loggedAt = performance.now();

  constructor(path: string, lock_wait_ms_max: number, log: Log) {
    this.#path = path;
    this.#log = log;
    const wal_bytes = logBytes(path);
    log.warn(
      { bytes: statSync(path).size, wal_bytes },
      'the database was not closed: it is recovered, and its file is checked while requests are answered',
    );
    const workerData: FileCheckData = { path, lock_wait_ms_max, largeLog: wal_bytes >= LARGE_LOG_BYTES };
    this.#worker = new Worker(new URL('./file-check-thread.ts', import.meta.url), {
      workerData,
      execArgv: [],
    });
    this.#worker.on('message', (message: FileCheckMessage) => this.#receive(message));
    this.#worker.on('error', (error: unknown) => this.#end({ state: 'unfinished', reason: String(error) }));
    this.#worker.on('exit', () => this.#end({ state: 'unfinished', reason: 'the thread ended' }));
    this.#recovered.promise.catch(() => undefined);
  }

  /** Resolves when other connections can open without a recovery. Rejects with `StorageUnavailable`. */
  get recovered(): Promise<void> {
    return this.#recovered.promise;
  }

  get ended(): Promise<FileCheckState> {
    return this.#ended.promise;
  }

  state(): FileCheckState {
    return this.#state;
  }

  begin(): void {
    this.#worker.unref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage('begin');
  }

  async close(): Promise<void> {
    if (this.#state.state !== 'running') return;
    this.#state = { state: 'unfinished', reason: 'the server stops' };
    await this.#worker.terminate();
  }

  #receive(message: FileCheckMessage): void {
    switch (message.kind) {
      case 'recovered':
        this.#log.info({ ms: this.#elapsed() }, 'the log of the database is recovered');
        return this.#recovered.resolve();
      case 'failed': {
        const what = message.damage
          ? `is damaged (${message.reason}): restore it from a backup`
          : `cannot be recovered: ${message.reason}`;
        return this.#recovered.reject(new StorageUnavailable(`the database ${this.#path} ${what}`));
      }
      case 'progress': {
        const { done, of, rows } = message;
        if (this.#state.state === 'running') this.#state = { state: 'running', done, of, rows };
        return this.#logProgress(done, of, rows);
      }
      case 'passed':
        return this.#end({ state: 'passed' });
      default:
        return this.#end({ state: message.kind, reason: message.reason });
    }
  }

  #logProgress(done: number, of: number, rows: number): void {
    if (performance.now() - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = performance.now();
    this.#log.info({ done, of, rows }, 'the file of the database is being checked');
  }

  #end(state: FileCheckState): void {
    this.#recovered.reject(
      new StorageUnavailable(`the database ${this.#path} cannot be recovered: the thread ended`),
    );
    if (this.#state.state !== 'running') return this.#ended.resolve(this.#state);
    this.#state = state;
    const ms = this.#elapsed();
    if (state.state === 'passed') this.#log.info({ ms }, 'the file of the database is sound');
    else if (state.state === 'unfinished')
      this.#log.error(
        { ms, reason: state.reason },
        'the file of the database could not be checked to its end',
      );
    this.#ended.resolve(state);
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#began);
  }
}

/**
 * Examines what the first write relies on: the schema, the list of free pages, and the root page of each table and index.
 * Takes milliseconds whatever the size of the file is. Throws `StorageUnavailable`.
 */
export function refuseDamagedRoots(database: DatabaseSync, path: string): void {
  const refuse = (what: string): never => {
    throw new StorageUnavailable(`the database ${path} is damaged (${what}): restore it from a backup`);
  };
  // A check of the table of the schema alone includes the list of free pages (https://www.sqlite.org/pragma.html).
  const finding = String(database.prepare('PRAGMA quick_check(sqlite_schema)').get()?.['quick_check']);
  if (finding !== 'ok') refuse(finding.replaceAll(/\s+/gu, ' '));
  const names = database.prepare('SELECT name FROM sqlite_schema WHERE rootpage > 0').all();
  const root = database.prepare('SELECT pagetype FROM dbstat WHERE name = ? LIMIT 1');
  for (const { name } of names) {
    const type = String(root.get(String(name))?.['pagetype']);
    if (type !== 'leaf' && type !== 'internal') refuse(`the root page of ${String(name)}`);
  }
}
