import { ADMIN, MASTER } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

/** Without a secret, whose name would differ from run to run. */
const SHOP = {
  redirect_uris: ['https://shop.example/cb'],
  client_name: 'Shop',
  token_endpoint_auth_method: 'none',
};
const REASON = { 'audit-reason': 'the new name was wrong' };

const history: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const { client_id } = await tenant.register(SHOP);
  const json = { ...SHOP, client_name: 'Shop 2' };
  await tenant.send('client-update', { bearer: MASTER, id: client_id, json });
  const segments = { id: client_id };
  await tenant.send('admin-client-version-list', { bearer: ADMIN, segments });
  story.show('The versions of a client', 200);
  await tenant.send('admin-client-version-read', { bearer: ADMIN, segments: { ...segments, version: '1' } });
  story.show('One version', 200);
  await tenant.send('admin-client-diff', { bearer: ADMIN, segments });
  story.show('The last change', 200);
  const restore = { bearer: ADMIN, segments, json: {}, headers: REASON };
  await tenant.send('admin-client-restore', { ...restore, query: 'dry_run=true' });
  story.show('A dry run of an undo', 200);
  await tenant.send('admin-client-restore', restore);
  story.show('The undo', 200);
  await tenant.send('client-delete', { bearer: MASTER, id: client_id });
  await tenant.send('admin-deleted-client-list', { bearer: ADMIN });
  story.show('The deleted clients that can be restored', 200);
  await tenant.send('admin-deleted-client-restore', { bearer: ADMIN, segments, json: {} });
  story.show('A deleted client comes back with a new registration access token', 200);
  await tenant.send('client-delete', { bearer: MASTER, id: client_id });
  const read = await tenant.send('admin-deleted-client-read', { bearer: ADMIN, segments });
  story.show('A deleted client', 200);
  const headers = { 'if-match': read.headers['etag'] ?? '' };
  await tenant.send('admin-deleted-client-purge', { bearer: ADMIN, segments, headers });
  story.show('A purge', 204);
  return story;
};

/** Versions of clients and deleted clients. */
export const CLIENT_HISTORY_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-client-history': [history],
};
