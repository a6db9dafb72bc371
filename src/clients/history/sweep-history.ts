import type { Settings } from '../../config/settings.ts';
import type { ClientHistory, HistorySweep } from '../../ports/client-history.ts';
import { type SweepNeeds, sweepExpired } from '../../tokens/sweep.ts';
import { keptVersionsMax } from './history-limits.ts';

type LifetimeSettings = Pick<
  Settings,
  'history.deleted-lifetime' | 'history.lifetime' | 'history.versions-per-client'
>;

/** Returns the times before which former versions and deleted clients go: all of them where nothing is kept any more. */
export function historyTimes(now: number, settings: LifetimeSettings): Omit<HistorySweep, 'deletedMax'> {
  const before = (lifetime: number): number => (lifetime === 0 ? now + 1 : now - lifetime);
  return {
    versionsBefore: keptVersionsMax(settings) === 0 ? before(0) : before(settings['history.lifetime']),
    deletedBefore: before(settings['history.deleted-lifetime']),
  };
}

export interface HistorySweepNeeds extends Omit<SweepNeeds, 'store' | 'what'> {
  readonly clientHistory: Pick<ClientHistory, 'sweep'>;
  readonly settings: LifetimeSettings & Pick<Settings, 'history.deleted-clients-max'>;
}

/**
 * Deletes former versions and deleted clients beyond their lifetimes and their number.
 * @returns the number of deleted rows. A failure is logged, and the next sweep tries again
 */
export async function sweepHistory({
  clientHistory,
  settings,
  ...needs
}: HistorySweepNeeds): Promise<number> {
  const deletedMax = settings['history.deleted-clients-max'];
  const store = {
    sweepExpired: async (now: number, limit: number) =>
      await clientHistory.sweep({ ...historyTimes(now, settings), deletedMax }, limit),
  };
  return await sweepExpired({ ...needs, store, what: 'versions of clients' });
}
