import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../spec/identifiers.ts';
import { testInsufficientScope, testNotFound, testUnauthorized } from '../../testing/client-refusals.ts';
import { assertBodiless, assertUncached } from '../../testing/exchange.ts';
import {
  clientInformationOf,
  ISSUER,
  MASTER,
  SERVICE,
  START,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

// proves rfc7592-2.1-4, rfc7592-3-3, openid-registration-4.3-1
test('200: GET /clients/{id} gives the very bytes of the registration, for both tokens (RFC 7592 §2.1; decision 16)', async () => {
  const tenant = testTenant();
  const created = await tenant.send('client-registration', {
    bearer: MASTER,
    json: { ...WEB_CLIENT, data: { a: [1] } },
  });
  const { client_id, registration_access_token } = clientInformationOf(created);
  for (const bearer of [MASTER, registration_access_token]) {
    const read = await tenant.send('client-read', { bearer, id: client_id });
    assert.equal(read.status, 200);
    assert.equal(read.body, created.body);
    assert.equal(read.headers['content-type'], 'application/json');
    assertUncached(read);
  }
  assert.equal(tenant.watch.calls.includes('clients.replace'), false);
});

test('200: an id that is a URL is decoded exactly once (decision 2)', async () => {
  const tenant = testTenant();
  const preferred_client_id = 'https://rp.example/a%2Fb';
  const client = await tenant.register({ ...WEB_CLIENT, preferred_client_id });
  const segment = 'https%3A%2F%2Frp.example%2Fa%252Fb';
  assert.equal(client.members['registration_client_uri'], `${ISSUER}/clients/${segment}`);
  for (const each of [segment, 'https:%2f%2Frp.example%2Fa%252Fb']) {
    const read = await tenant.send('client-read', { bearer: MASTER, segment: each });
    assert.equal(read.json['client_id'], preferred_client_id);
  }
  const twice = await tenant.send('client-read', {
    bearer: MASTER,
    segment: 'https%3A%2F%2Frp.example%2Fa%2Fb',
  });
  assert.equal(twice.status, 404);
});

test('200: a secret is renewed from the second on in which it expires, and works until then (interface; decision 10)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const created = await tenant.register(WEB_CLIENT);
  const read = async (): ReturnType<typeof tenant.send> =>
    await tenant.send('client-read', { bearer: created.registration_access_token, id: created.client_id });
  tenant.clock.advance(99);
  assert.equal((await read()).json['client_secret'], created.client_secret);
  tenant.clock.advance(1);
  const renewed = (await read()).json;
  assert.notEqual(renewed['client_secret'], created.client_secret);
  assert.match(String(renewed['client_secret']), /^[A-Za-z0-9]{43}$/);
  assert.equal(renewed['client_secret_expires_at'], START + 200);
  const { client_secret: _, client_secret_expires_at: __, ...others } = renewed;
  for (const [name, value] of Object.entries(others)) assert.deepEqual(value, created.members[name], name);
  assert.deepEqual((await read()).json, renewed);
});

// proves rfc7592-2.1-5
test('200: fifty parallel readers of an expired secret all get the same new one (decision 10)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const { client_id, client_secret, registration_access_token } = await tenant.register(SERVICE);
  tenant.clock.advance(100);
  const reads = await Promise.all(
    Array.from(
      { length: 50 },
      async (_, index) =>
        await tenant.send('client-read', {
          bearer: index % 2 === 0 ? MASTER : registration_access_token,
          id: client_id,
        }),
    ),
  );
  const bodies = new Set(reads.map(({ body }) => body));
  assert.equal(bodies.size, 1);
  assert.deepEqual(new Set(reads.map(({ status }) => status)), new Set([200]));
  const [answered] = reads;
  assert.ok(answered !== undefined);
  const renewed = clientInformationOf(answered).client_secret;
  assert.notEqual(renewed, client_secret);
  const form = { grant_type: 'client_credentials' };
  assert.equal((await tenant.send('token', { basic: [client_id, renewed], form })).status, 200);
  assert.equal((await tenant.send('token', { basic: [client_id, client_secret], form })).status, 401);
});

test('200: a public client has no secret to be renewed (decision 11)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 1 } });
  const created = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  tenant.clock.advance(1000);
  const read = await tenant.send('client-read', {
    bearer: created.registration_access_token,
    id: created.client_id,
  });
  assert.deepEqual(read.json, created.members);
});

test('200: the registration token of a client is not bound to the open mode it was made in', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const created = clientInformationOf(await tenant.send('client-registration', { json: WEB_CLIENT }));
  const read = await tenant.send('client-read', {
    bearer: created.registration_access_token,
    id: created.client_id,
  });
  assert.deepEqual(read.json, created.members);
});

testUnauthorized('read');

testInsufficientScope('read');

testNotFound('read');

test('GET /clients/{id}, the store fails: 500 without body for both tokens, and only the report has the cause', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token } = await tenant.register(WEB_CLIENT);
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  for (const bearer of [MASTER, registration_access_token]) {
    assertBodiless(await tenant.send('client-read', { bearer, id: client_id }), 500);
  }
  assert.deepEqual(tenant.reports, [cause, cause]);
});

test('GET of a record whose ciphertext was exchanged with another client’s: 500, and no secret is shown (decision 16)', async () => {
  const tenant = testTenant();
  const [one, other] = [await tenant.register(WEB_CLIENT), await tenant.register(WEB_CLIENT)];
  const stored = await tenant.storage.clients.find(one.client_id as ClientId);
  const foreign = await tenant.storage.clients.find(other.client_id as ClientId);
  assert.ok(stored !== undefined && foreign !== undefined);
  await tenant.storage.clients.replace({ ...stored, secrets: foreign.secrets }, stored.version);
  assertBodiless(await tenant.send('client-read', { bearer: MASTER, id: one.client_id }), 500);
});

test('GET of a client with an expired secret while storage cannot write: 500 without body, and the old state stays (C-32)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const { client_id, registration_access_token: bearer, client_secret } = await tenant.register(WEB_CLIENT);
  const before = await tenant.storage.clients.find(client_id as ClientId);
  tenant.clock.advance(100);
  tenant.watch.fail(new Error('the file system is read-only'), 'clients.replace');
  assertBodiless(await tenant.send('client-read', { bearer, id: client_id }), 500);
  tenant.watch.recover();
  assert.deepEqual(await tenant.storage.clients.find(client_id as ClientId), before);
  const { status, json } = await tenant.send('client-read', { bearer, id: client_id });
  assert.equal(status, 200);
  assert.notEqual(json['client_secret'], client_secret);
});
