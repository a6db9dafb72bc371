import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface FlushThreadData {
  readonly path: string;
  /** Numbers at the places of `FLUSH_STATE`, which begin with 0. Both threads see them. */
  readonly state: Int32Array<SharedArrayBuffer>;
}

export const FLUSH_STATE = {
  /** Becomes 1 when the file is complete. */
  complete: 0,
  /** How often the file was flushed. */
  flushes: 1,
} as const;

/**
 * Calls `write`, which writes a large file in one go, while a thread flushes what the file has so far. Otherwise the system writes
 * all of it to the disk at once, and the commits of a server on that disk wait (ADR 111). The file is at `path` before.
 * @returns what `write` returns, when the file is flushed to its end. Rejects if a flush failed: the system tells that thread
 * only, and a later flush may succeed without the lost pages
 */
export async function flushedWhile<T>(
  path: string,
  write: (state: FlushThreadData['state']) => T,
): Promise<T> {
  const bytes = Object.keys(FLUSH_STATE).length * Int32Array.BYTES_PER_ELEMENT;
  const state = new Int32Array(new SharedArrayBuffer(bytes));
  const workerData: FlushThreadData = { path, state };
  const worker = new Worker(new URL('./flush-thread.ts', import.meta.url), { workerData, execArgv: [] });
  // Both waits reject with an error of the thread.
  await once(worker, 'message');
  const exit = once(worker, 'exit');
  try {
    return write(state);
  } finally {
    Atomics.store(state, FLUSH_STATE.complete, 1);
    Atomics.notify(state, FLUSH_STATE.complete);
    await exit;
  }
}
