import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type StorageMeter, StorageUnavailable } from '../../ports/storage.ts';
import { waitOfRequest } from '../request-waits.ts';
import { refuseNul, type Write, type Writes } from '../verbs.ts';
import { type Answer, BatchExecutor, type DatabasePlace, monotonicMilliseconds } from './write-batch.ts';
import { isPatient } from './write-queue.ts';
import type { WriterReply, WriterRequest, WriterThreadData } from './writer-thread.ts';

/** Beyond this the disk does not keep up, and a further write would only wait longer. */
const UNANSWERED_WRITES_MAX = 20_000;
/** On the main thread, one attempt to begin a transaction blocks the event loop at most this long. */
const BUSY_TIMEOUT_MS = 10;

/** Carries batches to the connection that writes. */
export interface WriteChannel {
  /** Resolves when all of `writes` are durable. Rejects if none of them is known to be. */
  send(writes: readonly Write[]): Promise<readonly Answer[]>;
  close(): Promise<void>;
}

interface WaitingWrite {
  readonly write: Write;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** Gathers the writes of one event-loop turn and sends them together. */
export class GatheredWrites implements Writes {
  readonly #channel: WriteChannel;
  readonly #meter: StorageMeter | undefined;
  #gathered: WaitingWrite[] = [];
  #unanswered = 0;
  #closing = false;
  #stopped: string | undefined;
  #drained: (() => void) | undefined;

  constructor(channel: WriteChannel, meter?: StorageMeter) {
    this.#channel = channel;
    this.#meter = meter;
  }

  /** Writes that are not answered yet. */
  get unanswered(): number {
    return this.#unanswered;
  }

  write(write: Write): Promise<unknown> {
    return waitOfRequest(() => this.#write(write));
  }

  #write(write: Write): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closing) throw new StorageUnavailable('the storage is closed');
      if (this.#stopped !== undefined) throw new StorageUnavailable(this.#stopped, { writesStopped: true });
      if (this.#unanswered >= UNANSWERED_WRITES_MAX)
        throw new StorageUnavailable('too many writes are waiting');
      refuseNul(write.values);
      this.#unanswered += 1;
      if (this.#gathered.length === 0) setImmediate(() => this.#sendGathered());
      this.#gathered.push({ write, resolve, reject });
    });
  }

  /** Refuses every further write with this reason. */
  stop(reason: string): void {
    this.#stopped = reason;
  }

  /** Refuses further writes. Resolves when the writes in progress are answered. */
  async drain(): Promise<void> {
    this.#closing = true;
    if (this.#unanswered === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #sendGathered(): void {
    const gathered = this.#gathered;
    this.#gathered = [];
    const patient = gathered.filter(({ write }) => isPatient(write));
    if (patient.length < gathered.length)
      void this.#send(patient.length === 0 ? gathered : gathered.filter(({ write }) => !isPatient(write)));
    // One at a time, so that others come in between.
    for (const one of patient) void this.#send([one]);
  }

  async #send(gathered: readonly WaitingWrite[]): Promise<void> {
    const begun = performance.now();
    try {
      const answers = await this.#channel.send(gathered.map((waiting) => waiting.write));
      gathered.forEach((waiting, index) => settle(waiting, answers[index]));
    } catch (error) {
      for (const waiting of gathered) waiting.reject(error as Error);
    }
    this.#meter?.took('write', (performance.now() - begun) / 1000);
    this.#meter?.batch(gathered.length);
    this.#unanswered -= gathered.length;
    if (this.#unanswered === 0) this.#drained?.();
  }
}

function settle(waiting: WaitingWrite, answer: Answer | undefined): void {
  if (answer === undefined) waiting.reject(new StorageUnavailable('the write was not answered'));
  else if ('refused' in answer) waiting.reject(new Error(answer.refused));
  else waiting.resolve(answer.value);
}

type WaitingBatch = PromiseWithResolvers<readonly Answer[]>;

/** Commits on a thread of its own (ADR 3). If the thread ends, the next write starts another one. */
export class WriterThreadChannel implements WriteChannel {
  readonly #place: DatabasePlace;
  readonly #lock_wait_ms_max: number;
  readonly #script: URL;
  readonly #waiting = new Map<number, WaitingBatch>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(
    place: DatabasePlace,
    lock_wait_ms_max: number,
    script = new URL('./writer-thread.ts', import.meta.url),
  ) {
    this.#place = place;
    this.#script = script;
    this.#lock_wait_ms_max = lock_wait_ms_max;
    this.#worker = this.#start();
  }

  async send(writes: readonly Write[]): Promise<readonly Answer[]> {
    this.#worker ??= this.#start();
    const waiting: WaitingBatch = Promise.withResolvers();
    this.#post(this.#worker, writes);
    this.#waiting.set(this.#lastId, waiting);
    // A pending write keeps the process alive; an idle storage does not.
    this.#worker.ref();
    return waiting.promise;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    worker.ref();
    const exit = once(worker, 'exit');
    this.#post(worker, 'close');
    await exit;
  }

  #post(worker: Worker, writes: WriterRequest['writes']): void {
    this.#lastId += 1;
    const deadline_ms = monotonicMilliseconds() + this.#lock_wait_ms_max;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    worker.postMessage({ id: this.#lastId, deadline_ms, writes } satisfies WriterRequest);
  }

  #start(): Worker {
    const workerData: WriterThreadData = this.#place;
    // Without `execArgv` a thread inherits the options of the process, such as `--input-type`, which may not suit a file.
    const worker = new Worker(this.#script, { workerData, execArgv: [] });
    worker.unref();
    worker.on('message', (reply: WriterReply) => this.#settle(worker, reply));
    let reason = 'it ended';
    worker.on('error', (error: unknown) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => this.#abandon(worker, reason));
    return worker;
  }

  #settle(worker: Worker, reply: WriterReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) worker.unref();
    if ('answers' in reply) waiting?.resolve(reply.answers);
    else waiting?.reject(new StorageUnavailable(reply.failure, { writesStopped: reply.writesStopped }));
  }

  #abandon(worker: Worker, reason: string): void {
    if (this.#worker === worker) this.#worker = undefined;
    const abandoned = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of abandoned) {
      waiting.reject(
        new StorageUnavailable(`the thread that writes to ${this.#place.path} failed: ${reason}`),
      );
    }
  }
}

/** Commits on the calling thread. */
export function mainThreadChannel(place: DatabasePlace, lock_wait_ms_max: number): WriteChannel {
  const executor = new BatchExecutor(place, BUSY_TIMEOUT_MS);
  let last: Promise<unknown> = Promise.resolve();
  return {
    send(writes) {
      const deadline_ms = monotonicMilliseconds() + lock_wait_ms_max;
      const run = (): Promise<readonly Answer[]> => executor.execute(writes, deadline_ms);
      const answers = last.then(run, run);
      last = answers;
      return answers;
    },
    async close() {
      await last.catch(() => undefined);
      await executor.close();
    },
  };
}
