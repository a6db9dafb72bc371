import { entityConfiguration, type OwnEntity } from '../../federation/entity-configuration.ts';
import { STATEMENT_TYPE } from '../../federation/entity-statement.ts';
import { type SignedDocumentNeeds, signedDocument } from '../../federation/signed-document.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

export interface EntityConfigurationNeeds {
  readonly entity: OwnEntity;
  readonly document: SignedDocumentNeeds;
  /** Seconds for which a cache may keep it. */
  readonly maxAge: number;
}

/** Returns a function that signs the entity configuration of this server, or returns it while it is fresh. */
export function ownStatement({
  entity,
  document,
}: Pick<EntityConfigurationNeeds, 'entity' | 'document'>): () => Promise<string> {
  return signedDocument(document, {
    typ: STATEMENT_TYPE,
    basis: async () => entity.entity_id,
    claims: async (keys, now) => entityConfiguration(entity, keys, now),
  });
}

/** Serves the entity configuration of this server, signed with its federation key (OpenID Federation 1.0 §9.2). */
export function entityConfigurationEndpoint({ maxAge, ...needs }: EntityConfigurationNeeds): Endpoint {
  const statement = ownStatement(needs);
  const headers = {
    // Without a parameter, because some superiors compare the whole value.
    'content-type': `application/${STATEMENT_TYPE}`,
    'cache-control': `public, max-age=${maxAge}`,
  };
  return { contract, handle: async () => ({ status: 200, headers, body: await statement() }) };
}
