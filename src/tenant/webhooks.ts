import type { DeliveryLoop } from '../events/delivery-loop.ts';
import { type WebhookNeeds, webhookDelivery } from '../events/webhooks/deliver.ts';
import type { Platform } from './platform.ts';

type OfTenant = 'issuer' | 'settings' | 'storage' | 'keys' | 'sealer' | 'eventCursors';

/** Opens the delivery of events to the webhooks of a tenant, under its first name. */
export function openWebhookDelivery(
  { clock, random, outbound, log, metrics }: Platform,
  parts: Pick<WebhookNeeds, OfTenant>,
): DeliveryLoop {
  return webhookDelivery({
    ...parts,
    outbound,
    clock,
    random,
    log,
    count: (outcome) => metrics.count('chancery_webhook_deliveries_total', { outcome }),
    countMissed: (events) => metrics.count('chancery_webhook_missed_events_total', {}, events),
  });
}
