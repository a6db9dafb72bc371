import type { Random } from '../ports/random.ts';

/** Seconds. */
const RETRY_DELAY_MAX = 3600;

/**
 * Returns the seconds until the next attempt: the first delay, doubled with each attempt up to an hour, and up to half of it more
 * at random, so that many failures of one receiver are not all retried at once.
 */
export function retryDelay(first: number, attempts: number, random: Random): number {
  const wait = Math.min(first * 2 ** (attempts - 1), RETRY_DELAY_MAX);
  const [high = 0, low = 0] = random.bytes(2);
  return Math.floor(wait * (1 + (high * 256 + low) / 131_072));
}
