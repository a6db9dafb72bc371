import { registrationClientUri } from '../../../clients/client-information.ts';
import { isKeptAfterDeletion } from '../../../clients/history/history-limits.ts';
import { findClients } from '../../../clients/listing/find-clients.ts';
import { type Administered, administeredClient } from '../../../clients/manage-client.ts';
import { metadataOf } from '../../../clients/registered-client.ts';
import { requireAdminScopeOf } from '../../../clients/registration/admin-scope.ts';
import { warnings } from '../../../clients/registration/dry-run.ts';
import { noteDropped, prepareClient, storePrepared } from '../../../clients/registration/register-client.ts';
import type { Registrant } from '../../../clients/registration/registration-authority.ts';
import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import {
  makeRegistrationToken,
  openRegistrationToken,
  openSecret,
} from '../../../clients/secrets/client-secrets.ts';
import type { AuditEvent } from '../../../ports/audit-log.ts';
import type { StoredClient, StoredSecret } from '../../../ports/client-store.ts';
import { inTurns } from '../../../spec/in-turns.ts';
import type { JsonValue } from '../../../spec/json.ts';
import { mergePatch } from '../../../spec/merge-patch.ts';
import { type Dropped, sentenceOf } from '../../../spec/metadata-mistake.ts';
import { Problem } from '../../../spec/problems.ts';
import { ALL_PRIVILEGES } from '../../../spec/registration-privileges.ts';
import { timeText } from '../../../spec/time-text.ts';
import { positionOf } from '../client-order.ts';
import {
  acting,
  type ChangeCall,
  changing,
  creating,
  type Item,
  listing,
  type Plan,
  reading,
  removing,
  type WriteCall,
} from '../operation.ts';
import { type AdminClientNeeds, clientAt, plannedChange, requestOf } from './client-change.ts';
import { clientItem, shownMetadata, versionOfClient } from './client-item.ts';
import { clientQuery } from './client-query.ts';
import {
  adminClientDelete,
  adminClientRead,
  clientCreate,
  clientList,
  clientPatch,
  clientRefusals,
  clientReissue,
  clientReplace,
} from './contract.ts';

export const adminClients = [
  listing<AdminClientNeeds>(clientList, async ({ registry, storage: { clientLists } }, call) => {
    const { clients, clock } = registry;
    const { found, next } = await findClients({ clientLists, clients, clock }, clientQuery(call));
    const now = clock.now();
    const items = await inTurns(found, (part) => part.map((listed) => clientItem(listed, now)));
    return { items, next: positionOf(next) };
  }),
  reading<AdminClientNeeds>(adminClientRead, async (needs, call) => {
    const found = await clientAt(needs, call);
    return {
      item: clientItem(found, needs.registry.clock.now()),
      version: versionOfClient(found.client),
    };
  }),
  creating<AdminClientNeeds>(clientCreate, plannedCreation),
  changing<AdminClientNeeds>(clientReplace, async (needs, call) =>
    plannedMetadata(needs, call, () => call.body['metadata'] ?? null),
  ),
  changing<AdminClientNeeds>(clientPatch, async (needs, call) =>
    plannedMetadata(needs, call, (client) => mergePatch(shownMetadata(client), call.body['metadata'] ?? {})),
  ),
  removing<AdminClientNeeds>(adminClientDelete, plannedDeletion),
  acting<AdminClientNeeds>(clientReissue, async (needs, call) =>
    plannedChange(needs, call, {
      change: (client) => {
        if (client.shared_digest !== null || client.expires_at !== null || client.document !== null)
          throw new Problem('conflict', 'the client has no registration access token: its source manages it');
        return { ...client, version: client.version + 1, ...makeRegistrationToken(needs.registry, client) };
      },
      detail: 'registration token',
      done: ({ client }) => ({ item: registrationToken(needs.registry, client) }),
    }),
  ),
  listing<AdminClientNeeds>(clientRefusals, async ({ registry: { audit } }, { segments, page }) => {
    const [at, sequence] = page.after ?? [];
    const before =
      typeof at === 'number' && typeof sequence === 'number'
        ? { at, sequence }
        : { at: Number.MAX_SAFE_INTEGER, sequence: Number.MAX_SAFE_INTEGER };
    const { events, next } = await audit.search({
      filter: { client_id: segments['client_id'] ?? '', outcome: 'refused' },
      after: { at: -1, sequence: 0 },
      before,
      order: 'newest-first',
      limit: page.limit,
      examined: EXAMINED_MAX,
    });
    return {
      items: events.map(({ at: time, action, actor, detail, request_id }) => ({
        at: timeText(time),
        action,
        actor,
        reason: detail,
        request_id,
      })),
      next: next === undefined ? undefined : [next.at, next.sequence],
    };
  }),
];

/** Events that one page of refusals looks at. */
const EXAMINED_MAX = 2000;

/** Clients of the administration say so in `registered_via`. */
const registrantOf = ({ caller, remoteAddress }: WriteCall): Registrant => ({
  kind: 'master',
  name: caller.actor,
  privileges: { ...ALL_PRIVILEGES, admin_scope: caller.scope },
  remoteAddress,
});

async function plannedCreation({ registry }: AdminClientNeeds, call: WriteCall): Promise<Plan> {
  const { client_id, client_secret, metadata = {} } = call.body;
  const request = requestOf(registry, metadata, {
    ...(client_id === undefined ? {} : { preferred_client_id: client_id }),
    ...(client_secret === undefined ? {} : { preferred_client_secret: client_secret }),
  });
  const registrant = registrantOf(call);
  const { client, dropped } = await prepareClient(registry, registrant, request);
  if (client_id !== undefined && (await registry.clients.find(client.client_id)) !== undefined)
    throw new Problem('conflict', 'client_id is taken');
  const item = clientItem({ client, last_used_at: 0 }, registry.clock.now());
  return {
    before: null,
    after: item,
    warnings: advice(client, dropped),
    commit: async () => {
      const event = call.event({ client_id: client.client_id });
      await storePrepared(registry, registrant, client, event);
      noteOf(registry, event, dropped);
      return {
        item: {
          ...item,
          ...secretOf(registry, client, client.secrets[0]),
          ...registrationToken(registry, client),
        },
        version: versionOfClient(client),
        location: `/clients/${encodeURIComponent(client.client_id)}`,
      };
    },
  };
}

async function plannedMetadata(
  needs: AdminClientNeeds,
  call: ChangeCall,
  metadata: (client: StoredClient) => JsonValue,
): Promise<Plan> {
  const { registry } = needs;
  let last: Administered | undefined;
  return await plannedChange(needs, call, {
    async change(client) {
      const manager = { kind: 'master', client, adminScope: call.caller.scope } as const;
      const request = requestOf(registry, metadata(client));
      last = await administeredClient(registry, manager, {
        request,
        statement: undefined,
        remoteAddress: call.remoteAddress,
      });
      return last.client;
    },
    warnings: (client) => advice(client, last?.dropped ?? []),
    done: (listed) => ({
      item: {
        ...clientItem(listed, registry.clock.now()),
        ...secretOf(registry, listed.client, last?.secret),
      },
      version: versionOfClient(listed.client),
    }),
  });
}

async function plannedDeletion(needs: AdminClientNeeds, call: ChangeCall): Promise<Plan> {
  const { registry } = needs;
  const checked = async () => {
    const found = await clientAt(needs, call);
    call.ifMatch.require(versionOfClient(found.client));
    requireAdminScopeOf(found.client, call.caller.scope);
    return found;
  };
  const found = await checked();
  return {
    before: clientItem(found, registry.clock.now()),
    after: null,
    commit: async () => {
      const purge = call.query['purge'] === 'true';
      const event = call.event({ client_id: found.client.client_id, detail: purge ? 'purged' : null });
      let { client } = found;
      for (let attempt = 0; attempt < DELETIONS_MAX; attempt += 1) {
        const isKept = !purge && isKeptAfterDeletion(registry.settings, { kind: 'master', client });
        if ((await registry.clients.delete(client, event, isKept)) === 'done') return {};
        ({ client } = await checked());
      }
      throw new Error(`other requests changed the client during each of ${DELETIONS_MAX} attempts`);
    },
  };
}

const DELETIONS_MAX = 10;

function advice(client: StoredClient, dropped: readonly Dropped[]): readonly string[] {
  return [...dropped.map(sentenceOf), ...warnings(metadataOf(client))];
}

function noteOf(needs: RegistryNeeds, event: AuditEvent, dropped: readonly Dropped[]): void {
  const { action, request_id, client_id } = event;
  noteDropped(needs, { action, request_id, client_id }, dropped);
}

const secretOf = ({ sealer }: RegistryNeeds, client: StoredClient, secret: StoredSecret | undefined): Item =>
  secret === undefined ? {} : { client_secret: openSecret(sealer, client, secret) };

const registrationToken = ({ sealer, issuer }: RegistryNeeds, client: StoredClient): Item => ({
  registration_access_token: openRegistrationToken(sealer, client),
  registration_client_uri: registrationClientUri(issuer, client.client_id),
});
