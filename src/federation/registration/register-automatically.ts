import { doneEvent } from '../../clients/audit-trail.ts';
import { isAutomatic } from '../../clients/federated-client.ts';
import { countCreated } from '../../clients/registration/count-registration.ts';
import { newClient, noteDropped } from '../../clients/registration/register-client.ts';
import { registeredAgain } from '../../clients/registration/registrations-under-way.ts';
import { isConfidential, type ValidatedMetadata } from '../../clients/registration/validate-metadata.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { RELYING_PARTY } from '../entity-statement.ts';
import { isArray } from '../json-value.ts';
import type { EntityTypeMetadata } from '../metadata-policy/apply-policy.ts';
import {
  resolveTrust,
  type TrustChain,
  type TrustNeeds,
  type TrustQuestion,
} from '../trust-chain/resolve-trust.ts';
import { admitRelyingParty } from './admit-relying-party.ts';
import { chainTerms } from './chain-terms.ts';
import type { ChainWishes } from './given-chains.ts';
import { untrustedRefusal } from './registration-refusal.ts';
import { deletedMeanwhile, storeRenewed } from './store-renewed.ts';

export interface FederatedClientNeeds {
  readonly registry: RegistryNeeds;
  /** Includes expired clients. A renewed client keeps the grants of its end-users. */
  readonly clients: ClientStore;
  readonly trust: TrustNeeds;
  readonly privileges: RegistrationPrivileges;
}

/** The cause of a resolution: the request of this address, or the server itself. */
export interface Occasion extends Pick<TrustQuestion, 'remoteAddress' | 'purpose' | 'look'> {
  /** Those of the first request of an automatic client. */
  readonly wishes?: Partial<ChainWishes>;
  /** The automatic client that is renewed. If it was deleted meanwhile, it stays deleted. */
  readonly renewing?: StoredClient;
}

/**
 * Resolves trust in the entity with this identifier and registers its client, or registers it again (§12.1).
 * @throws OAuthError if the entity is not trusted or its metadata cannot be registered; temporarily_unavailable if that is not
 * known now
 */
export async function registerAutomatically(
  needs: FederatedClientNeeds,
  client_id: ClientId,
  occasion: Occasion,
): Promise<StoredClient> {
  const { registry, trust } = needs;
  const { wishes = {}, renewing, ...asking } = occasion;
  const chain = await trustedChain(needs, { ...asking, subject: { entity_id: client_id, ...wishes } });
  const { validated, made } = await clientOf(needs, chain, occasion, client_id);
  requireKeys(validated);
  const interval = registry.settings['federation.automatic-client-lifetime'] || Infinity;
  const terms = chainTerms({ ...registry, trust }, chain, { expires_at: chain.expires_at, interval });
  const stored = await store(needs, { ...made, ...terms }, renewing);
  noteDropped(registry, { action: 'client.create', request_id: 'automatic', client_id }, validated.dropped);
  return stored;
}

/** @throws OAuthError if there is no chain */
export async function trustedChain(
  { trust, registry }: Pick<FederatedClientNeeds, 'trust' | 'registry'>,
  question: Omit<TrustQuestion, 'entityType'>,
): Promise<TrustChain> {
  const resolution = await resolveTrust(trust, { ...question, entityType: RELYING_PARTY });
  if (resolution.chain !== undefined) return resolution.chain;
  throw untrustedRefusal(registry, 'final', resolution);
}

/** Returns the client that the metadata of a chain make, before it is stored. @throws OAuthError */
async function clientOf(
  { registry, privileges }: FederatedClientNeeds,
  chain: TrustChain,
  { remoteAddress }: Occasion,
  client_id: ClientId,
): Promise<{ readonly validated: ValidatedMetadata; readonly made: StoredClient }> {
  requireAutomatic(chain.metadata.get(RELYING_PARTY) ?? new Map());
  const registering = { entity_id: client_id, chain, privileges, remoteAddress };
  const validated = await admitRelyingParty(registry, registering);
  const registrant = { kind: 'federation', name: `federation:${chain.trust_anchor}`, privileges } as const;
  return {
    validated,
    made: newClient(registry, registrant, { ...validated, preferred_client_id: client_id }),
  };
}

/** Requires the relying party to support automatic registration (§5.1.2). */
function requireAutomatic(metadata: EntityTypeMetadata): void {
  const types = metadata.get('client_registration_types');
  if (types !== undefined && isArray(types) && types.includes('automatic')) return;
  throw notAllowed('client_registration_types must contain automatic');
}

/**
 * Requires a client that authenticates with keys. Automatic registration has no response that could carry a secret, and
 * without authentication everyone could push requests in the name of the entity.
 */
function requireKeys({ metadata }: ValidatedMetadata): void {
  const method = metadata.token_endpoint_auth_method;
  if (isConfidential(metadata) || method === 'none')
    throw notAllowed(`token_endpoint_auth_method ${method} does not use keys`);
}

export function notAllowed(words: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { error_description: `metadata_not_allowed: ${words}` });
}

/**
 * Creates or replaces the client. If another process is faster, its client stays and is returned.
 * @throws OAuthError if the client was deleted, or one of another kind has its identifier: both may happen while trust is resolved
 */
async function store(
  { registry, clients }: FederatedClientNeeds,
  client: StoredClient,
  renewing: StoredClient | undefined,
): Promise<StoredClient> {
  const { client_id } = client;
  const before = await clients.find(client_id);
  if (renewing !== undefined && before?.instance !== renewing.instance) throw deletedMeanwhile(client_id);
  if (before !== undefined && !isAutomatic(before))
    throw notAllowed('another client has this entity identifier as its client_id');
  if (before !== undefined)
    return await storeRenewed({ registry, clients }, before, registeredAgain(before, client));
  const trail = { actor: `federation:${client_id}`, client_id, request_id: 'automatic' };
  const event = doneEvent(registry, { ...trail, action: 'client.create' });
  // An entity identifier names the same entity after the sweep deleted its client.
  const conditions = { reuseDeletedId: true, now: registry.clock.now(), event };
  if ((await clients.create(client, conditions)) === 'created') {
    registry.log.info({ ...event }, 'audit');
    countCreated(registry);
  }
  const stored = await clients.find(client_id);
  if (stored === undefined) throw new Error('the store does not have the client that it has just created');
  return stored;
}
