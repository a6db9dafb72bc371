import { ADMIN } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const METADATA = { client_name: 'Paper Clips', redirect_uris: ['https://clips.example/cb'] };
const PATCH = { 'content-type': 'application/merge-patch+json' };

const clients: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const json = { metadata: METADATA };
  await tenant.send('admin-client-create', { bearer: ADMIN, json, query: 'dry_run=true' });
  story.show('A dry run of a registration', 200);
  const created = await tenant.send('admin-client-create', { bearer: ADMIN, json });
  story.show('The registration', 201);
  const segments = { client_id: String(created.json['client_id']) };
  await tenant.send('admin-client-list', { bearer: ADMIN, query: 'name_contains=paper&fields=client_id' });
  story.show('Clients by a part of their name', 200);
  const headers = { ...PATCH, 'if-match': '*', 'audit-reason': 'a new name' };
  const renamed = { metadata: { client_name: 'Clips' } };
  await tenant.send('admin-client-patch', { bearer: ADMIN, segments, json: renamed, headers });
  story.show('A change of one member', 200);
  const former = { ...headers, 'if-match': '"former"' };
  await tenant.send('admin-client-patch', { bearer: ADMIN, segments, json: renamed, headers: former });
  story.show('The same for a version that another person has changed', 412);
  await tenant.send('admin-client-secret-list', { bearer: ADMIN, segments });
  story.show('The secrets, without their values', 200);
  const filter = { action: 'delete', filter: { name_contains: 'clips' } };
  await tenant.send('admin-client-bulk', { bearer: ADMIN, json: filter, query: 'dry_run=true' });
  story.show('A dry run of a deletion of many', 200);
  await tenant.send('admin-client-delete', { bearer: ADMIN, segments, headers: { 'if-match': '*' } });
  story.show('The deletion', 204);
  return story;
};

const initialTokens: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const json = { label: 'pipeline', scope: ['client-reg:grant:client'], lifetime: 3600 };
  const made = await tenant.send('admin-initial-access-token-create', { bearer: ADMIN, json });
  story.show('A token for one registration', 201);
  const segments = { id: String(made.json['id']) };
  await tenant.send('admin-initial-access-token-list', { bearer: ADMIN, query: 'state=live' });
  story.show('The tokens that were not used yet', 200);
  await tenant.send('admin-initial-access-token-revoke', { bearer: ADMIN, segments, json: {} });
  story.show('A revocation', 200);
  return story;
};

export const ADMIN_CLIENT_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-clients': [clients],
  'admin-initial-access-tokens': [initialTokens],
};
