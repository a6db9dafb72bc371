import type { Settings } from '../config/settings.ts';
import type { DeliveryLoop } from '../events/delivery-loop.ts';
import { backchannelDelivery } from '../grants/backchannel/deliver.ts';
import type { GrantNeeds } from '../grants/grant.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { Platform } from './platform.ts';

interface OfTenant {
  readonly storage: Pick<TenantStorage, 'backchannelRequests'>;
  readonly sealer: Sealer;
}

/** Opens the notifications of clients without a browser: one for a tenant. Undefined where clients cannot ask so. */
export function openBackchannelDelivery(
  settings: Settings,
  { clock, random, outbound, log, metrics }: Platform,
  { storage: { backchannelRequests }, sealer }: OfTenant,
  issuingAs: (issuer: string) => GrantNeeds,
): DeliveryLoop | undefined {
  if (!settings['ciba.enabled']) return undefined;
  return backchannelDelivery({
    backchannelRequests,
    issuingAs,
    sealer,
    outbound,
    clock,
    random,
    settings,
    log,
    count: (outcome) => metrics.count('chancery_backchannel_notifications_total', { outcome }),
  });
}
