import { setTimeout as sleep } from 'node:timers/promises';

/** A rest takes this many times as long as the batch before it: a sweep gets a quarter of the time, and less if its batches wait. */
const RESTS = 3;
const REST_MS_MAX = 1_000;

interface Surroundings {
  readonly now_ms: () => number;
  /** Resolves after this time, or when the signal aborts. */
  readonly rest: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

const OWN: Surroundings = {
  now_ms: () => performance.now(),
  rest: async (milliseconds, signal) =>
    await sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
};

/**
 * Spreads the batches of a round of sweeps, because a batch takes the core or the disk of requests (ADR 97). After half of the interval between
 * two rounds it spreads them no more, so that a round with many rows ends.
 */
export class SweepPace {
  readonly #spread_ms: number;
  readonly #surroundings: Surroundings;
  readonly #stopping = new AbortController();
  #begun = 0;
  #since = 0;

  constructor(interval_s: number, surroundings: Surroundings = OWN) {
    this.#spread_ms = (interval_s * 1000) / 2;
    this.#surroundings = surroundings;
  }

  /** Begins a round. */
  begin(): void {
    this.#begun = this.#since = this.#surroundings.now_ms();
  }

  /** Rests after a batch. Returns whether to go on with the next one. */
  async goOn(): Promise<boolean> {
    const now = this.#surroundings.now_ms();
    const { signal } = this.#stopping;
    if (now - this.#begun < this.#spread_ms && !signal.aborted)
      await this.#surroundings.rest(Math.min(REST_MS_MAX, (now - this.#since) * RESTS), signal);
    this.#since = this.#surroundings.now_ms();
    return !signal.aborted;
  }

  /** Ends the rest, and the round after its batch. The next process goes on with it. */
  stop(): void {
    this.#stopping.abort();
  }
}
