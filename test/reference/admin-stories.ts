import { ADMIN } from '../../src/testing/tenant.ts';
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

/** The requests and answers of the administration API, by resource. */
export const ADMIN_STORIES: Readonly<Record<string, readonly Story[]>> = { 'admin-keys': [keys] };
