import { setTimeout as sleep } from 'node:timers/promises';
import type { LogoutTokenNeeds } from '../clients/issued-jwt/logout-token.ts';
import type { Settings } from '../config/settings.ts';
import { browserOf } from '../endpoints/browser.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { endSession, endSessionForm } from '../endpoints/end-session/endpoint.ts';
import { endSessionConfirmation } from '../endpoints/end-session-confirmation/endpoint.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { Pages } from '../ports/pages.ts';
import type { TenantStorage } from '../ports/storage.ts';
import { type LogoutDelivery, logoutDelivery } from '../sessions/logout-delivery.ts';
import type { EndUsers } from './end-users.ts';
import type { Platform } from './platform.ts';

export interface DeliveryParts {
  readonly storage: Pick<TenantStorage, 'clients' | 'logoutNotifications'>;
  /** With the tenant's first name as the issuer. */
  readonly tokens: LogoutTokenNeeds;
}

/** Time for the key set of a client that wants its tokens encrypted, for the form, and for a busy disk. */
const FETCHES_OF_AN_ATTEMPT = 2;
const ATTEMPT_MARGIN_SECONDS = 30;

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
    attemptsMax: settings['logout.attempts-max'],
    retryDelay: settings['logout.retry-delay'],
    attemptTime: settings['outbound.timeout'] * FETCHES_OF_AN_ATTEMPT + ATTEMPT_MARGIN_SECONDS,
    count: (outcome) => metrics.countLogoutAttempt(outcome),
  });
}

export interface LogoutParts {
  /** With the issuer that everything is under. */
  readonly settings: Settings;
  readonly storage: Pick<TenantStorage, 'clients'>;
  readonly keys: Pick<ServerKeys, 'verificationKeys' | 'decryptionKeys'>;
  readonly pages: Pages;
  readonly endUsers: EndUsers;
  readonly delivery: LogoutDelivery;
  readonly platform: Platform;
}

/** RP-Initiated Logout under one issuer; none where it is switched off. */
export function logoutEndpoints({
  settings,
  storage: { clients },
  keys,
  pages,
  endUsers: { directory, sessions, interactions, interactionLimits },
  delivery,
  platform: { clock, jose, log },
}: LogoutParts): readonly Endpoint[] {
  if (!settings['logout.endpoint']) return [];
  const { issuer } = settings;
  const hints = { issuer, keys, verifier: jose.verifier, decrypter: jose.decrypter };
  const needs = {
    issuer,
    pages,
    showErrorDetails: settings['pages.error-details'],
    browser: browserOf(issuer),
    sessions,
    interactions,
    interactionLimits,
    directory,
    requests: {
      hints,
      clients,
      clock,
      hintAgeMax: settings['logout.hint-age-max'],
      stateLengthMax: settings['logout.state-length-max'],
    },
    form: { parameters: settings['limits.form-parameters'] },
    log,
  };
  const waitMs = settings['logout.wait'] * 1000;
  const patience = async (): Promise<void> => await sleep(waitMs, undefined, { ref: false });
  return [endSession(needs), endSessionForm(needs), endSessionConfirmation({ ...needs, delivery, patience })];
}
