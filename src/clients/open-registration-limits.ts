import { TooManyRequests } from '../spec/errors.ts';
import { networkOf } from '../spec/ip-address.ts';

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

/** A bucket holds a minute's worth: so many may come at once, and then they come at the rate. */
interface Bucket {
  level: number;
  /** Milliseconds of the monotonic clock at which `level` was true. */
  at: number;
}

const MINUTE_MS = 60_000;
const NETWORKS_MAX = 10_000;
const EVERYBODY = 'all networks';

/** What fractions of a registration, added up, may lack of a whole one: whoever came when told to come is let in. */
const ROUNDING = 1e-6;

/**
 * @param milliseconds a monotonic clock: a wall clock that is set must neither free nor lock anyone.
 */
export function openRegistrationLimits(
  rates: OpenRegistrationRates,
  milliseconds: () => number,
): OpenRegistrationLimits {
  const networks = new Map<string, Bucket>();
  const overall = new Map<string, Bucket>();
  return {
    admit(remoteAddress) {
      const now = milliseconds();
      const wait = Math.max(
        waitFor(networks, networkOf(remoteAddress), rates.perNetwork, now),
        waitFor(overall, EVERYBODY, rates.overall, now),
      );
      if (wait > 0) throw new TooManyRequests(Math.max(1, Math.ceil(wait / 1000 - ROUNDING / 10)));
      take(networks, networkOf(remoteAddress), rates.perNetwork, now);
      take(overall, EVERYBODY, rates.overall, now);
    },
  };
}

/** Milliseconds until the bucket holds one more; 0 where it does. */
function waitFor(buckets: ReadonlyMap<string, Bucket>, name: string, perMinute: number, now: number): number {
  const bucket = buckets.get(name);
  if (perMinute === 0 || bucket === undefined) return 0;
  const level = levelAt(bucket, perMinute, now);
  return level >= 1 - ROUNDING ? 0 : ((1 - level) * MINUTE_MS) / perMinute;
}

function levelAt(bucket: Bucket, perMinute: number, now: number): number {
  return Math.min(perMinute, bucket.level + ((now - bucket.at) * perMinute) / MINUTE_MS);
}

function take(buckets: Map<string, Bucket>, name: string, perMinute: number, now: number): void {
  if (perMinute === 0) return;
  const bucket = buckets.get(name);
  const level = bucket === undefined ? perMinute : levelAt(bucket, perMinute, now);
  // Re-inserted, so that the first one in the map is the one that was quiet for longest.
  buckets.delete(name);
  if (buckets.size >= NETWORKS_MAX) {
    const [quietest] = buckets.keys();
    if (quietest !== undefined) buckets.delete(quietest);
  }
  buckets.set(name, { level: level - 1, at: now });
}
