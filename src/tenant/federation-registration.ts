import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { Settings } from '../config/settings.ts';
import type { FederationRegistrationNeeds } from '../endpoints/federation-registration/endpoint.ts';
import { type AutomaticClients, automaticClients } from '../federation/registration/automatic-clients.ts';
import type { TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { ReplayStore } from '../ports/replay-store.ts';
import type { RegistrationPrivileges } from '../spec/registration-privileges.ts';

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
    privileges: privileges(settings),
    lifetime: settings['federation.explicit-client-lifetime'],
    parallel: settings['federation.registrations'],
    retryAfter: settings['federation.timeout'],
  };
}

interface OpenedClients extends Pick<Opened, 'settings' | 'registry' | 'trust'> {
  /** With those that have expired. */
  readonly clients: ClientStore;
}

/** Automatic registration, below one name of the server; undefined where it is switched off. */
export function automaticRegistration({
  settings,
  registry,
  trust,
  clients,
}: OpenedClients): AutomaticClients | undefined {
  if (!settings['federation.automatic-registration']) return undefined;
  return automaticClients({
    registry,
    clients,
    trust,
    privileges: privileges(settings),
    lifetime: settings['federation.automatic-client-lifetime'],
    parallel: settings['federation.registrations'],
  });
}

function privileges(settings: Settings): RegistrationPrivileges {
  return {
    grant_types: settings['federation.grant-types'],
    scope: settings['federation.scope-values'],
    data: false,
    set_id: false,
    set_secret: false,
    redirect_hosts: 'any',
  };
}
