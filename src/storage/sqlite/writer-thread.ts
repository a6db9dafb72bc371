import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Write } from '../verbs.ts';
import { CheckpointWorker } from './checkpoint-worker.ts';
import { LogKeeper } from './log-keeper.ts';
import { type Answer, BatchExecutor, type DatabasePlace, monotonicMilliseconds } from './write-batch.ts';
import { type QueuedWrites, WriteQueue } from './write-queue.ts';

export type WriterThreadData = DatabasePlace;

export interface WriterRequest {
  readonly id: number;
  /** On the clock of `monotonicMilliseconds`. Until then the thread waits for a lock that another process holds. */
  readonly deadline_ms: number;
  readonly writes: readonly Write[] | 'close';
}

interface WritesRequest extends QueuedWrites, Pick<WriterRequest, 'id' | 'deadline_ms'> {}

export type WriterReply =
  | { readonly id: number; readonly answers: readonly Answer[] }
  | { readonly id: number; readonly failure: string; readonly writesStopped: boolean };

/** While another process writes, one attempt to begin a transaction blocks this thread at most this long. */
const BUSY_TIMEOUT_MS = 250;

if (parentPort === null) throw new Error('writer-thread.ts runs as a worker thread only');
const port = parentPort;
const place = workerData as WriterThreadData;
const keeper = new LogKeeper({ thread: new CheckpointWorker(place), now_ms: monotonicMilliseconds });
const executor = new BatchExecutor(place, BUSY_TIMEOUT_MS, keeper);
const queue = new WriteQueue<WritesRequest>();
/** Sent last, when every write is answered. */
let closing = false;
let running = false;

port.on('message', (request: WriterRequest) => {
  receive(request);
  if (!running) void run();
});

function receive(request: WriterRequest): void {
  if (request.writes === 'close') closing = true;
  else queue.add({ ...request, writes: request.writes }, monotonicMilliseconds());
}

async function run(): Promise<void> {
  running = true;
  for (;;) {
    receiveQueued();
    const requests = queue.next(monotonicMilliseconds());
    if (requests.length === 0) break;
    await commit(requests);
  }
  running = false;
  if (!closing) return;
  await executor.close();
  port.close();
}

function receiveQueued(): void {
  let received = receiveMessageOnPort(port);
  while (received !== undefined) {
    receive(received.message as WriterRequest);
    received = receiveMessageOnPort(port);
  }
}

async function commit(requests: readonly WritesRequest[]): Promise<void> {
  const deadline_ms = Math.min(...requests.map((request) => request.deadline_ms));
  try {
    const answers = await executor.execute(
      requests.flatMap((request) => request.writes),
      deadline_ms,
    );
    answer(requests, answers);
    await executor.keepLog(answers.length);
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    const writesStopped = error instanceof StorageUnavailable && error.writesStopped;
    for (const { id } of requests) port.postMessage({ id, failure, writesStopped } satisfies WriterReply);
  }
}

function answer(requests: readonly WritesRequest[], answers: readonly Answer[]): void {
  let start = 0;
  for (const { id, writes } of requests) {
    const end = start + writes.length;
    port.postMessage({ id, answers: answers.slice(start, end) } satisfies WriterReply);
    start = end;
  }
}
