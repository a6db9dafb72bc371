import { TooManyRequests } from '../spec/errors.ts';
import { networkOf } from '../spec/ip-address.ts';
import { type Counted, type RateLimitNeeds, rateLimits } from './rate-limits.ts';

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
