import { federationOf } from '../../clients/federated-client.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import { newClient, noteDropped } from '../../clients/registration/register-client.ts';
import { registeredAgain } from '../../clients/registration/registrations-under-way.ts';
import { isConfidential, type ValidatedMetadata } from '../../clients/registration/validate-metadata.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { JsonMembers } from '../json-value.ts';
import type { TrustChain } from '../trust-chain/resolve-trust.ts';
import { admitRelyingParty } from './admit-relying-party.ts';
import { chainTerms } from './chain-terms.ts';
import {
  type FederatedClientNeeds,
  notAllowed,
  type Occasion,
  registerAutomatically,
  trustedChain,
} from './register-automatically.ts';
import { storeRenewed } from './store-renewed.ts';

/**
 * Resolves trust in the entity of a registered client again, whether or not its registration has expired (decision 49). The
 * promises to the client stay: its identifier, its secret and its grants.
 * @returns the client as it is stored now
 * @throws OAuthError if the entity is not trusted any more, or its metadata cannot be registered; temporarily_unavailable if
 * that is not known now. The client then stays as it is
 */
export async function renewClient(
  needs: FederatedClientNeeds,
  client: StoredClient,
  occasion: Occasion,
): Promise<StoredClient> {
  if (client.entity_id !== null) return await renewExplicit(needs, client, client.entity_id, occasion);
  if (!needs.registry.settings['federation.automatic-registration'])
    throw notAllowed('automatic registration is switched off');
  return await registerAutomatically(needs, client.client_id, { ...occasion, renewing: client });
}

/**
 * Renews an explicit registration. The metadata are those that the entity sent, under the policies of now: it may send other
 * metadata than it publishes. Its keys are those that it publishes.
 */
async function renewExplicit(
  needs: FederatedClientNeeds,
  client: StoredClient,
  entity_id: string,
  occasion: Occasion,
): Promise<StoredClient> {
  const { registry, trust } = needs;
  requireNotOver(registry, client);
  const state = federationOf(client);
  const submitted = state?.submitted ?? (metadataOf(client) as unknown as JsonMembers);
  const chain = await trustedChain(needs, {
    ...occasion,
    subject: {
      entity_id,
      stated: (published) => withKeysOf(published, submitted),
      preferred: state?.chain ?? [],
      // §12.2.3: the entity chose it, or was told.
      anchor: state?.trust_anchor,
    },
  });
  const { made, validated } = await clientOf(needs, chain, { ...occasion, entity_id });
  requireSameKind(client, validated);
  const expires_at = endOfExplicit(registry, client, chain);
  const terms = chainTerms({ ...registry, trust }, chain, { expires_at, interval: Infinity, submitted });
  const { client_id, secrets } = client;
  const renewed = { ...registeredAgain(client, made), client_id, entity_id, secrets, ...terms };
  noteDropped(registry, { action: 'client.update', request_id: 'renewal', client_id }, validated.dropped);
  return await storeRenewed(needs, client, renewed);
}

const KEYS = ['jwks', 'jwks_uri', 'signed_jwks_uri'] as const;

/** Returns metadata with the keys that the entity publishes; with their own keys if it publishes none. */
function withKeysOf(published: JsonMembers, submitted: JsonMembers): JsonMembers {
  const keys = KEYS.flatMap((name) => {
    const value = published[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  if (keys.length === 0) return submitted;
  const others = Object.entries(submitted).filter(([name]) => !KEYS.some((one) => one === name));
  return Object.fromEntries([...others, ...keys]);
}

async function clientOf(
  { registry, privileges }: FederatedClientNeeds,
  chain: TrustChain,
  { entity_id, remoteAddress }: { readonly entity_id: string } & Occasion,
): Promise<{ readonly made: StoredClient; readonly validated: ValidatedMetadata }> {
  const validated = await admitRelyingParty(registry, { entity_id, chain, privileges, remoteAddress });
  const name = `federation:${chain.trust_anchor}`;
  return { made: newClient(registry, { kind: 'federation', name, privileges }, validated), validated };
}

/** Requires that a client with a secret still has one: the server cannot tell the entity a secret now. */
function requireSameKind(client: StoredClient, { metadata }: ValidatedMetadata): void {
  if (isConfidential(metadata) === isConfidential(metadataOf(client))) return;
  const method = metadata.token_endpoint_auth_method;
  throw notAllowed(`token_endpoint_auth_method became ${method}: the entity must register again`);
}

/**
 * Returns when an explicit registration expires: no later than the chain (§12.2.3), and no later than the client secret (§12.2.3,
 * `client_secret_expires_at`).
 */
export function endOfExplicit(
  registry: Pick<FederatedClientNeeds['registry'], 'settings'>,
  client: Pick<StoredClient, 'issued_at' | 'secrets'>,
  { expires_at }: Pick<TrustChain, 'expires_at'>,
): number {
  return Math.min(expires_at, latestEnd(registry, client));
}

function latestEnd(
  { settings }: Pick<FederatedClientNeeds['registry'], 'settings'>,
  { issued_at, secrets }: Pick<StoredClient, 'issued_at' | 'secrets'>,
): number {
  const lifetime = settings['federation.explicit-client-lifetime'];
  const secret = secrets[0]?.expires_at ?? 0;
  return Math.min(lifetime === 0 ? Infinity : issued_at + lifetime, secret === 0 ? Infinity : secret);
}

/** Refuses, before anything is fetched, a registration that no chain could make longer. */
function requireNotOver(registry: FederatedClientNeeds['registry'], client: StoredClient): void {
  if (registry.clock.now() < latestEnd(registry, client)) return;
  throw new OAuthError('invalid_client_metadata', {
    error_description: 'metadata_not_allowed: the registration has reached its maximum lifetime',
  });
}
