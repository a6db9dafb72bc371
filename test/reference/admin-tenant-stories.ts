import { ADMIN } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

export const tenantStory: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const send = async (name: string, request: object = {}): Promise<void> =>
    void (await tenant.send(`admin-tenant-${name}`, { bearer: ADMIN, ...request }));
  const segments = { id: 'acme' };
  const json = {
    id: 'acme',
    issuer: 'https://op.example.com/acme',
    settings: { 'access-token.lifetime': 300 },
  };
  await send('create', { json: { ...json, settings: { 'access-token.lifetime': 'soon' } } });
  story.show('A tenant with a wrong setting', 400);
  await send('create', { json });
  story.show('A new tenant', 201);
  await send('list', { query: 'q=ACM&limit=10' });
  story.show('The tenants with a part of a name', 200);
  const headers = { 'if-match': '"1"', 'content-type': 'application/merge-patch+json' };
  const patch = { settings: { 'access-token.lifetime': null, 'id-token.lifetime': 600 } };
  await send('update', { segments, headers, json: patch, query: 'dry_run=true' });
  story.show('A dry run of a change of its settings', 200);
  await send('update', { segments, headers, json: patch });
  story.show('The change', 200);
  await send('disable', { segments });
  story.show('The tenant goes out of service', 200);
  await send('enable', { segments, query: 'dry_run=true' });
  story.show('A dry run of its return', 200);
  await send('read', { segments });
  story.show('The disabled tenant', 200);
  await send('rows', { segments });
  story.show('The rows that a deletion would remove', 200);
  await send('delete', { segments, headers: { 'if-match': '"3"' } });
  story.show('The deletion', 202);
  await send('create', { json });
  story.show('The id is never used again', 409);
  return story;
};
