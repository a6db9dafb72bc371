import type { KeyObject } from 'node:crypto';
import { sameDigest } from '../keys/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../spec/identifiers.ts';
import { hmacSha256 } from './token-identifier.ts';

export interface DpopNonceNeeds {
  /** All servers of a tenant have the same key. */
  readonly mac: KeyObject;
  readonly clock: Clock;
  /** Seconds for which one nonce is handed out. */
  readonly lifetime: number;
}

/** The colon is in no token identifier, so the MAC of a token is never a nonce. */
const PREFIX = 'dpop-nonce:';

const nonceAt = ({ mac }: DpopNonceNeeds, period: number): Digest =>
  hmacSha256(mac, PREFIX + String(period)) as Digest;

const periodNow = ({ clock, lifetime }: DpopNonceNeeds): number => Math.floor(clock.now() / lifetime);

/** Returns the nonce of this period. It is derived, so that each server accepts those of every other (RFC 9449 §8). */
export function dpopNonce(needs: DpopNonceNeeds): string {
  return nonceAt(needs, periodNow(needs));
}

/** Says whether a nonce is the one of this period, or of the one before or after it: clocks of servers differ. */
export function isDpopNonce(needs: DpopNonceNeeds, presented: string): boolean {
  const now = periodNow(needs);
  return [now, now - 1, now + 1].some((period) => sameDigest(nonceAt(needs, period), presented as Digest));
}
