import type { Clock } from '../ports/clock.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import type { Digest } from '../spec/identifiers.ts';

/** Seconds that a client has to wait longer after each request that came too soon (RFC 8628 §3.5, OpenID Connect CIBA Core 1.0 §11). */
export const SLOWER = 5;

export interface PaceNeeds {
  readonly clock: Pick<Clock, 'milliseconds'>;
  /** When each request last asked for its tokens, in milliseconds. One of each process. */
  readonly polls: BoundedMap<Digest, number>;
}

/** Remembers a poll, without a write. Returns whether it came sooner than the interval after the last one at this process. */
export function cameTooSoon({ clock, polls }: PaceNeeds, key: Digest, interval: number): boolean {
  const now = clock.milliseconds();
  const last = polls.get(key);
  polls.set(key, now);
  return last !== undefined && now - last < interval * 1000;
}
