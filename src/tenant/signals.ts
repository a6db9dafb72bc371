import type { Settings } from '../config/settings.ts';
import type { DeliveryLoop } from '../events/delivery-loop.ts';
import { signalDelivery as openSignalDelivery, type PushNeeds } from '../events/signals/deliver.ts';
import type { ClaimsFor } from '../events/signals/seen-event.ts';
import { grantedClaims } from '../grants/granted-claims.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { Issuer } from './issuer.ts';
import type { Platform } from './platform.ts';

type OfTenant = Pick<PushNeeds, 'sealer'> & {
  readonly keys: ServerKeys;
  readonly storage: Pick<TenantStorage, 'eventStreams' | 'clients' | 'grants'>;
};

/** Opens what the streams of a tenant share, and their pushes, which are undefined where streams are off. */
export function openSignals(
  { clock, random, outbound, log, metrics }: Platform,
  settings: Settings,
  { storage: { eventStreams, clients, grants }, keys, sealer }: OfTenant,
): { readonly claimsFor: ClaimsFor; readonly signalDelivery: DeliveryLoop | undefined } {
  const claimsFor: ClaimsFor = async ({ client_id, instance }, sub, claims) =>
    await grantedClaims({ grants, clock }, { sub, client: { client_id, instance } }, claims);
  if (!settings['signals.enabled']) return { claimsFor, signalDelivery: undefined };
  const signalDelivery = openSignalDelivery({
    settings,
    eventStreams,
    clients,
    keys,
    sealer,
    claimsFor,
    pairwiseSecret: keys.pairwiseSecret,
    outbound,
    clock,
    random,
    log,
    count: (outcome) => metrics.count('chancery_signals_deliveries_total', { outcome }),
  });
  return { claimsFor, signalDelivery };
}

export type SignalParts = ReturnType<typeof signalParts>;

/** Returns the parts of an issuer that the endpoints of streams take. */
export function signalParts(issuer: Issuer) {
  const { keys, metrics, storage } = issuer;
  return {
    ...issuer,
    eventStreams: storage.eventStreams,
    pairwiseSecret: keys.pairwiseSecret,
    count: (outcome: 'acknowledged' | 'refused' | 'unneeded', events: number): void =>
      metrics.count('chancery_signals_deliveries_total', { outcome }, events),
  };
}
