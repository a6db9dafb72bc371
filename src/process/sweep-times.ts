import type { Settings } from '../config/settings.ts';
import type { SweepTimes } from '../ports/upkeep-store.ts';

/** Returns the times before which rows of a tenant go. */
export function sweepTimes(
  now: number,
  settings: Pick<Settings, 'audit.lifetime' | 'logout.log-lifetime' | 'federation.expired-client-retention'>,
): SweepTimes {
  const kept = settings['audit.lifetime'];
  return {
    now,
    settledBefore: now - settings['logout.log-lifetime'],
    auditedBefore: kept === 0 ? 0 : now - kept,
    renewableBefore: now - settings['federation.expired-client-retention'],
  };
}
