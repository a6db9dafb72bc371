import type { LogoutTokenNeeds } from '../clients/issued-jwt/logout-token.ts';
import type { Settings } from '../config/settings.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { type LogoutDelivery, logoutDelivery } from '../sessions/logout-delivery.ts';
import type { LogoutRequestNeeds } from '../sessions/logout-request.ts';
import type { Platform } from './platform.ts';

export interface DeliveryParts {
  readonly storage: Pick<TenantStorage, 'clients' | 'logoutNotifications'>;
  /** With the tenant's first name as the issuer. */
  readonly tokens: LogoutTokenNeeds;
}

/** Opens the delivery of logout tokens: one for a tenant, under whatever name its sessions began. */
export function openLogoutDelivery(
  settings: Settings,
  { clock, random, outbound, log, metrics }: Platform,
  { storage, tokens }: DeliveryParts,
): LogoutDelivery {
  return logoutDelivery({
    notifications: storage.logoutNotifications,
    clients: storage.clients,
    tokens,
    outbound,
    clock,
    random,
    log,
    settings,
    count: (outcome) => metrics.count('chancery_logout_attempts_total', { outcome }),
  });
}

export interface LogoutParts extends Pick<Platform, 'clock' | 'jose' | 'sleep'> {
  readonly issuer: string;
  readonly settings: Settings;
  readonly clients: Pick<ClientStore, 'find'>;
  readonly keys: Pick<ServerKeys, 'verificationKeys' | 'decryptionKeys'>;
}

/** Reads logout requests, and waits for clients, under one issuer (OpenID Connect RP-Initiated Logout 1.0). */
export interface Logout {
  readonly logoutRequests: LogoutRequestNeeds;
  /** Resolves when the client that sent the end-user has waited long enough. */
  readonly patience: () => Promise<void>;
}

export function openLogout({ issuer, settings, clients, keys, clock, jose, sleep }: LogoutParts): Logout {
  return {
    logoutRequests: {
      hints: { issuer, keys, verifier: jose.verifier, decrypter: jose.decrypter },
      clients,
      clock,
      settings,
    },
    patience: async () => await sleep(settings['logout.wait']),
  };
}
