/** A token bucket: its capacity is the burst, its refill interval the sustained rate. */
export interface RateBucket {
  /** Has a bounded length: callers pass a digest if a stranger chooses the text. */
  readonly name: string;
  readonly capacity: number;
  /** Microseconds per refilled token. If calls for one name differ, the latest value counts. */
  readonly interval_us: number;
}

/** The tolerated clock difference of processes that share buckets. */
export const CLOCKS_APART_US = 300_000_000;

/** Token buckets that all processes share. A new bucket is full. Times are microseconds since the Unix epoch unless stated. */
export interface RateStore {
  /**
   * Takes one token from each bucket, or from none if one bucket is empty. Returns for each bucket the microseconds until
   * it holds a token; all 0 means taken. Concurrent callers, in any process, never take more than the buckets hold.
   * A caller whose clock is behind never makes a bucket emptier than empty. If it is behind by more than
   * `CLOCKS_APART_US`, a clock was set back, and the bucket refills by that clock from then on.
   * @param buckets at most three, of different names
   */
  take(buckets: readonly RateBucket[], now: number): Promise<readonly number[]>;
  /** Puts one token back into each bucket that is not full. */
  giveBack(buckets: readonly RateBucket[], now: number): Promise<void>;
  /** Deletes at most `limit` buckets that are full at `now` (seconds since the Unix epoch) and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
