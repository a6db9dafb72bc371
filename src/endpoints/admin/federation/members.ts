import { clientFederation } from '../../../clients/federated-client.ts';
import { type ClientFilters, findClients } from '../../../clients/listing/find-clients.ts';
import type { RefreshOutcome } from '../../../federation/registration/federated-clients.ts';
import type { StoredClient } from '../../../ports/client-store.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import {
  type AdminCall,
  acting,
  type Item,
  type ListCall,
  listing,
  reading,
  removing,
} from '../operation.ts';
import { memberEnd, memberList, memberRead, memberRefresh } from './contract.ts';
import { type AdminFederationNeeds, required } from './needs.ts';

export const adminFederationMembers = [
  listing<AdminFederationNeeds>(memberList, async (needs, call) => {
    const { clients, clock } = needs.registry;
    const { limit, after } = call.page;
    const place = after === undefined ? undefined : String(after[0]);
    const { found, next } = await findClients(
      { clients, clock, clientLists: needs.storage.clientLists },
      {
        filters: filtersOf(call),
        sort: 'id',
        descending: false,
        limit,
        after: place === undefined ? undefined : { key: place, client_id: place as ClientId },
      },
    );
    return {
      items: found.map(({ client }) => memberOf(client, clock.now())).filter((item) => item !== undefined),
      next: next === undefined ? undefined : [next.client_id],
    };
  }),
  reading<AdminFederationNeeds>(memberRead, async (needs, call) => {
    const { client, item } = await memberAt(needs, call);
    return { item, version: versionOf(client) };
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

function filtersOf({ query }: ListCall): ClientFilters {
  const { trust_anchor, entity_id, state } = query;
  return {
    registered_via: 'federation',
    ...(trust_anchor === undefined ? {} : { trust_anchor }),
    ...(entity_id === undefined ? {} : { entity_id }),
    ...(state === undefined ? {} : { state: state as 'active' | 'expired' }),
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
