import type { Settings } from '../config/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { TenantInService } from './tenant-in-service.ts';
import type { Tenants } from './tenants.ts';

export interface SignalRoundsNeeds {
  readonly settings: Settings;
  readonly tenants: Pick<Tenants, 'withEventStreams'>;
  readonly metrics: Pick<Metrics, 'set'>;
  readonly clock: { readonly serving: Clock };
  readonly log: Log;
}

const UNDELIVERED = 'security events could not be pushed';

/** Looks for security events to push, at an interval. */
export function startSignals(needs: SignalRoundsNeeds): Rounds {
  const { settings, tenants, metrics, log } = needs;
  const round = async (): Promise<void> => {
    const found = await tenants.withEventStreams();
    // A slow receiver of one tenant does not delay the others, and the next round looks again.
    for (const tenant of found) void deliverOf(needs, tenant);
    if (found.length === 0) return;
    let [waiting, failed] = [0, 0];
    for (const { storage } of found) {
      const figures = await storage.eventStreams.figures();
      waiting += figures.waiting;
      failed += figures.failed;
    }
    metrics.set('chancery_signals_events', { state: 'waiting' }, waiting);
    metrics.set('chancery_signals_events', { state: 'failed' }, failed);
  };
  return startRounds(settings['signals.delivery-interval'], round, { log, failure: UNDELIVERED });
}

/** A tenant that has nothing to push is not opened. */
async function deliverOf({ clock, log }: SignalRoundsNeeds, tenant: TenantInService): Promise<void> {
  try {
    if (!tenant.settings['signals.enabled']) return;
    const due = await tenant.storage.eventStreams.nextDue();
    if (due === undefined || due > clock.serving.now()) return;
    const { signalDelivery } = await tenant.opened();
    await signalDelivery?.deliverDue();
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, UNDELIVERED);
  }
}
