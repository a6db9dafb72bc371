/** Holds what may come at once; then things come at the rate at which it fills again. */
export interface RateBucket {
  /** Of bounded length: a digest, where somebody else chooses the text. */
  readonly name: string;
  readonly capacity: number;
  /** Microseconds in which it fills by one. Of one name it is the same each time, or the new one counts. */
  readonly interval_us: number;
}

/** Clocks of processes that share buckets are not further apart than this. */
export const CLOCKS_APART_US = 300_000_000;

/** Buckets that all processes share, full at first. Times are in microseconds since the Unix epoch unless said otherwise. */
export interface RateStore {
  /**
   * Takes one out of each bucket; where one of them is empty, out of none. Answers for each the microseconds until it
   * holds one: all 0 = taken. Of any number of callers at once, in whatever process, no more take than the buckets hold.
   * For a caller whose clock is behind, a bucket is never emptier than empty; and where it is behind by more than
   * `CLOCKS_APART_US`, a clock was set, and the bucket fills by its time from then on.
   * @param buckets at most three, of different names
   */
  take(buckets: readonly RateBucket[], now: number): Promise<readonly number[]>;
  /** Puts one back into each bucket, unless it is full. */
  giveBack(buckets: readonly RateBucket[], now: number): Promise<void>;
  /** Forgets at most `limit` buckets that are full at `now` (seconds since the Unix epoch); answers how many. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
