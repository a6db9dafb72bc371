import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientInstance } from '../spec/identifiers.ts';
import { ISSUER, type TestLogout, testLogout } from '../testing/logout.ts';
import { EVENT } from '../testing/storage/stored-examples.ts';
import { type FrontChannelLogout, frontChannelLogout, unreachableClients } from './front-channel-logout.ts';

const ISS = encodeURIComponent(ISSUER);

const framed = (name: string, more: object = {}): object => ({
  frontchannel_logout_uri: `https://${name}.example/out`,
  backchannel_logout_uri: undefined,
  ...more,
});

const needsOf = ({ endUsers }: TestLogout, framesMax = 20) => ({
  clients: endUsers.storage.clients,
  issuer: ISSUER,
  settings: { 'logout.frames-max': framesMax },
});

/** Begins and ends a session that these clients take part in, one second after the other. */
async function ended(logout: TestLogout, clients: readonly StoredClient[]) {
  const { session } = await logout.signedIn();
  const { sessions } = logout.endUsers.storage;
  for (const [index, client] of clients.entries())
    await sessions.addClient(session.sid, client, session.created_at + index);
  const over = await sessions.end(session.key);
  assert.ok(over !== undefined);
  return over;
}

const hosts = ({ frames }: FrontChannelLogout): readonly string[] =>
  frames.map((frame) => new URL(frame).hostname);

// proves openid-frontchannel-logout-2-2, openid-frontchannel-logout-2-3
test('each client of the session that registered an address gets a frame with iss and sid, and its query is kept (OpenID Connect Front-Channel Logout 1.0 §2)', async () => {
  const logout = await testLogout();
  const [one, two, silent] = [
    await logout.client(framed('one')),
    await logout.client(framed('two', { frontchannel_logout_uri: 'https://two.example/out?logout=get' })),
    await logout.client(),
  ];
  const session = await ended(logout, [one, two, silent]);
  const { frames, alsoNotified, leftOut } = await frontChannelLogout(needsOf(logout), session, undefined);
  assert.deepEqual(frames, [
    `https://two.example/out?logout=get&iss=${ISS}&sid=${session.sid}`,
    `https://one.example/out?iss=${ISS}&sid=${session.sid}`,
  ]);
  assert.deepEqual([alsoNotified, leftOut], [[], []]);
});

test('a client that took part under another name of the tenant is told that name as iss', async () => {
  const logout = await testLogout();
  const client = await logout.client(framed('one'));
  const session = await ended(logout, [{ ...client, issuer: 'https://alias.example' } as StoredClient]);
  const { frames } = await frontChannelLogout(needsOf(logout), session, undefined);
  assert.equal(new URL(frames[0] ?? '').searchParams.get('iss'), 'https://alias.example');
});

test('H-342: logout.frames-max bounds the frames; the sender comes first, then the latest use; the others are named', async () => {
  const logout = await testLogout();
  const names = ['a', 'b', 'c', 'd'];
  const clients = await Promise.all(names.map(async (name) => await logout.client(framed(name))));
  const session = await ended(logout, clients);
  const result = await frontChannelLogout(needsOf(logout, 3), session, clients[1]?.client_id);
  assert.deepEqual(hosts(result), ['b.example', 'd.example', 'c.example']);
  assert.deepEqual(result.leftOut, [clients[0]?.client_id]);
  const off = await frontChannelLogout(needsOf(logout, 0), session, undefined);
  assert.deepEqual(off, { frames: [], alsoNotified: [], leftOut: [] });
});

test('H-343: a client that was deleted, or registered again under its identifier, gets no frame', async () => {
  const logout = await testLogout();
  const [deleted, renewed] = [await logout.client(framed('a')), await logout.client(framed('b'))];
  const session = await ended(logout, [deleted, { ...renewed, instance: 'other' as ClientInstance }]);
  await logout.endUsers.storage.clients.delete(deleted, EVENT);
  const { frames } = await frontChannelLogout(needsOf(logout), session, deleted.client_id);
  assert.deepEqual(frames, []);
});

test('a client with both kinds of address is named, so that its notification goes first; without a browser it alone is reached', async () => {
  const logout = await testLogout();
  const both = await logout.client(
    framed('both', { backchannel_logout_uri: 'https://both.example/back-channel' }),
  );
  const front = await logout.client(framed('front'));
  const session = await ended(logout, [both, front, await logout.client()]);
  const { frames, alsoNotified } = await frontChannelLogout(needsOf(logout), session, undefined);
  assert.equal(frames.length, 2);
  assert.deepEqual(alsoNotified, [both.client_id]);
  assert.deepEqual(await unreachableClients(needsOf(logout), session), [front.client_id]);
});
