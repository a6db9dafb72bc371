import { historyTimes } from '../clients/history/sweep-history.ts';
import type { Settings } from '../config/settings.ts';
import type { SweepTimes } from '../ports/upkeep-store.ts';

/** Returns the times before which rows of a tenant go. */
export function sweepTimes(
  now: number,
  settings: Pick<
    Settings,
    | 'audit.lifetime'
    | 'logout.log-lifetime'
    | 'federation.expired-client-retention'
    | 'history.deleted-lifetime'
    | 'history.lifetime'
    | 'history.versions-per-client'
  >,
): SweepTimes {
  const kept = settings['audit.lifetime'];
  return {
    now,
    settledBefore: now - settings['logout.log-lifetime'],
    auditedBefore: kept === 0 ? 0 : now - kept,
    renewableBefore: now - settings['federation.expired-client-retention'],
    ...historyTimes(now, settings),
  };
}
