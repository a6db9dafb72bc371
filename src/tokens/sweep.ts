import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

export interface SweepNeeds {
  readonly store: { sweepExpired(now: number, limit: number): Promise<number> };
  /** Names the rows in the log: `expired WHAT could not be swept`. */
  readonly what: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Rows deleted by one write, so that other writes do not wait long. */
  readonly batch: number;
  /** Is called after a full batch, and may rest. If it returns false, the next sweep goes on. */
  readonly goOn: () => Promise<boolean>;
}

/**
 * Deletes expired rows in small batches.
 * @returns the number of deleted rows. A failure is logged, and the next sweep tries again
 */
export async function sweepExpired(needs: SweepNeeds): Promise<number> {
  const now = needs.clock.now();
  let removed = 0;
  try {
    while (true) {
      const count = await needs.store.sweepExpired(now, needs.batch);
      removed += count;
      if (count < needs.batch || !(await needs.goOn())) return removed;
    }
  } catch (cause) {
    needs.log.error({ cause }, `expired ${needs.what} could not be swept`);
    return removed;
  }
}
