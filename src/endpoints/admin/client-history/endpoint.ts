import { storeChange } from '../../../clients/change-client.ts';
import { registrationClientUri } from '../../../clients/client-information.ts';
import {
  contentOf,
  type VersionLine,
  versionBefore,
  versionOf,
  versionsOf,
} from '../../../clients/history/client-versions.ts';
import {
  continuedClient,
  deletedClient,
  endOfGrace,
  purgeDeleted,
  restoreDeleted,
} from '../../../clients/history/restore-deleted.ts';
import { type Restorer, restoredClient, restoredEvent } from '../../../clients/history/restore-version.ts';
import { metadataOf } from '../../../clients/registered-client.ts';
import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import { openRegistrationToken, openSecret } from '../../../clients/secrets/client-secrets.ts';
import type { FormerVersion } from '../../../ports/client-history.ts';
import type { StoredClient, StoredSecret } from '../../../ports/client-store.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import type { JsonValue } from '../../../spec/json.ts';
import { jsonChanges } from '../../../spec/json-changes.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import {
  type AdminCall,
  acting,
  type Item,
  listing,
  type Plan,
  reading,
  removing,
  type WriteCall,
} from '../operation.ts';
import {
  deletedList,
  deletedPurge,
  deletedRead,
  deletedRestore,
  versionDiff,
  versionList,
  versionRead,
  versionRestore,
} from './contract.ts';

export interface AdminClientHistoryNeeds {
  readonly registry: RegistryNeeds;
}

export const adminClientHistory = [
  listing<AdminClientHistoryNeeds>(versionList, async ({ registry }, call) => {
    const client = await clientAt(registry, call);
    const { limit, after } = call.page;
    const { versions, next } = await versionsOf(
      registry,
      client,
      after === undefined ? undefined : Number(after[0]),
      limit,
    );
    return { items: versions.map(renderedLine), next: next === undefined ? undefined : [next] };
  }),
  reading<AdminClientHistoryNeeds>(versionRead, async ({ registry }, call) => {
    const client = await clientAt(registry, call);
    const number = /^[1-9]\d{0,14}$/u.exec(call.segments['version'] ?? '');
    if (number === null) throw notFound('version');
    const version = await versionOf(registry, client, Number(number[0]));
    const { versions } = await versionsOf(registry, client, version.version + 1, 1);
    const [line = { version: version.version, is_current: true, made: null }] = versions;
    return {
      item: { ...renderedLine({ ...line, is_current: version === client }), ...renderedContent(version) },
    };
  }),
  reading<AdminClientHistoryNeeds>(versionDiff, async ({ registry }, call) => {
    const client = await clientAt(registry, call);
    const { from, to } = call.query;
    const second = await versionOf(registry, client, to === undefined ? client.version : Number(to));
    const first =
      from === undefined
        ? await versionBefore(registry, client, second.version)
        : await versionOf(registry, client, Number(from));
    const changes = jsonChanges(renderedContent(first), renderedContent(second));
    return { item: { from: first.version, to: second.version, changes } };
  }),
  acting<AdminClientHistoryNeeds>(
    versionRestore,
    async ({ registry }, call) => await restoration(registry, call),
  ),
  listing<AdminClientHistoryNeeds>(deletedList, async ({ registry }, { page: { limit, after } }) => {
    const key =
      after === undefined
        ? undefined
        : { deleted_at: Number(after[0]), client_id: String(after[1]) as ClientId };
    const found = await registry.clientHistory.deletedPage(key, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const now = registry.clock.now();
    return {
      items: page
        .filter((each) => now < endOfGrace(registry, each))
        .map((each) => renderedDeleted(registry, each)),
      next: last === undefined ? undefined : [last.deleted_at, last.client_id],
    };
  }),
  reading<AdminClientHistoryNeeds>(deletedRead, async ({ registry }, call) => {
    const deleted = await deletedClient(registry, call.segments['id'] ?? '');
    return { item: renderedDeleted(registry, deleted), version: versionTag(deleted) };
  }),
  acting<AdminClientHistoryNeeds>(deletedRestore, async ({ registry }, call) => {
    const client_id = call.segments['id'] ?? '';
    const deleted = await deletedClient(registry, client_id);
    const restorer = restorerOf(call);
    const planned = await continuedClient(registry, deleted, restorer);
    if ((await registry.clients.find(deleted.client_id)) !== undefined)
      throw new Problem('conflict', 'a client is registered with this client_id; delete that client first');
    return {
      before: null,
      after: renderedContent(planned),
      commit: async () => {
        const trail = { ...call.by, action: 'client.restore', client_id } as const;
        const client = await restoreDeleted(registry, client_id, restorer, { ...trail });
        return {
          item: {
            ...restoredItem(registry, client, restorer.withSecrets ? secretsBefore(deleted) : []),
            registration_access_token: openRegistrationToken(registry.sealer, client),
            registration_client_uri: registrationClientUri(registry.issuer, client.client_id),
          },
          version: String(client.version),
        };
      },
    };
  }),
  removing<AdminClientHistoryNeeds>(deletedPurge, async ({ registry }, call) => {
    const client_id = call.segments['id'] ?? '';
    const deleted = await deletedClient(registry, client_id);
    call.ifMatch.require(versionTag(deleted));
    return {
      before: renderedDeleted(registry, deleted),
      after: null,
      commit: async () => {
        await purgeDeleted(registry, client_id, { ...call.by, action: 'client.purge', client_id });
        return {};
      },
    };
  }),
];

async function restoration(registry: RegistryNeeds, call: WriteCall): Promise<Plan> {
  const client = await clientAt(registry, call);
  const { version: wanted } = call.body;
  const version =
    wanted === undefined
      ? await versionBefore(registry, client)
      : await versionOf(registry, client, Number(wanted));
  const restorer = restorerOf(call);
  const restored = await restoredClient(registry, client, version, restorer);
  return {
    before: renderedContent(client),
    after: renderedContent(restored),
    commit: async () => {
      const trail = { ...call.by, action: 'client.restore', client_id: client.client_id } as const;
      const event = restoredEvent(registry, { ...trail }, version, restorer);
      if ((await storeChange(registry, restored, client.version, event)) !== 'done')
        throw new Problem('conflict', 'another request has changed the client meanwhile');
      const before = [...secretsBefore(client), ...secretsBefore(version)];
      return { item: restoredItem(registry, restored, before), version: String(restored.version) };
    },
  };
}

const restorerOf = ({ caller, body, remoteAddress }: WriteCall): Restorer => ({
  adminScope: caller.scope,
  remoteAddress,
  withSecrets: body['with_secrets'] === true,
});

const secretsBefore = ({ secrets }: StoredClient | FormerVersion): readonly StoredSecret['digest'][] =>
  secrets.map(({ digest }) => digest);

/** Shows the newest secret if the restoration made it. */
function restoredItem(
  { sealer }: RegistryNeeds,
  client: StoredClient,
  before: readonly StoredSecret['digest'][],
): Item {
  const { client_id, version, secrets } = client;
  const [secret] = secrets;
  const isNew = secret !== undefined && !before.includes(secret.digest);
  return { client_id, version, ...(isNew ? { client_secret: openSecret(sealer, client, secret) } : {}) };
}

/** An entity tag for a deleted client: versions only grow, also over restorations. */
const versionTag = ({ deleted_at, version }: FormerVersion): string => `${deleted_at}-${version}`;

async function clientAt({ clients }: RegistryNeeds, { segments }: AdminCall): Promise<StoredClient> {
  const client = await clients.find((segments['id'] ?? '') as ClientId);
  if (client === undefined) throw notFound('client');
  return client;
}

const renderedLine = ({ version, is_current, made }: VersionLine): Item => ({
  version,
  is_current,
  made_at: timeOrNever(made?.at ?? null),
  action: made?.action ?? null,
  actor: made?.actor ?? null,
  request_id: made?.request_id ?? null,
  reason: made?.reason ?? null,
});

function renderedContent(version: StoredClient | FormerVersion): { readonly [name: string]: JsonValue } {
  const { secrets, ...content } = contentOf(version);
  return {
    ...content,
    secrets: secrets.map(({ id, created_at, expires_at }) => ({
      id,
      created_at: timeText(created_at),
      expires_at: expires_at === 0 ? null : timeText(expires_at),
    })),
  };
}

function renderedDeleted(registry: RegistryNeeds, deleted: FormerVersion): Item {
  const { client_id, registered_via, action, actor, request_id, reason } = deleted;
  const { client_name } = metadataOf(deleted);
  return {
    client_id,
    client_name: typeof client_name === 'string' ? client_name : null,
    registered_via,
    deleted_at: timeOrNever(deleted.deleted_at),
    restorable_until: timeText(endOfGrace(registry, deleted)),
    action,
    actor,
    request_id,
    reason,
  };
}
