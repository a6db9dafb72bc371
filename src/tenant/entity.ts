import type { Endpoint } from '../endpoints/contract.ts';
import { entityConfigurationEndpoint, ownStatement } from '../endpoints/entity-configuration/endpoint.ts';
import { federationHistoricalKeys } from '../endpoints/federation-historical-keys/endpoint.ts';
import {
  type FederationRegistrationNeeds,
  federationRegistration,
} from '../endpoints/federation-registration/endpoint.ts';
import type { OwnEntity } from '../federation/entity-configuration.ts';
import type { SignedDocumentNeeds } from '../federation/signed-document.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';

/** The provider metadata of an issuer. */
type ProviderMetadata = OwnEntity['openid_provider'];

/** One issuer as an entity of a federation: the endpoints that only an entity has. */
export interface Entity {
  readonly document: SignedDocumentNeeds;
  /** Registers relying parties explicitly. */
  readonly registration: Endpoint;
  readonly historicalKeys: Endpoint;
  configuration(metadata: ProviderMetadata): Endpoint;
  /** Returns the signed entity configuration. */
  statement(metadata: ProviderMetadata): Promise<string>;
}

interface EntityNeeds {
  readonly issuer: string;
  /** Its configuration, but for the provider metadata. */
  readonly entity: Omit<OwnEntity, 'openid_provider'>;
  readonly document: SignedDocumentNeeds;
  /** Keys that the server has used before. */
  readonly removed: ServerKeyStore['removed'];
  readonly registration: FederationRegistrationNeeds;
  readonly maxAge: number;
}

export function entityOf({ issuer, entity, document, removed, registration, maxAge }: EntityNeeds): Entity {
  const withMetadata = (openid_provider: ProviderMetadata): OwnEntity => ({ ...entity, openid_provider });
  return {
    document,
    registration: federationRegistration(registration),
    historicalKeys: federationHistoricalKeys({ issuer, removed, document, maxAge }),
    configuration: (metadata) =>
      entityConfigurationEndpoint({ entity: withMetadata(metadata), document, maxAge }),
    statement: async (metadata) => await ownStatement({ entity: withMetadata(metadata), document })(),
  };
}
