import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Write } from '../verbs.ts';
import { type Answer, BatchExecutor, type DatabasePlace } from './write-batch.ts';

export type WriterThreadData = DatabasePlace;

export interface WriterRequest {
  readonly id: number;
  /** On the clock of `monotonicMilliseconds`. Until then the thread waits for a lock that another process holds. */
  readonly deadline_ms: number;
  readonly writes: readonly Write[] | 'close';
}

export type WriterReply =
  | { readonly id: number; readonly answers: readonly Answer[] }
  | { readonly id: number; readonly failure: string; readonly writesStopped: boolean };

/** While another process writes, one attempt to begin a transaction blocks this thread at most this long. */
const BUSY_TIMEOUT_MS = 250;
/** A commit shares at most this many writes, so that the first does not wait too long for the last. */
const BATCH_WRITES_MAX = 1024;

if (parentPort === null) throw new Error('writer-thread.ts runs as a worker thread only');
const port = parentPort;
const executor = new BatchExecutor(workerData as WriterThreadData, BUSY_TIMEOUT_MS);
const queue: WriterRequest[] = [];
let running = false;

port.on('message', (request: WriterRequest) => {
  queue.push(request);
  if (!running) void run();
});

async function run(): Promise<void> {
  running = true;
  for (;;) {
    receiveQueued();
    const [first] = queue;
    if (first === undefined) break;
    if (first.writes === 'close') {
      executor.close();
      port.close();
      break;
    }
    await commit(takeBatch());
  }
  running = false;
}

function receiveQueued(): void {
  let received = receiveMessageOnPort(port);
  while (received !== undefined) {
    queue.push(received.message as WriterRequest);
    received = receiveMessageOnPort(port);
  }
}

interface Part {
  readonly request: WriterRequest;
  readonly writes: readonly Write[];
}

function takeBatch(): readonly Part[] {
  const parts: Part[] = [];
  let count = 0;
  for (const request of queue) {
    if (request.writes === 'close' || (count > 0 && count + request.writes.length > BATCH_WRITES_MAX)) break;
    parts.push({ request, writes: request.writes });
    count += request.writes.length;
  }
  queue.splice(0, parts.length);
  return parts;
}

async function commit(parts: readonly Part[]): Promise<void> {
  const deadline_ms = Math.min(...parts.map((part) => part.request.deadline_ms));
  try {
    const answers = await executor.execute(
      parts.flatMap((part) => part.writes),
      deadline_ms,
    );
    answer(parts, answers);
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    const writesStopped = error instanceof StorageUnavailable && error.writesStopped;
    for (const { request } of parts)
      port.postMessage({ id: request.id, failure, writesStopped } satisfies WriterReply);
  }
}

function answer(parts: readonly Part[], answers: readonly Answer[]): void {
  let start = 0;
  for (const { request, writes } of parts) {
    const end = start + writes.length;
    port.postMessage({ id: request.id, answers: answers.slice(start, end) } satisfies WriterReply);
    start = end;
  }
}
