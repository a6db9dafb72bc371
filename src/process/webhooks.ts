import type { Settings } from '../config/settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { TenantInService } from './tenant-in-service.ts';
import type { Tenants } from './tenants.ts';

export interface WebhookRoundsNeeds {
  readonly settings: Settings;
  readonly tenants: Pick<Tenants, 'withWebhooks'>;
  readonly metrics: Pick<Metrics, 'set'>;
  readonly clock: { readonly serving: Clock };
  readonly log: Log;
}

const UNDELIVERED = 'events could not be delivered to webhooks';

/** Looks for events to deliver, at an interval. */
export function startWebhooks(needs: WebhookRoundsNeeds): Rounds {
  const { settings, tenants, log } = needs;
  const round = async (): Promise<void> => {
    const found = await tenants.withWebhooks();
    // A slow receiver of one tenant does not delay the others, and the next round looks again.
    for (const tenant of found) void deliverOf(needs, tenant);
    if (found.length > 0) await publishFigures(needs, found);
  };
  return startRounds(settings['webhooks.delivery-interval'], round, { log, failure: UNDELIVERED });
}

/** A tenant that has nothing to deliver is not opened. */
async function deliverOf({ clock, log }: WebhookRoundsNeeds, tenant: TenantInService): Promise<void> {
  try {
    const { webhooks } = tenant.storage;
    const due = await webhooks.nextDue();
    const isDue = due !== undefined && due <= clock.serving.now();
    if (!isDue && (await webhooks.toPlan(tenant.settings['webhooks.failed-max'])).length === 0) return;
    const { webhookDelivery } = await tenant.opened();
    await webhookDelivery.deliverDue();
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, UNDELIVERED);
  }
}

async function publishFigures(
  { metrics, clock }: WebhookRoundsNeeds,
  tenants: readonly TenantInService[],
): Promise<void> {
  let [behind, waiting, failed] = [0, 0, 0];
  let oldest = Number.POSITIVE_INFINITY;
  for (const { storage } of tenants) {
    const figures = await storage.webhooks.figures();
    behind += figures.behind;
    waiting += figures.waiting;
    failed += figures.failed;
    oldest = Math.min(oldest, figures.oldest ?? oldest);
  }
  const now = clock.serving.now();
  metrics.set('chancery_webhook_events_behind', {}, behind);
  metrics.set('chancery_webhook_deliveries_waiting', { state: 'waiting' }, waiting);
  metrics.set('chancery_webhook_deliveries_waiting', { state: 'failed' }, failed);
  metrics.set('chancery_webhook_oldest_delivery_seconds', {}, Math.max(0, now - Math.min(oldest, now)));
}
