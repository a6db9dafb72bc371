import { clientFederation } from '../../../clients/federated-client.ts';
import { type ClientFilters, findClients } from '../../../clients/listing/find-clients.ts';
import { metadataOf } from '../../../clients/registered-client.ts';
import { resolutionAsJson } from '../../../federation/explain/json.ts';
import type { RefreshOutcome } from '../../../federation/registration/federated-clients.ts';
import { resolveTrust } from '../../../federation/trust-chain/resolve-trust.ts';
import type { StoredClient } from '../../../ports/client-store.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import { inTurns } from '../../../spec/in-turns.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { secondsOf, timeOrNever, timeText } from '../../../spec/time-text.ts';
import { clientOrder, positionOf } from '../client-order.ts';
import {
  type AdminCall,
  acting,
  type Item,
  type ListCall,
  listing,
  reading,
  removing,
} from '../operation.ts';
import { invalidParameters } from '../parameters.ts';
import { memberChain, memberEnd, memberList, memberRead, memberRefresh } from './contract.ts';
import { type AdminFederationNeeds, required } from './needs.ts';

export const adminFederationMembers = [
  listing<AdminFederationNeeds>(memberList, async (needs, call) => {
    const { clients, clock } = needs.registry;
    const { found, next } = await findClients(
      { clients, clock, clientLists: needs.storage.clientLists },
      { filters: filtersOf(call), ...clientOrder(call.page) },
    );
    const now = clock.now();
    const items = await inTurns(found, (part) =>
      part.map(({ client }) => memberOf(client, now)).filter((item) => item !== undefined),
    );
    return { items, next: positionOf(next) };
  }),
  reading<AdminFederationNeeds>(memberRead, async (needs, call) => {
    const { client, item } = await memberAt(needs, call);
    return { item, version: versionOf(client) };
  }),
  reading<AdminFederationNeeds>(memberChain, async (needs, call) => {
    const { item } = await memberAt(needs, call);
    const { entity_id, trust_chain } = item as { entity_id: string; trust_chain: readonly string[] };
    const found = await resolveTrust(required(needs.trust), {
      subject: { entity_id, preferred: trust_chain },
      entityType: undefined,
      remoteAddress: call.remoteAddress,
    });
    return { item: resolutionAsJson(found) as Item };
  }),
  acting<AdminFederationNeeds>(memberRefresh, async (needs, call) => {
    const federated = required(needs.federated);
    const { item } = await memberAt(needs, call);
    const entity_id = String(item['entity_id']);
    return {
      before: item,
      after: item,
      warnings: ['what changes is known after the resolution'],
      commit: async () => {
        const outcomes = await federated.refreshEntity(entity_id);
        await needs.storage.audit.append(call.event({ detail: entity_id }));
        return { item: { outcomes: outcomes.map(outcomeItem) } };
      },
    };
  }),
  removing<AdminFederationNeeds>(memberEnd, async (needs, call) => {
    const { client, item } = await memberAt(needs, call);
    call.ifMatch.require(versionOf(client));
    return {
      before: item,
      after: null,
      commit: async () => {
        const event = call.event({ client_id: client.client_id });
        // The federation vouches for it anew, so there is nothing to restore.
        if ((await needs.registry.clients.delete(client, event, false)) === 'done') return {};
        throw new Problem('precondition_failed', 'the client has changed meanwhile: read it again');
      },
    };
  }),
];

/** @throws Problem invalid_parameter */
function filtersOf({ query }: ListCall): ClientFilters {
  const { trust_anchor, entity_id, name_contains, state, expires_before } = query;
  const until = expires_before === undefined ? undefined : secondsOf(expires_before);
  if (expires_before !== undefined && until === undefined)
    throw invalidParameters([{ pointer: 'expires_before', detail: 'must be a time that exists' }]);
  return {
    registered_via: 'federation',
    ...(trust_anchor === undefined ? {} : { trust_anchor }),
    ...(entity_id === undefined ? {} : { entity_id }),
    ...(name_contains === undefined ? {} : { name_contains }),
    ...(state === undefined ? {} : { state: state as 'active' | 'expired' }),
    ...(until === undefined ? {} : { expires: { until } }),
  };
}

/** Returns a client as readers see it; undefined for one without a federation. */
function memberOf(client: StoredClient, now: number): Item | undefined {
  const federation = clientFederation(client);
  if (federation === undefined) return undefined;
  const { entity_id, registration, expires_at, trust_chain_expires_at, resolved_at, failure, ...rest } =
    federation;
  return {
    client_id: client.client_id,
    client_name: nameOf(client),
    entity_id,
    registration,
    state: expires_at !== null && expires_at <= now ? 'expired' : 'active',
    ...rest,
    expires_at: timeOrNever(expires_at),
    trust_chain_expires_at: timeOrNever(trust_chain_expires_at),
    resolved_at: timeOrNever(resolved_at),
    failure: failure === undefined ? null : { ...failure, at: timeText(failure.at) },
  };
}

function nameOf(client: StoredClient): string | null {
  const { client_name } = metadataOf(client);
  return typeof client_name === 'string' ? client_name : null;
}

interface Member {
  readonly client: StoredClient;
  readonly item: Item;
}

/** Returns the member of the path, expired or not. @throws Problem not_found */
async function memberAt(
  { storage, registry }: AdminFederationNeeds,
  { segments }: AdminCall,
): Promise<Member> {
  const [found] = await storage.clientLists.read([(segments['client_id'] ?? '') as ClientId]);
  const item = found === undefined ? undefined : memberOf(found.client, registry.clock.now());
  if (found === undefined || item === undefined) throw notFound('member of a federation');
  return { client: found.client, item };
}

const versionOf = ({ version, instance }: StoredClient): string => `${version}-${instance}`;

function outcomeItem(outcome: RefreshOutcome): Item {
  const { client_id } = outcome.client;
  if ('failure' in outcome) {
    const { code, error_description } = outcome.failure;
    const expires_at = timeOrNever(outcome.client.expires_at);
    return { client_id, renewed: false, expires_at, error: code, error_description };
  }
  const expires_at = timeOrNever(outcome.renewed.expires_at);
  return { client_id, renewed: true, expires_at, changed: outcome.changed };
}
