import { aReceiver, aSessionOf, ENDPOINT_URL, endOf, PUSH } from '../../src/testing/signals.ts';
import { ADMIN, ISSUER, masterToken } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const ON = { 'signals.enabled': true } as const;
const SESSION_REVOKED = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked';

const configuration: Story = async () => {
  const story = storyTenant(ON);
  await story.tenant.send('signals-configuration');
  story.show('The metadata of the transmitter', 200);
  return story;
};

const streams: Story = async () => {
  const story = storyTenant(ON);
  const { tenant, show } = story;
  const receiver = await aReceiver(tenant);
  const delivery = { ...PUSH, authorization_header: 'Bearer of-the-receiver' };
  const stream_id = await receiver.stream({ delivery, events_requested: [SESSION_REVOKED] });
  show('A stream that is pushed', 201);
  await receiver.stream({ description: 'For the back end' });
  show('A stream that the client polls', 201);
  await receiver.send('event-stream-read', { query: `stream_id=${stream_id}` });
  show('One stream', 200);
  await receiver.send('event-stream-update', { json: { stream_id, description: 'For the front end' } });
  show('A change', 200);
  await receiver.send('event-stream-replace', {
    json: { stream_id, delivery: { ...PUSH, endpoint_url: `${ENDPOINT_URL}/new` } },
  });
  show('A replacement: the description goes', 200);
  await receiver.send('event-stream-delete', { query: `stream_id=${stream_id}` });
  show('A deletion', 204);
  await tenant.send('event-stream-read', { bearer: 'not-a-token' });
  show('Without a valid token', 401);
  return story;
};

const status: Story = async () => {
  const story = storyTenant(ON);
  const receiver = await aReceiver(story.tenant);
  const stream_id = await receiver.stream();
  await receiver.send('event-stream-status-update', {
    json: { stream_id, status: 'paused', reason: 'maintenance' },
  });
  story.show('A pause: the server holds the events', 200);
  await receiver.send('event-stream-status-read', { query: `stream_id=${stream_id}` });
  story.show('The status', 200);
  return story;
};

const subjects: Story = async () => {
  const story = storyTenant(ON);
  const receiver = await aReceiver(story.tenant);
  const json = {
    stream_id: await receiver.stream(),
    subject: { format: 'iss_sub', iss: ISSUER, sub: 'ada' },
  };
  await receiver.send('event-stream-subject-remove', { json });
  story.show('No more events about a person', 204);
  await receiver.send('event-stream-subject-add', { json });
  story.show('They come again', 200);
  return story;
};

const verification: Story = async () => {
  const story = storyTenant(ON);
  const receiver = await aReceiver(story.tenant);
  const json = { stream_id: await receiver.stream(), state: 'VGhpcyBpcyBhIHN0YXRl' };
  await receiver.send('event-stream-verification', { json });
  story.show('A wish for a verification', 204);
  await receiver.send('event-stream-verification', { json });
  story.show('Too soon', 429);
  return story;
};

const poll: Story = async () => {
  const story = storyTenant(ON);
  const { tenant } = story;
  const receiver = await aReceiver(tenant);
  const stream_id = await receiver.stream();
  await endOf(tenant, await aSessionOf(tenant, 'ada', receiver));
  await receiver.poll(stream_id, { maxEvents: 10 });
  story.show('One event waits', 200);
  await receiver.poll(stream_id, { maxEvents: 10, ack: [`${stream_id}.1`] });
  story.show('It is acknowledged, and none waits', 200);
  return story;
};

const operated: Story = async () => {
  const story = storyTenant(ON);
  const { tenant, show } = story;
  const receiver = await aReceiver(tenant);
  const id = await receiver.stream();
  const of = { bearer: ADMIN, segments: { id } };
  await tenant.send('admin-event-stream-list', { bearer: ADMIN });
  show('The streams of all clients', 200);
  await tenant.send('admin-event-stream-read', of);
  show('One stream', 200);
  await tenant.send('admin-event-stream-pause', of);
  show('A pause, which its client is told', 200);
  await tenant.send('admin-event-stream-disable', of);
  show('Disabled', 200);
  await tenant.send('admin-event-stream-enable', of);
  show('Enabled', 200);
  await tenant.send('admin-event-stream-event-list', of);
  show('No event failed', 200);
  await tenant.send('admin-event-stream-redeliver', of);
  show('All failed events are tried again', 200);
  await tenant.send('admin-event-stream-drop', of);
  show('All failed events are dropped', 200);
  await tenant.send('admin-event-stream-delete', { ...of, headers: { 'if-match': '*' } });
  show('A deletion', 204);
  return story;
};

const revocation: Story = async () => {
  const trusted = 'trusted-party-of-global-token-revocation-0123456789';
  const story = storyTenant({ ...ON, 'global-revocation.token-sha256': [masterToken(trusted)] });
  const { tenant, show } = story;
  await aSessionOf(tenant, 'ada', await aReceiver(tenant));
  const sub_id = { format: 'iss_sub', iss: ISSUER, sub: 'ada' };
  const name = 'global-token-revocation';
  await tenant.send(name, { bearer: trusted, json: { sub_id } });
  show('Everything of a person ends', 204);
  await tenant.send(name, { bearer: trusted, json: { sub_id: { ...sub_id, sub: 'nothing' } } });
  show('A person that the server does not know', 404);
  return story;
};

export const SIGNAL_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'signals-configuration': [configuration],
  'event-streams': [streams],
  'event-stream-status': [status],
  'event-stream-subjects': [subjects],
  'event-stream-verification': [verification],
  'event-stream-poll': [poll],
  'admin-event-streams': [operated],
  'global-token-revocation': [revocation],
};
