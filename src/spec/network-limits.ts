import { TooManyRequests } from './errors.ts';
import { networkOf } from './ip-address.ts';
import { retryAfterSeconds, TokenBuckets } from './token-buckets.ts';

export interface NetworkRates {
  /** Per minute from one network; 0 = no limit. */
  readonly perNetwork: number;
  /** Per minute from all networks together; 0 = no limit. */
  readonly overall: number;
}

/** Admits or refuses what strangers may do without anybody who vouches for them. */
export interface NetworkLimits {
  /** @throws TooManyRequests */
  admit(remoteAddress: string): void;
}

const NETWORKS_MAX = 10_000;
const EVERYBODY = 'all networks';

/** @param milliseconds a monotonic clock */
export function networkLimits(rates: NetworkRates, milliseconds: () => number): NetworkLimits {
  // A minute's worth may come at once.
  const buckets = (perMinute: number): TokenBuckets | undefined =>
    perMinute === 0
      ? undefined
      : new TokenBuckets({ capacity: perMinute, perMinute }, milliseconds, NETWORKS_MAX);
  const networks = buckets(rates.perNetwork);
  const overall = buckets(rates.overall);
  return {
    admit(remoteAddress) {
      const network = networkOf(remoteAddress);
      const waitMs = Math.max(networks?.waitMs(network) ?? 0, overall?.waitMs(EVERYBODY) ?? 0);
      if (waitMs > 0) throw new TooManyRequests(retryAfterSeconds(waitMs));
      networks?.take(network);
      overall?.take(EVERYBODY);
    },
  };
}
