import { digestOf } from '../keys/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { RateBucket, RateStore } from '../ports/rate-store.ts';
import { BoundedMap } from '../spec/bounded-map.ts';
import { TooManyRequests } from '../spec/errors.ts';
import { networkOf } from '../spec/ip-address.ts';

/** What is counted, how much of it may come at once, and how much in a minute after that. */
export interface Counted {
  readonly what: readonly string[];
  readonly capacity: number;
  readonly perMinute: number;
}

export interface RateLimitNeeds {
  readonly store: RateStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** Limits that hold for all processes of one tenant together. */
export interface RateLimits {
  /** Seconds until each can take one more; 0: one was taken of each. */
  take(counted: readonly Counted[]): Promise<number>;
  /** As if it had not been taken. Nobody waits for it; where it fails it stays taken. */
  giveBack(counted: readonly Counted[]): void;
}

const MINUTE_US = 60_000_000;
/** What a rate that is a fraction may make of a whole number of microseconds. */
const ROUNDING = 1e-3;
const REMEMBERED_MAX = 10_000;
/** For so long a bucket that was found empty is not asked for again: a flood of refusals costs no writes. */
const REMEMBERED_MS = 1000;

interface Refusal {
  readonly at_ms: number;
  readonly until_us: number;
}

export function rateLimits({ store, clock, log }: RateLimitNeeds): RateLimits {
  const refused = new BoundedMap<string, Refusal>(REMEMBERED_MAX);

  const remembered = ({ name }: RateBucket, now_ms: number): number => {
    const found = refused.get(name);
    // A clock that was set back must not make it last.
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
    giveBack(counted) {
      if (counted.length === 0) return;
      const buckets = counted.map(bucketOf);
      for (const { name } of buckets) refused.delete(name);
      store.giveBack(buckets, clock.milliseconds() * 1000).catch((cause: unknown) => {
        log.error({ cause }, 'what was counted for a limit could not be given back');
      });
    },
  };
}

/** A digest, because others choose what is counted, and because it is nobody's business in a table. */
const bucketOf = ({ what, capacity, perMinute }: Counted): RateBucket => ({
  name: digestOf(JSON.stringify(what)),
  capacity,
  interval_us: Math.ceil(MINUTE_US / perMinute - ROUNDING),
});

const inSeconds = (microseconds: number): number => Math.ceil(microseconds / 1_000_000);

export interface NetworkRates {
  /** What is counted: nothing else shares its counts. */
  readonly kind: string;
  /** Per minute from one network; 0 = no limit. */
  readonly perNetwork: number;
  /** Per minute from all networks together; 0 = no limit. */
  readonly overall: number;
}

/** Admits or refuses what strangers may do without anybody who vouches for them. */
export interface NetworkLimits {
  /** @throws TooManyRequests */
  admit(remoteAddress: string): Promise<void>;
}

export function networkLimits(
  { kind, perNetwork, overall }: NetworkRates,
  needs: RateLimitNeeds,
): NetworkLimits {
  const limits = rateLimits(needs);
  // A minute's worth may come at once.
  const counted = (perMinute: number, ...what: readonly string[]): readonly Counted[] =>
    perMinute === 0 ? [] : [{ what: [kind, ...what], capacity: perMinute, perMinute }];
  return {
    async admit(remoteAddress) {
      const wait = await limits.take([
        ...counted(perNetwork, 'network', networkOf(remoteAddress)),
        ...counted(overall, 'overall'),
      ]);
      if (wait > 0) throw new TooManyRequests(wait);
    },
  };
}
