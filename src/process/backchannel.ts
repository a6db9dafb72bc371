import type { Settings } from '../config/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { TenantInService } from './tenant-in-service.ts';
import type { Tenants } from './tenants.ts';

export interface BackchannelRoundsNeeds {
  readonly settings: Settings;
  readonly tenants: Pick<Tenants, 'withBackchannel'>;
  readonly clock: { readonly serving: Clock };
  readonly log: Log;
}

const UNNOTIFIED = 'clients without a browser could not be notified';

/** Looks for clients without a browser to notify, at an interval. */
export function startBackchannel(needs: BackchannelRoundsNeeds): Rounds {
  const { settings, tenants, log } = needs;
  const round = async (): Promise<void> => {
    // A slow client of one tenant does not delay the others, and the next round looks again.
    for (const tenant of await tenants.withBackchannel()) void deliverOf(needs, tenant);
  };
  return startRounds(settings['ciba.delivery-interval'], round, { log, failure: UNNOTIFIED });
}

/** A tenant that has no one to notify is not opened. */
async function deliverOf({ clock, log }: BackchannelRoundsNeeds, tenant: TenantInService): Promise<void> {
  try {
    if (!tenant.settings['ciba.enabled']) return;
    const due = await tenant.storage.backchannelRequests.nextDue();
    if (due === undefined || due > clock.serving.now()) return;
    const { backchannelDelivery } = await tenant.opened();
    await backchannelDelivery?.deliverDue();
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, UNNOTIFIED);
  }
}
