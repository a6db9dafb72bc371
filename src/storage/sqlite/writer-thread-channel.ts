import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { Answer, Write, WriteChannel } from '../write.ts';
import { monotonicMilliseconds } from './batch-executor.ts';
import type { WriterReply, WriterRequest, WriterThreadData } from './writer-thread-messages.ts';

type Waiting = PromiseWithResolvers<readonly Answer[]>;

/** Commits on a thread of its own, which is started again with the next write if it ever ends. */
export class WriterThreadChannel implements WriteChannel {
  readonly #path: string;
  readonly #lock_wait_ms_max: number;
  readonly #script: URL;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(
    path: string,
    lock_wait_ms_max: number,
    script = new URL('./writer-thread.ts', import.meta.url),
  ) {
    this.#path = path;
    this.#script = script;
    this.#lock_wait_ms_max = lock_wait_ms_max;
    this.#worker = this.#start();
  }

  async send(writes: readonly Write[]): Promise<readonly Answer[]> {
    this.#worker ??= this.#start();
    const waiting = Promise.withResolvers<readonly Answer[]>();
    this.#post(this.#worker, writes);
    this.#waiting.set(this.#lastId, waiting);
    // An idle storage does not keep a process alive, a pending write does.
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
    const workerData: WriterThreadData = { path: this.#path };
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
    else waiting?.reject(new StorageUnavailable(reply.failure));
  }

  #abandon(worker: Worker, reason: string): void {
    if (this.#worker === worker) this.#worker = undefined;
    const abandoned = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of abandoned) {
      waiting.reject(new StorageUnavailable(`the thread that writes to ${this.#path} failed: ${reason}`));
    }
  }
}
