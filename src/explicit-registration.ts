import type { RegistryNeeds } from './clients/registry-needs.ts';
import type { Settings } from './config/settings.ts';
import type { FederationRegistrationNeeds } from './endpoints/federation-registration/endpoint.ts';
import type { TrustNeeds } from './federation/trust-chain/resolve-trust.ts';
import type { ServerKeys } from './keys/server-keys.ts';
import type { ReplayStore } from './ports/replay-store.ts';

interface Opened {
  readonly settings: Settings;
  readonly registry: RegistryNeeds;
  readonly keys: ServerKeys;
  readonly replays: ReplayStore;
  readonly trust: TrustNeeds;
}

/** What explicit registration runs with, below one name of the server. */
export function explicitRegistration({
  settings,
  registry,
  keys,
  replays,
  trust,
}: Opened): FederationRegistrationNeeds {
  return {
    registry,
    trust,
    replays,
    keys: keys.federation,
    request: {
      entity_id: registry.issuer,
      requireAudience: settings['federation.require-audience'],
      ageMax: settings['federation.request-age'],
      lifetimeMax: settings['federation.request-lifetime'],
    },
    privileges: {
      grant_types: settings['federation.grant-types'],
      scope: settings['federation.scope-values'],
      data: false,
      set_id: false,
      set_secret: false,
      redirect_hosts: 'any',
    },
    lifetime: settings['federation.explicit-client-lifetime'],
    parallel: settings['federation.registrations'],
    retryAfter: settings['federation.timeout'],
  };
}
