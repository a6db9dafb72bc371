import { closeSync, fdatasyncSync, fstatSync, openSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { FLUSH_STATE, type FlushThreadData } from './flushed-while.ts';

/** A disk that writes 100 MB a second takes 40 ms for it. */
const STEP_BYTES = 4_194_304;
const LOOK_MS = 10;

if (parentPort === null) throw new Error('flush-thread.ts runs as a worker thread only');
const { path, state } = workerData as FlushThreadData;
const file = openSync(path, 'r');
const port = parentPort;
port.postMessage('open');

let flushed = 0;
let isComplete = false;
while (!isComplete) {
  isComplete = Atomics.wait(state, FLUSH_STATE.complete, 0, LOOK_MS) !== 'timed-out';
  const { size } = fstatSync(file);
  if (!isComplete && size - flushed < STEP_BYTES) continue;
  fdatasyncSync(file);
  flushed = size;
  Atomics.add(state, FLUSH_STATE.flushes, 1);
  Atomics.notify(state, FLUSH_STATE.flushes);
}
closeSync(file);
