export interface SlotLimits {
  readonly perHost: number;
  readonly total: number;
  /** How many fetches may wait for a slot. */
  readonly waitingMax: number;
  /** How long a fetch waits at most, in milliseconds. */
  readonly waitMs: number;
}

interface Waiting {
  readonly host: string;
  readonly enter: (entered: boolean) => void;
}

/** Limits how many fetches run at a time, per host and in total. */
export class Slots {
  readonly #limits: SlotLimits;
  /** Hosts with a fetch under way; never more than `total`. */
  readonly #hosts = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #taken = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Takes a slot and returns true; call `leave` to give it back. Returns false if no slot is free in time. */
  async enter(host: string): Promise<boolean> {
    if (this.#hasRoom(host)) {
      this.#take(host);
      return true;
    }
    if (this.#waiting.size >= this.#limits.waitingMax) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting: Waiting = { host, enter: resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting);
      resolve(false);
    }, this.#limits.waitMs);
    const entered = await promise;
    clearTimeout(timer);
    return entered;
  }

  leave(host: string): void {
    const left = (this.#hosts.get(host) ?? 0) - 1;
    if (left > 0) this.#hosts.set(host, left);
    else this.#hosts.delete(host);
    this.#taken -= 1;
    this.#admit();
  }

  /** Admits the waiting fetches whose host has room, the longest wait first. A slow host does not block the others. */
  #admit(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoom(waiting.host)) continue;
      this.#waiting.delete(waiting);
      // Taken here, because the waiting function runs later.
      this.#take(waiting.host);
      waiting.enter(true);
    }
  }

  #hasRoom(host: string): boolean {
    return this.#taken < this.#limits.total && (this.#hosts.get(host) ?? 0) < this.#limits.perHost;
  }

  #take(host: string): void {
    this.#hosts.set(host, (this.#hosts.get(host) ?? 0) + 1);
    this.#taken += 1;
  }
}

/** A signal with a time limit. Disposing of it stops the timer. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Aborts its signal after `ms` milliseconds, or when `within` aborts. Unlike `AbortSignal.timeout`, its timer keeps the
 * process alive and is not garbage-collected.
 */
export function deadline(ms: number, within?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms);
  if (within?.aborted === true) abort();
  within?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      within?.removeEventListener('abort', abort);
    },
  };
}
