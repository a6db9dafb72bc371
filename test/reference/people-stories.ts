import { peopleWorld } from '../../src/testing/admin-people.ts';
import { ADMIN } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const accounts: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const json = { username: 'ada', claims: { email: 'ada@example.com' }, admin_role: 'viewer' };
  const made = await tenant.send('admin-account-create', { bearer: ADMIN, json });
  story.show('A new account', 201);
  const { sub } = made.json['account'] as { readonly sub: string };
  const segments = { sub };
  await tenant.send('admin-account-list', { bearer: ADMIN, query: 'q=ad&fields=sub,username,admin_role' });
  story.show('A search by name', 200);
  await tenant.send('admin-account-read', { bearer: ADMIN, segments });
  story.show('One account', 200);
  await tenant.send('admin-account-change', {
    bearer: ADMIN,
    segments,
    headers: { 'if-match': '"1"' },
    json: { admin_role: 'operator' },
  });
  story.show('Another role', 200);
  await tenant.send('admin-account-password', { bearer: ADMIN, segments, json: {} });
  story.show('A password that the server makes', 200);
  await tenant.send('admin-account-disable', { bearer: ADMIN, segments, query: 'dry_run=true' });
  story.show('A dry run', 200);
  await tenant.send('admin-account-disable', { bearer: ADMIN, segments });
  story.show('The account is disabled', 200);
  await tenant.send('admin-account-enable', { bearer: ADMIN, segments });
  story.show('The account is enabled', 200);
  await tenant.send('admin-account-end-sessions', { bearer: ADMIN, segments });
  story.show('The end of all its sessions', 200);
  await tenant.send('admin-account-delete', { bearer: ADMIN, segments, headers: { 'if-match': '*' } });
  story.show('The account is deleted', 204);
  return story;
};

const sessions: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const { sub } = await peopleWorld(tenant);
  const { json } = await tenant.send('admin-session-list', { bearer: ADMIN, query: `sub=${sub}` });
  story.show('The sessions of an account', 200);
  const [session] = json['items'] as readonly { readonly sid: string }[];
  const segments = { sid: session?.sid ?? '' };
  await tenant.send('admin-session-read', { bearer: ADMIN, segments });
  story.show('One session', 200);
  await tenant.send('admin-session-end', { bearer: ADMIN, segments });
  story.show('The end of the session', 204);
  return story;
};

const grants: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const { client } = await peopleWorld(tenant);
  const query = `client_id=${client.client_id}`;
  const { json } = await tenant.send('admin-grant-list', { bearer: ADMIN, query });
  story.show('The grants for a client', 200);
  const [grant] = json['items'] as readonly { readonly grant_id: string }[];
  const segments = { grant_id: grant?.grant_id ?? '' };
  await tenant.send('admin-grant-read', { bearer: ADMIN, segments });
  story.show('One grant', 200);
  await tenant.send('admin-grant-revoke', { bearer: ADMIN, segments });
  story.show('The end of the grant', 204);
  return story;
};

const consents: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const { sub, client } = await peopleWorld(tenant, { prompt: 'consent' });
  await tenant.send('admin-consent-list', { bearer: ADMIN, query: `sub=${sub}` });
  story.show('The consents of an account', 200);
  const segments = { sub, client_id: client.client_id };
  await tenant.send('admin-consent-withdraw', { bearer: ADMIN, segments });
  story.show('The consent is withdrawn', 204);
  return story;
};

const tokens: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const { sub } = await peopleWorld(tenant);
  const { json } = await tenant.send('admin-access-token-list', { bearer: ADMIN, query: `sub=${sub}` });
  story.show('The access tokens of an account', 200);
  const [token] = json['items'] as readonly { readonly token_id: string }[];
  const segments = { token_id: token?.token_id ?? '' };
  await tenant.send('admin-access-token-revoke', { bearer: ADMIN, segments });
  story.show('The token is revoked', 204);
  return story;
};

const applicationsPage: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  await tenant.send('applications');
  story.show('A browser without a session', 200);
  return story;
};

/** The requests and answers of the administration of people, by resource. */
export const PEOPLE_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-accounts': [accounts],
  'admin-sessions': [sessions],
  'admin-grants': [grants],
  'admin-consents': [consents],
  'admin-access-tokens': [tokens],
  applications: [applicationsPage],
};
