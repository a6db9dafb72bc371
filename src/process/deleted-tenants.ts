import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Storage } from '../ports/storage.ts';
import type { DeletedTenant } from '../ports/tenant-store.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import { removeTenantRows } from '../tenant/tenant-deletion.ts';

export interface ClearingNeeds {
  readonly settings: Settings;
  readonly storage: Pick<Storage, 'tenants'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Bounds the looks of one round at tenants that are deleted already. The next rounds look at the others. */
const LOOKS_MAX = 20;
const PAUSE_MS = 5;

/**
 * Removes the rows of deleted tenants: of those whose deletion was interrupted, or that the administration API only began.
 * A request that was under way when its tenant closed may write a row after the last one was removed, even hours later if
 * its process was stopped. So each round also looks again at some of the tenants that are deleted already.
 */
export function startClearing(needs: ClearingNeeds): Rounds {
  const { settings, log } = needs;
  let isStopping = false;
  const clear = clearingRound(needs, () => isStopping);
  const rounds = startRounds(settings['storage.sweep-interval'], clear, {
    log,
    failure: 'the rows of deleted tenants could not be removed',
  });
  return {
    async stop() {
      isStopping = true;
      await rounds.stop();
    },
  };
}

/** Returns the work of one round. */
function clearingRound(
  { settings, storage: { tenants }, clock, log }: ClearingNeeds,
  isStopping: () => boolean,
): () => Promise<void> {
  const batch = settings['storage.sweep-batch'];
  let next = 0;
  const clear = async (id: TenantId): Promise<void> => {
    const goOn = async (): Promise<boolean> => {
      // Writes of requests come in between.
      await sleep(PAUSE_MS);
      return !isStopping();
    };
    const run = { actor: 'server', request_id: 'sweep', goOn };
    if (await removeTenantRows({ tenants, clock, batch }, id, run))
      log.info({ tenant: id }, 'the rows of a deleted tenant were removed');
  };
  const someOf = (ended: readonly DeletedTenant[]): readonly DeletedTenant[] => {
    if (next >= ended.length) next = 0;
    const some = ended.slice(next, next + LOOKS_MAX);
    next += some.length;
    return some;
  };
  return async () => {
    const deleted = await tenants.deleted();
    for (const { id } of deleted.filter(({ cleared_at }) => cleared_at === null)) await clear(id);
    for (const { id } of someOf(deleted.filter(({ cleared_at }) => cleared_at !== null))) {
      if (isStopping()) return;
      if ((await tenants.contents(id, 1)).length > 0) await clear(id);
    }
  };
}
