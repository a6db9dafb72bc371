import type { Settings } from '../config/settings.ts';
import type { DeliveryLoop } from '../events/delivery-loop.ts';
import { type PushNeeds, signalDelivery } from '../events/signals/deliver.ts';
import type { ClaimsFor } from '../events/signals/seen-event.ts';
import { grantedClaims } from '../grants/granted-claims.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { Platform } from './platform.ts';

type OfTenant = Pick<PushNeeds, 'sealer'> & {
  readonly keys: ServerKeys;
  readonly storage: Pick<TenantStorage, 'eventStreams' | 'clients' | 'grants'>;
};

/** Opens the pushes of a tenant's streams. */
export function openSignalDelivery(
  { clock, random, outbound, log, metrics }: Platform,
  settings: Settings,
  { storage: { eventStreams, clients, grants }, keys, sealer }: OfTenant,
): DeliveryLoop {
  return signalDelivery({
    settings,
    eventStreams,
    clients,
    keys,
    sealer,
    claimsFor: claimsFrom({ grants, clock }),
    pairwiseSecret: keys.pairwiseSecret,
    outbound,
    clock,
    random,
    log,
    count: (outcome) => metrics.count('chancery_signals_deliveries_total', { outcome }),
  });
}

/** Returns the claims of a person that a client was granted. */
export const claimsFrom =
  (needs: Parameters<typeof grantedClaims>[0]): ClaimsFor =>
  async ({ client_id, instance }, sub, claims) =>
    await grantedClaims(needs, { sub, client: { client_id, instance } }, claims);
