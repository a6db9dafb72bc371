import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import { openSecret } from '../../../clients/secrets/client-secrets.ts';
import { nameOf, secretsOf, withNewSecret, withoutSecret } from '../../../clients/secrets/rotate-secret.ts';
import type { StoredClient, StoredSecret } from '../../../ports/client-store.ts';
import { notFound } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import { acting, creating, type Done, type Item, listing, removing } from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import { type AdminClientNeeds, clientAt, plannedChange } from './client-change.ts';
import { secretCreate, secretList, secretRetire, secretRotate } from './contract.ts';

export const adminClientSecrets = [
  listing<AdminClientNeeds>(secretList, async (needs, call) => {
    const { client } = await clientAt(needs, call);
    const secrets = await secretsOf(needs.registry, client);
    const items = secrets.map(({ name, created_at, expires_at, last_used_at }) => ({
      id: name,
      created_at: timeText(created_at),
      expires_at: expires_at === 0 ? null : timeText(expires_at),
      last_used_at: timeOrNever(last_used_at),
    }));
    return pageIn(items, call.page, 'id');
  }),
  creating<AdminClientNeeds>(secretCreate, async (needs, call) =>
    plannedChange(needs, call, {
      change: (client) => withSecrets(client, withNewSecret(needs.registry, client)),
      detail: 'added',
      done: ({ client }) => newSecret(needs.registry, client, true),
    }),
  ),
  acting<AdminClientNeeds>(secretRotate, async (needs, call) =>
    plannedChange(needs, call, {
      change: (client) =>
        withSecrets(
          client,
          withNewSecret(needs.registry, client, Number(call.body['keep_previous_seconds'])),
        ),
      detail: 'rotated',
      done: ({ client }) => newSecret(needs.registry, client, false),
    }),
  ),
  removing<AdminClientNeeds>(secretRetire, async (needs, call) =>
    plannedChange(needs, call, {
      change: (client) => {
        const rest = withoutSecret(needs.registry, client, call.segments['secret_id'] ?? '');
        if (rest === undefined) throw notFound('secret');
        return withSecrets(client, rest);
      },
      detail: 'retired',
      done: () => ({}),
    }),
  ),
];

const withSecrets = (client: StoredClient, secrets: readonly StoredSecret[]): StoredClient => ({
  ...client,
  version: client.version + 1,
  secrets,
});

function newSecret({ sealer }: RegistryNeeds, client: StoredClient, isCreation: boolean): Done {
  const [secret] = client.secrets;
  if (secret === undefined) throw new Error('the secret that was made is not there');
  const item: Item = {
    id: nameOf(secret),
    created_at: timeText(secret.created_at),
    expires_at: secret.expires_at === 0 ? null : timeText(secret.expires_at),
    client_secret: openSecret(sealer, client, secret),
  };
  if (!isCreation) return { item };
  return { item, location: `/clients/${encodeURIComponent(client.client_id)}/secrets/${nameOf(secret)}` };
}
