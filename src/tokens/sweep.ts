import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

export interface SweepNeeds {
  readonly store: { sweepExpired(now: number, limit: number): Promise<number> };
  /** In the log, where it fails. */
  readonly what: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Rows removed by one write, so that no other write waits long. */
  readonly batch: number;
}

/** Removes what has expired, a small batch at a time. A failure is logged: the next sweep does the same work again. */
export async function sweepExpired(needs: SweepNeeds): Promise<number> {
  const now = needs.clock.now();
  let removed = 0;
  try {
    while (true) {
      const count = await needs.store.sweepExpired(now, needs.batch);
      removed += count;
      if (count < needs.batch) return removed;
    }
  } catch (cause) {
    needs.log.error({ cause }, `expired ${needs.what} could not be swept`);
    return removed;
  }
}
