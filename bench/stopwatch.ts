import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker } from 'node:worker_threads';

/** A request that is sent again and again. */
export interface Watched {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Every answer must be this. */
  readonly answer: string;
  readonly milliseconds: number;
}

export interface Waits {
  readonly longest_ms: number;
  readonly p99_ms: number;
  readonly answered: number;
}

export interface Stopwatch {
  measure(watched: Watched): Promise<Waits>;
  close(): Promise<void>;
}

/** Milliseconds between an answer and the next request. */
const PAUSE_MS = 2;

/**
 * Starts a thread that does nothing but ask one request after another. On the thread of the benchmark, its signatures and the
 * documents that it serves would count as waiting.
 */
export function startStopwatch(): Stopwatch {
  const worker = new Worker(new URL(import.meta.url));
  return {
    async measure(watched) {
      const { promise, resolve, reject } = Promise.withResolvers<Waits>();
      worker.once('message', resolve).once('error', reject);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(watched);
      try {
        return await promise;
      } finally {
        worker.off('error', reject);
      }
    },
    async close() {
      await worker.terminate();
    },
  };
}

async function waitsFor({ url, headers, body, answer, milliseconds }: Watched): Promise<Waits> {
  const found: number[] = [];
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const begun = performance.now();
    const text = await (await fetch(url, { method: 'POST', headers, body })).text();
    found.push(performance.now() - begun);
    if (text !== answer) throw new Error(`not the expected answer: ${text}`);
    await sleep(PAUSE_MS);
  }
  found.sort((one, other) => one - other);
  return {
    longest_ms: found.at(-1) ?? 0,
    p99_ms: found[Math.floor(found.length * 0.99)] ?? 0,
    answered: found.length,
  };
}

/** A failure ends the thread, which tells `measure`. */
async function answer(watched: Watched): Promise<void> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(await waitsFor(watched));
}

parentPort?.on('message', (watched: Watched) => void answer(watched));
