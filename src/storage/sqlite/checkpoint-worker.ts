import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { CheckpointRequest, CheckpointThreadData } from './checkpoint-thread.ts';
import type { CheckpointOutcome, CheckpointThread } from './log-keeper.ts';
import type { DatabasePlace } from './write-batch.ts';

/** A thread without work ends, and gives its memory back. */
const IDLE_MS = 10_000;
/** SQLite's memory is not in it. */
const HEAP = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };

interface Started {
  readonly port: MessagePort;
  readonly exit: Promise<void>;
}

export interface CheckpointWorkerOptions {
  readonly script?: URL;
  readonly idle_ms?: number;
}

/** Does checkpoints on a worker thread of the calling thread. */
export class CheckpointWorker implements CheckpointThread {
  readonly #place: DatabasePlace;
  readonly #script: URL;
  readonly #idle_ms: number;
  #started: Started | undefined;
  /** The end of the thread before, whose connection may still be open. */
  #exit: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #outcome: CheckpointOutcome | undefined;
  #ended = Promise.withResolvers<void>();

  constructor(place: DatabasePlace, { script, idle_ms = IDLE_MS }: CheckpointWorkerOptions = {}) {
    this.#place = place;
    this.#script = script ?? new URL('./checkpoint-thread.ts', import.meta.url);
    this.#idle_ms = idle_ms;
  }

  begin(): void {
    clearTimeout(this.#idle);
    this.#outcome = undefined;
    this.#ended = Promise.withResolvers();
    try {
      this.#started ??= this.#start();
    } catch (error) {
      return this.#settle({ failure: String(error), errcode: undefined });
    }
    ask(this.#started, 'checkpoint');
  }

  poll(): CheckpointOutcome | undefined {
    // The event loop may not come to the message while writes are waiting.
    const message = this.#started && receiveMessageOnPort(this.#started.port)?.message;
    if (message !== undefined) this.#settle(message as CheckpointOutcome);
    const outcome = this.#outcome;
    this.#outcome = undefined;
    return outcome;
  }

  async ended(): Promise<void> {
    await this.#ended.promise;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const started = this.#started;
    this.#started = undefined;
    if (started !== undefined) {
      this.#exit = started.exit;
      ask(started, 'close');
    }
    await this.#exit;
  }

  #start(): Started {
    const { port1: port, port2 } = new MessageChannel();
    const workerData: CheckpointThreadData = { place: this.#place, port: port2 };
    const worker = new Worker(this.#script, {
      workerData,
      transferList: [port2],
      execArgv: [],
      resourceLimits: HEAP,
    });
    const exit = Promise.withResolvers<void>();
    const started = { port, exit: exit.promise };
    let failure = 'the thread ended';
    port.on('message', (outcome: CheckpointOutcome) => this.#settle(outcome));
    worker.on('error', (error: unknown) => {
      failure = String(error);
    });
    worker.on('exit', () => {
      exit.resolve();
      if (this.#started !== started) return;
      this.#started = undefined;
      this.#settle({ failure, errcode: undefined });
    });
    return started;
  }

  #settle(outcome: CheckpointOutcome): void {
    this.#outcome = outcome;
    this.#ended.resolve();
    clearTimeout(this.#idle);
    if (this.#started !== undefined) this.#idle = setTimeout(() => void this.close(), this.#idle_ms).unref();
  }
}

function ask({ port }: Started, request: CheckpointRequest): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  port.postMessage(request);
}
