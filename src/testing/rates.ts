import type { RateLimitNeeds } from '../clients/rate-limits.ts';
import { ampleCaches } from './caches.ts';
import { emptyTenantStorage } from './storage.ts';

/** Rate buckets of one test, on a clock that the test moves. */
export function testRates(milliseconds: () => number): RateLimitNeeds {
  const silent = (): void => undefined;
  return {
    store: emptyTenantStorage().rates,
    clock: { now: () => Math.floor(milliseconds() / 1000), milliseconds },
    caches: ampleCaches(),
    log: { info: silent, warn: silent, error: silent },
  };
}
