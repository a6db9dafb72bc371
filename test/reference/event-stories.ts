import { endingStreams } from '../../src/testing/event-reader.ts';
import { aResourceServer } from '../../src/testing/feed-reader.ts';
import { ADMIN } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const audit: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  await tenant.register({ client_name: 'One', redirect_uris: ['https://one.example/cb'] });
  await tenant.register({ client_name: 'Two', redirect_uris: ['https://two.example/cb'] });
  await tenant.send('admin-audit-list', { bearer: ADMIN, query: 'action=client&limit=1' });
  story.show('The latest act on a client', 200);
  await tenant.send('admin-audit-list', { bearer: ADMIN, query: 'since=yesterday' });
  story.show('A time that is none', 400);
  await tenant.send('admin-audit-export', { bearer: ADMIN, query: 'action=client.create&format=csv' });
  story.show('An export as CSV', 200);
  endingStreams(tenant);
  await tenant.send('admin-events', { bearer: ADMIN, query: 'cursor=0&action=client' });
  story.show('The stream of events, from the oldest one until the server stops', 200);
  return story;
};

const webhooks: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const url = 'https://receiver.example/events?key=hidden';
  const json = { url, description: 'Security team', actions: ['client', 'account.locked'] };
  const made = await tenant.send('admin-webhook-create', { bearer: ADMIN, json });
  story.show('A new webhook: its secret is shown once', 201);
  const segments = { id: String(made.json['id']) };
  const of = { bearer: ADMIN, segments };
  await tenant.send('admin-webhook-read', of);
  story.show('The webhook, without the query of its address', 200);
  await tenant.send('admin-webhook-list', { bearer: ADMIN });
  story.show('All webhooks', 200);
  await tenant.send('admin-webhook-change', {
    ...of,
    json: { events_max: 50 },
    contentType: 'application/merge-patch+json',
    headers: { 'if-match': made.headers['etag'] ?? '*' },
  });
  story.show('A change', 200);
  await tenant.send('admin-webhook-test', of);
  story.show('A test delivery: the name of the receiver is not known', 200);
  await tenant.send('admin-webhook-rotate', of);
  story.show('A new secret', 200);
  await tenant.send('admin-webhook-disable', of);
  story.show('Disabled', 200);
  await tenant.send('admin-webhook-enable', { ...of, query: 'from=now' });
  story.show('Enabled from now on', 200);
  await tenant.send('admin-webhook-delivery-list', of);
  story.show('No delivery waits or has failed', 200);
  await tenant.send('admin-webhook-delivery-redeliver', {
    ...of,
    segments: { ...segments, delivery: '1-2' },
  });
  story.show('No such delivery to try again', 404);
  await tenant.send('admin-webhook-delivery-drop', { ...of, segments: { ...segments, delivery: '1-2' } });
  story.show('No such delivery to drop', 404);
  await tenant.send('admin-webhook-redeliver', of);
  story.show('All failed deliveries are tried again', 200);
  await tenant.send('admin-webhook-drop', of);
  story.show('All failed deliveries are dropped', 200);
  await tenant.send('admin-webhook-delete', { ...of, headers: { 'if-match': '*' } });
  story.show('The webhook is deleted', 204);
  return story;
};

/** The audit, streams of events and webhooks in the administration API. */
const revocationFeed: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const basic = await aResourceServer(tenant);
  endingStreams(tenant, 'revocationStreams');
  await tenant.send('revocation-feed', { basic });
  story.show('A resource server begins to follow, until the server stops', 200);
  await tenant.send('revocation-feed', { basic: [basic[0], 'wrong'] });
  story.show('A wrong secret', 401);
  return story;
};

export const EVENT_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-audit': [audit],
  'admin-webhooks': [webhooks],
  'revocation-feed': [revocationFeed],
};
