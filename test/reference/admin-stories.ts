import { ADMIN, START } from '../../src/testing/tenant.ts';
import { backupStory } from './admin-backup-stories.ts';
import { federationStory } from './admin-federation-stories.ts';
import { tenantStory } from './admin-tenant-stories.ts';
import { DECLARATION_STORIES } from './declaration-stories.ts';
import { type Story, storyTenant } from './story.ts';

const keys: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const { json } = await tenant.send('admin-key-list', {
    bearer: ADMIN,
    query: 'limit=2&fields=kid,use,state',
  });
  story.show('The first two keys', 200);
  const [key] = json['items'] as readonly { readonly kid: string }[];
  const segments = { kid: key?.kid ?? '' };
  await tenant.send('admin-key-read', { bearer: ADMIN, segments });
  story.show('One key', 200);
  await tenant.send('admin-key-revoke', { bearer: ADMIN, segments, query: 'dry_run=true' });
  story.show('A dry run of a revocation', 200);
  await tenant.send('admin-key-revoke', { bearer: ADMIN, segments });
  story.show('The revocation', 204);
  await tenant.send('admin-key-read', { bearer: ADMIN, segments });
  story.show('The key is gone', 404);
  await tenant.send('admin-key-list', {});
  story.show('A request without a token', 401);
  return story;
};

const rotation: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const request = { bearer: ADMIN, json: { use: 'sig', kind: 'P-256' } };
  await tenant.send('admin-key-rotate', { ...request, query: 'dry_run=true' });
  story.show('A dry run of a rotation', 200);
  const headers = { 'audit-reason': 'the yearly change', 'idempotency-key': 'rotation-2027' };
  await tenant.send('admin-key-rotate', { ...request, headers });
  story.show('A rotation', 200);
  await tenant.send('admin-removed-key-list', { bearer: ADMIN });
  story.show('The removed keys', 200);
  return story;
};

const settings: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const query = 'search=registration.master&fields=name,value,origin,secret';
  await tenant.send('admin-setting-list', { bearer: ADMIN, query });
  story.show('Settings by a part of their name', 200);
  await tenant.send('admin-setting-read', { bearer: ADMIN, segments: { name: 'id-token.lifetime' } });
  story.show('One setting', 200);
  return story;
};

const REFUSAL = {
  at: START,
  endpoint: 'token',
  status: '401',
  error: 'invalid_client',
  reason: 'wrong-secret',
  detail: 'client_secret_basic: the secret is wrong',
  client: 'web-shop',
  request_id: 'ms1x-7',
  tenant: 'test',
};

const figures: Story = async () => {
  const story = storyTenant(
    {},
    {
      server: { served: async () => ({ requests: { '2xx': 12, '4xx': 3 }, refusals: [REFUSAL] }) },
    },
  );
  const { tenant } = story;
  await tenant.send('admin-statistics', {
    bearer: ADMIN,
    query: 'fields=version,started_at,process,objects,refusals',
  });
  story.show('The figures', 200);
  await tenant.send('admin-refusal-list', { bearer: ADMIN, query: 'client_id=web-shop' });
  story.show('The latest refusals of a client', 200);
  return story;
};

/** The requests and answers of the administration API, by resource. */
export const ADMIN_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-backups': [backupStory],
  'admin-keys': [keys, rotation],
  'admin-settings': [settings],
  'admin-statistics': [figures],
  'admin-tenants': [tenantStory],
  ...DECLARATION_STORIES,
  'admin-federation': [federationStory],
};
