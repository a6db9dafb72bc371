import { digestOf } from '../keys/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { RateBucket, RateStore } from '../ports/rate-store.ts';
import { type Caches, SLOT_BYTES } from '../spec/caches.ts';
import { TooManyRequests } from '../spec/errors.ts';
import { networkOf } from '../spec/ip-address.ts';

/** A counter: its name, its burst capacity and its refill per minute. */
export interface Counted {
  readonly what: readonly string[];
  readonly capacity: number;
  readonly perMinute: number;
}

export interface RateLimitNeeds {
  readonly store: RateStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly caches: Caches;
}

/** Token buckets that all processes of a tenant share. */
export interface RateLimits {
  /**
   * Takes one from each bucket.
   * @returns 0 if it took one from each; otherwise takes none and returns the seconds until all have one
   */
  take(counted: readonly Counted[]): Promise<number>;
  /**
   * Puts one back into each bucket. Never rejects: after a failure, which is logged, it stays taken.
   */
  giveBack(counted: readonly Counted[]): Promise<void>;
}

const MINUTE_US = 60_000_000;
/** Tolerance for the rounding of a fractional rate, in microseconds. */
const ROUNDING = 1e-3;
/** A digest and a refusal. */
const REFUSAL_BYTES = SLOT_BYTES + 152;
/** Milliseconds in which an empty bucket is not read again, so that a flood of refusals causes no writes. */
const REMEMBERED_MS = 1000;

interface Refusal {
  readonly at_ms: number;
  readonly until_us: number;
}

/** Opens rate limits on a store. Each process caches its refusals for `REMEMBERED_MS`. */
export function rateLimits({ store, clock, log, caches }: RateLimitNeeds): RateLimits {
  const refused = caches.open<string, Refusal>('refusals', { weigh: () => REFUSAL_BYTES });

  const remembered = ({ name }: RateBucket, now_ms: number): number => {
    const found = refused.get(name);
    // A clock that is set back must not prolong a refusal.
    const fresh = found !== undefined && Math.abs(now_ms - found.at_ms) < REMEMBERED_MS;
    return fresh ? Math.max(0, found.until_us - now_ms * 1000) : 0;
  };

  return {
    async take(counted) {
      if (counted.length === 0) return 0;
      const buckets = counted.map(bucketOf);
      const at_ms = clock.milliseconds();
      const known = Math.max(...buckets.map((bucket) => remembered(bucket, at_ms)));
      if (known > 0) return inSeconds(known);
      const waits = await store.take(buckets, at_ms * 1000);
      for (const [index, { name }] of buckets.entries()) {
        const wait_us = waits[index] ?? 0;
        if (wait_us > 0) refused.set(name, { at_ms, until_us: at_ms * 1000 + wait_us });
      }
      return inSeconds(Math.max(...waits));
    },
    async giveBack(counted) {
      if (counted.length === 0) return;
      const buckets = counted.map(bucketOf);
      for (const { name } of buckets) refused.delete(name);
      try {
        await store.giveBack(buckets, clock.milliseconds() * 1000);
      } catch (cause) {
        log.error({ cause }, 'rate limit could not be credited; the attempt stays counted');
      }
    },
  };
}

/**
 * The name is a digest: strangers choose the counted values, and values such as addresses do not belong in
 * the table.
 */
const bucketOf = ({ what, capacity, perMinute }: Counted): RateBucket => ({
  name: digestOf(JSON.stringify(what)),
  capacity,
  interval_us: Math.ceil(MINUTE_US / perMinute - ROUNDING),
});

const inSeconds = (microseconds: number): number => Math.ceil(microseconds / 1_000_000);

export interface NetworkRates {
  /** Name of the counters; no other limit uses the same name. */
  readonly kind: string;
  /** Requests per minute from one network; 0 = no limit. */
  readonly perNetwork: number;
  /** Requests per minute from all networks together; 0 = no limit. */
  readonly overall: number;
}

/** Limits what anonymous callers may do. */
export interface NetworkLimits {
  /**
   * Counts one request. Callers ask before they work on it, so that a refused request costs little.
   * @param remoteAddress an IP address, counted by its network
   * @returns a function that takes the count back, for a request that the limit does not concern after all
   * @throws TooManyRequests
   */
  admit(remoteAddress: string): Promise<() => Promise<void>>;
}

/** Opens limits for each network and for all networks together. */
export function networkLimits(
  { kind, perNetwork, overall }: NetworkRates,
  needs: RateLimitNeeds,
): NetworkLimits {
  const limits = rateLimits(needs);
  // The burst is the quota of one minute.
  const counted = (perMinute: number, ...what: readonly string[]): readonly Counted[] =>
    perMinute === 0 ? [] : [{ what: [kind, ...what], capacity: perMinute, perMinute }];
  return {
    async admit(remoteAddress) {
      const taken = [
        ...counted(perNetwork, 'network', networkOf(remoteAddress)),
        ...counted(overall, 'overall'),
      ];
      const wait = await limits.take(taken);
      if (wait > 0) throw new TooManyRequests(wait, kind);
      return async () => await limits.giveBack(taken);
    },
  };
}
