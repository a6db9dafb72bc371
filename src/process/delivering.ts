import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import { systemClock } from '../system/clock.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { TenantInService } from '../tenant/in-service.ts';
import type { Tenants } from '../tenant/tenants.ts';

const FAILURE = 'clients could not be told that sessions have ended';

/** Tells clients of sessions that have ended, again and again: what nobody has told them yet. */
export function startDelivering(settings: Settings, tenants: Tenants, log: Log): Rounds {
  const deliverAll = async (): Promise<void> => {
    const all = await tenants.all();
    await Promise.all(all.map(async (tenant) => await deliverOf(tenant, log)));
  };
  return startRounds(settings['logout.delivery-interval'], deliverAll, { log, failure: FAILURE });
}

/** A tenant whose clients do not answer does not keep those of the others waiting; one with nothing to tell is not opened. */
async function deliverOf(tenant: TenantInService, log: Log): Promise<void> {
  try {
    const due = await tenant.storage.logoutNotifications.nextDue();
    if (due === undefined || due > systemClock.now()) return;
    const { logoutDelivery } = await tenant.opened();
    await logoutDelivery.deliverDue();
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, FAILURE);
  }
}
