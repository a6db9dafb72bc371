import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import {
  isDamage,
  isInputOutputError,
  openReadConnection,
  openWriteConnection,
  reasonOf,
} from './connection.ts';
import { OutOfOrder, type Tree, treesOf, walk } from './tree-walk.ts';

export interface FileCheckData {
  readonly path: string;
  readonly lock_wait_ms_max: number;
  /** Whether the log is so large that a checkpoint would hold up the first commit. */
  readonly largeLog: boolean;
}

/** `recovered`: other connections open at once from now on. The last message is `passed`, `damaged` or `unfinished`. */
export type FileCheckMessage =
  | { readonly kind: 'recovered' }
  | { readonly kind: 'failed'; readonly reason: string; readonly damage: boolean }
  | { readonly kind: 'progress'; readonly done: number; readonly of: number; readonly rows: number }
  | { readonly kind: 'passed' }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'unfinished'; readonly reason: string };

/** The thread rests as long as it works, and at least this long, so that requests keep the processor and the disk. */
const REST_MS_MIN = 2;
/** A read that fails for a moment is no damage. */
const ATTEMPTS_MAX = 5;
const RETRY_WAIT_MS = 1000;

if (parentPort === null) throw new Error('file-check-thread.ts runs as a worker thread only');
const port = parentPort;
const { path, lock_wait_ms_max, largeLog } = workerData as FileCheckData;
const say = (message: FileCheckMessage): void => port.postMessage(message);

const recovering = recover();
if (recovering !== undefined) {
  say({ kind: 'recovered' });
  // The main thread opens its connections before this one closes.
  port.once('message', () => {
    if (largeLog) emptyLog(recovering);
    const reader = openReadConnection(path);
    recovering.close();
    void check(reader).finally(() => {
      reader.close();
      port.close();
    });
  });
}

/** Reads the log into its index, which the first connection after a crash has to do. */
function recover(): DatabaseSync | undefined {
  try {
    const database = openWriteConnection(path, lock_wait_ms_max);
    database.exec('SELECT 1 FROM sqlite_schema');
    return database;
  } catch (error) {
    say({ kind: 'failed', reason: reasonOf(error), damage: isDamage(error) });
    return undefined;
  }
}

/** Copies a large log into the file here, beside reads and writes. Otherwise the first commit would do it and wait for it. */
function emptyLog(database: DatabaseSync): void {
  try {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch {
    // The writer tries it again with each commit, and fails with its own words.
  }
}

async function check(database: DatabaseSync): Promise<void> {
  const trees = treesOf(database);
  let rows = 0;
  for (const [done, tree] of trees.entries()) {
    const outcome = await checkTree(database, tree, (read) => {
      rows += read;
      say({ kind: 'progress', done, of: trees.length, rows });
    });
    if (outcome !== undefined) return say(outcome);
  }
  say({ kind: 'passed' });
}

async function checkTree(
  database: DatabaseSync,
  tree: Tree,
  advance: (rows: number) => void,
): Promise<FileCheckMessage | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      let began = performance.now();
      for (const read of walk(database, tree)) {
        advance(read);
        await sleep(Math.max(REST_MS_MIN, performance.now() - began));
        began = performance.now();
      }
      return undefined;
    } catch (error) {
      const reason = `${tree.name}: ${reasonOf(error)}`;
      if (isDamage(error) || error instanceof OutOfOrder) return { kind: 'damaged', reason };
      if (!isInputOutputError(error) || attempt === ATTEMPTS_MAX) return { kind: 'unfinished', reason };
    }
    await sleep(RETRY_WAIT_MS);
  }
}
