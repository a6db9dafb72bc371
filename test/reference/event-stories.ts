import { endingStreams } from '../../src/testing/event-reader.ts';
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

/** The audit, streams of events and webhooks in the administration API. */
export const EVENT_STORIES: Readonly<Record<string, readonly Story[]>> = { 'admin-audit': [audit] };
