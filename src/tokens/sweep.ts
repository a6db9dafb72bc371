import type { AccessTokenStore } from '../ports/access-token-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

export interface SweepNeeds {
  readonly store: AccessTokenStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Rows removed by one write, so that no other write waits long. */
  readonly batch: number;
}

/** Removes expired tokens, a small batch at a time. A failure is logged: the next sweep does the same work again. */
export async function sweepExpiredTokens(needs: SweepNeeds): Promise<number> {
  const now = needs.clock.now();
  let removed = 0;
  try {
    while (true) {
      const count = await needs.store.sweepExpired(now, needs.batch);
      removed += count;
      if (count < needs.batch) return removed;
    }
  } catch (cause) {
    needs.log.error({ cause }, 'expired tokens could not be swept');
    return removed;
  }
}
