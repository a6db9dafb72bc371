import type { AuditLog } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface AuditSweepNeeds {
  readonly audit: Pick<AuditLog, 'sweep'>;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long an event is kept, in seconds; 0 = for ever. */
  readonly lifetime: number;
  /** Rows removed by one write, so that no other write waits long. */
  readonly batch: number;
}

/**
 * Removes audit events that are older than they are kept. Anyone may cause refusals, so without this anyone could fill
 * the disk. A failure is logged: the next sweep does the same work again.
 */
export async function sweepAuditEvents(needs: AuditSweepNeeds): Promise<number> {
  if (needs.lifetime === 0) return 0;
  const before = needs.clock.now() - needs.lifetime;
  let removed = 0;
  try {
    while (true) {
      const count = await needs.audit.sweep(before, needs.batch);
      removed += count;
      if (count < needs.batch) return removed;
    }
  } catch (cause) {
    needs.log.error({ cause }, 'old audit events could not be swept');
    return removed;
  }
}
