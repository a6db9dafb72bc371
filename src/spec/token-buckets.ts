/** A bucket holds what may come at once; then things come at the rate at which it fills again. */
export interface BucketRate {
  readonly capacity: number;
  readonly perMinute: number;
}

interface Bucket {
  level: number;
  /** Milliseconds of the monotonic clock at which `level` was true. */
  at: number;
}

const MINUTE_MS = 60_000;

/** What fractions of one, added up, may lack of a whole one: whoever came when told to come is let in. */
const ROUNDING = 1e-6;

/** Many buckets of one rate, each by its name. Of more than `bucketsMax` the ones quiet for longest are full again. */
export class TokenBuckets {
  readonly #rate: BucketRate;
  readonly #milliseconds: () => number;
  readonly #bucketsMax: number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param milliseconds a monotonic clock: a wall clock that is set must neither free nor lock anyone. */
  constructor(rate: BucketRate, milliseconds: () => number, bucketsMax: number) {
    this.#rate = rate;
    this.#milliseconds = milliseconds;
    this.#bucketsMax = bucketsMax;
  }

  /** Milliseconds until the bucket holds one; 0 where it does. */
  waitMs(name: string): number {
    const level = this.#level(name);
    return level >= 1 - ROUNDING ? 0 : ((1 - level) * MINUTE_MS) / this.#rate.perMinute;
  }

  take(name: string): void {
    this.#set(name, this.#level(name) - 1);
  }

  giveBack(name: string): void {
    if (this.#buckets.has(name)) this.#set(name, Math.min(this.#rate.capacity, this.#level(name) + 1));
  }

  #level(name: string): number {
    const bucket = this.#buckets.get(name);
    const { capacity, perMinute } = this.#rate;
    if (bucket === undefined) return capacity;
    const filled = ((this.#milliseconds() - bucket.at) * perMinute) / MINUTE_MS;
    return Math.min(capacity, bucket.level + filled);
  }

  #set(name: string, level: number): void {
    // Re-inserted, so that the first one in the map is the one that was quiet for longest.
    this.#buckets.delete(name);
    if (this.#buckets.size >= this.#bucketsMax) {
      const [quietest] = this.#buckets.keys();
      if (quietest !== undefined) this.#buckets.delete(quietest);
    }
    this.#buckets.set(name, { level, at: this.#milliseconds() });
  }
}

/** `Retry-After` for a wait: whole seconds, at least one, and late enough to be let in. */
export const retryAfterSeconds = (waitMs: number): number =>
  Math.max(1, Math.ceil(waitMs / 1000 - ROUNDING / 10));
