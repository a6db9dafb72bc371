import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { digestOf } from '../../keys/digest.ts';
import { assertBusyForClientKeys } from '../../testing/busy-for-client-keys.ts';
import { assertBodiless, assertError } from '../../testing/exchange.ts';
import { aResourceServer, FeedReader } from '../../testing/feed-reader.ts';
import {
  ADMIN,
  INTROSPECTION_SCOPE,
  ISSUER,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

async function revokedToken(tenant: TestTenant): Promise<string> {
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  await tenant.send('revocation', { basic: [client_id, client_secret], form: { token } });
  return digestOf(token);
}

test('200: POST /token/revocations begins with the place of the newest change, and sends each end as a JWT of the server (ADR 93)', async () => {
  const tenant = testTenant();
  const before = await revokedToken(tenant);
  const reader = await FeedReader.open(tenant, { basic: await aResourceServer(tenant) });
  const first = await reader.claims();
  assert.deepEqual([first.iss, first.events], [ISSUER, []]);
  // The clock of the test goes on while it waits.
  assert.ok(first.iat >= START && first.iat <= tenant.clock.now());
  assert.equal(first.cursor, first.after);
  const ath = await revokedToken(tenant);
  const { text, id } = await reader.sentChange();
  const { json } = await tenant.send('jwk-set');
  const { payload, protectedHeader } = await jwtVerify(
    text,
    createLocalJWKSet(json as unknown as JSONWebKeySet),
    {
      issuer: ISSUER,
      typ: 'revocation-feed+jwt',
      currentDate: new Date(tenant.clock.now() * 1000),
    },
  );
  assert.equal(protectedHeader.alg, 'RS256');
  assert.deepEqual(payload['after'], first.cursor, 'each JWT names the place of the one before');
  assert.equal(payload['cursor'], id);
  const events = payload['events'] as readonly { readonly exp: number }[];
  assert.deepEqual(events, [{ type: 'token-ended', ath, exp: events[0]?.exp }]);
  assert.ok(Number(events[0]?.exp) > tenant.clock.now());
  assert.ok(!text.includes(before));
  await reader.leave();
});

test('200: a reader that comes back with its cursor, or as Last-Event-ID, loses nothing', async () => {
  const tenant = testTenant();
  const basic = await aResourceServer(tenant);
  const reader = await FeedReader.open(tenant, { basic });
  const { cursor } = await reader.claims();
  await reader.leave();
  const missed = [await revokedToken(tenant), await revokedToken(tenant)];
  for (const request of [{ form: { cursor } }, { headers: { 'last-event-id': cursor } }]) {
    const again = await FeedReader.open(tenant, { basic, ...request });
    assert.equal((await again.claims()).cursor, cursor);
    const ends = (await again.changes()).flatMap((event) =>
      event.type === 'token-ended' ? [event.ath] : [],
    );
    assert.deepEqual(ends, missed);
    await again.leave();
  }
});

test('200: a cursor of nothing, of the audit or ahead of the newest change begins with a reset (H-643)', async () => {
  const tenant = testTenant();
  const basic = await aResourceServer(tenant);
  await revokedToken(tenant);
  const head = await tenant.unwatched.journal.head();
  const { json } = await tenant.send('admin-audit-list', { bearer: ADMIN });
  const ofAudit = (json['items'] as readonly { readonly id: string }[])[0]?.id ?? assert.fail();
  const reader = await FeedReader.open(tenant, { basic });
  const { cursor } = await reader.claims();
  const ahead = cursor.replace(/^\d+/u, String(head + 1));
  for (const lost of ['0', 'nothing', '-1', ofAudit, ahead, `${'9'.repeat(400)}-AAAAAAAA`]) {
    const again = await FeedReader.open(tenant, { basic, form: { cursor: lost } });
    const first = await again.claims();
    assert.deepEqual([first.reset, first.cursor, first.events], [true, cursor, []], lost);
    await again.leave();
  }
  await reader.leave();
});

test('200: while nothing changes the feed repeats its place every revocation-feed.heartbeat seconds, with the time', async () => {
  const tenant = testTenant({ settings: { 'revocation-feed.heartbeat': 7 } });
  const reader = await FeedReader.open(tenant, { basic: await aResourceServer(tenant) });
  const first = await reader.claims();
  const second = await reader.claims();
  assert.deepEqual([second.cursor, second.events], [first.cursor, []]);
  assert.ok(second.iat - first.iat >= 7);
  await reader.leave();
});

test('200: a changed client is told, and a bearer token with the introspection scope opens the feed', async () => {
  const tenant = testTenant();
  const [client_id] = await aResourceServer(tenant);
  const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
  const reader = await FeedReader.open(tenant, { bearer, body: '', contentType: null });
  await reader.claims();
  const changed = await tenant.register(SERVICE);
  const { registration_access_token, client_id: id } = changed;
  await tenant.send('client-update', { bearer: registration_access_token, id, json: SERVICE });
  assert.deepEqual(await reader.changes(), [{ type: 'client-changed', client_id: id }]);
  await reader.leave();
});

test('400: a repeated parameter is refused once the caller is known; 401 without (decision 22)', async () => {
  const tenant = testTenant();
  const form = 'cursor=1&cursor=2';
  assertError(await tenant.send('revocation-feed', { form }), 'invalid_client');
  assertError(
    await tenant.send('revocation-feed', { form, basic: await aResourceServer(tenant) }),
    'invalid_request',
  );
});

test('401: a wrong secret, an unknown token and no credentials open nothing (H-640)', async () => {
  const tenant = testTenant();
  const [client_id] = await aResourceServer(tenant);
  for (const request of [{}, { basic: [client_id, 'x'] as const }, { bearer: 'x' }, { bearer: MASTER }])
    assertError(await tenant.send('revocation-feed', request), 'invalid_client');
});

test('403: a client or token without the introspection scope opens nothing (H-641)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: `${ISSUER}/token read` });
  const bearer = await tenant.authorize({ client_id, scope: ['read'] });
  for (const request of [{ basic: [client_id, client_secret] as const }, { bearer }])
    assertError(await tenant.send('revocation-feed', request), 'access_denied');
});

test('429: a client has a bounded number of streams; a place is free when its reader leaves, and others have their own (H-645)', async () => {
  const tenant = testTenant();
  const basic = await aResourceServer(tenant);
  const open = async (): Promise<FeedReader> => await FeedReader.open(tenant, { basic });
  const readers = [await open(), await open(), await open()];
  const refused = await tenant.send('revocation-feed', { basic });
  assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '5']);
  await (await FeedReader.open(tenant, { basic: await aResourceServer(tenant) })).leave();
  await readers[0]?.leave();
  await readers[0]?.leave();
  await (await open()).leave();
  const counted = tenant.platform.counted.filter(({ name }) => name.startsWith('chancery_revocation_feed'));
  assert.deepEqual(
    counted.map(({ labels }) => Object.values(labels)[0]),
    [
      'opened',
      'opened',
      'opened',
      'refused',
      'opened',
      'reader-left',
      'reader-left',
      'opened',
      'reader-left',
    ],
  );
});

test('a stream ends when its client changes or its token is revoked, when the process stops, and when its reader is slow (H-646)', async () => {
  const ended = async (act: (tenant: TestTenant, client_id: string) => unknown): Promise<unknown> => {
    const tenant = testTenant({ settings: { 'access-token.lifetime': 60 } });
    const basic = await aResourceServer(tenant);
    const reader = await FeedReader.open(tenant, { basic });
    await reader.claims();
    await act(tenant, basic[0]);
    return await reader.end();
  };
  const deleted = async (tenant: TestTenant, id: string): Promise<unknown> =>
    await tenant.send('client-delete', { bearer: MASTER, id });
  assert.equal(await ended(deleted), 'caller-changed');
  assert.equal(
    await ended(
      async (tenant, client_id) =>
        await tenant.send('admin-client-secret-create', {
          bearer: ADMIN,
          segments: { client_id },
          headers: { 'if-match': '*' },
          json: {},
        }),
    ),
    'caller-changed',
  );
  assert.equal(await ended((tenant) => tenant.platform.revocationStreams.stop()), 'server-stops');
  assert.equal(await ended((tenant) => tenant.clock.advance(31)), 'slow-reader');
});

test('a stream that a bearer token opened ends with the token', async () => {
  const tenant = testTenant({ settings: { 'access-token.lifetime': 5 } });
  const [client_id] = await aResourceServer(tenant);
  const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
  const reader = await FeedReader.open(tenant, { bearer });
  assert.equal(await reader.end(), 'caller-changed');
});

test('POST /token/revocations: 500 without body if the journal cannot be read, and an open stream says unavailable', async () => {
  const tenant = testTenant();
  const basic = await aResourceServer(tenant);
  const reader = await FeedReader.open(tenant, { basic });
  await reader.claims();
  tenant.watch.fail(new Error('gone'), 'journal.head');
  assert.equal(await reader.end(), 'unavailable');
  tenant.watch.fail(new Error('gone'), 'clients.find');
  assertBodiless(await tenant.send('revocation-feed', { basic }), 500);
});

test('POST /token/revocations: 503 with Retry-After while the server is too busy to fetch the keys of the client (decision 50)', async () => {
  await assertBusyForClientKeys('revocation-feed', {});
});

test('discovery names the feed, and revocation-feed.enabled=false takes it away', async () => {
  const named = async (enabled: boolean): Promise<unknown> => {
    const tenant = testTenant({ settings: { 'revocation-feed.enabled': enabled } });
    const site = await tenant.site();
    const stands = site.endpoints.some(({ contract: { name } }) => name === 'revocation-feed');
    const { json } = await tenant.send('openid-configuration');
    return [stands, json['chancery_revocation_feed_endpoint']];
  };
  assert.deepEqual(await named(true), [true, `${ISSUER}/token/revocations`]);
  assert.deepEqual(await named(false), [false, undefined]);
});
