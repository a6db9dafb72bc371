import { TooManyRequests } from '../spec/errors.ts';
import { networkOf } from '../spec/ip-address.ts';
import { retryAfterSeconds, TokenBuckets } from '../spec/token-buckets.ts';

export interface OpenRegistrationRates {
  /** Registrations per minute from one network; 0 = no limit. */
  readonly perNetwork: number;
  /** Registrations per minute from all networks together; 0 = no limit. */
  readonly overall: number;
}

/** Admits or refuses registrations that nobody vouches for. */
export interface OpenRegistrationLimits {
  /** @throws TooManyRequests */
  admit(remoteAddress: string): void;
}

const NETWORKS_MAX = 10_000;
const EVERYBODY = 'all networks';

/** @param milliseconds a monotonic clock */
export function openRegistrationLimits(
  rates: OpenRegistrationRates,
  milliseconds: () => number,
): OpenRegistrationLimits {
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
