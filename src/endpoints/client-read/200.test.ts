import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUncached } from '../../testing/exchange.ts';
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
test('GET /clients/{id} gives the very bytes of the registration, for both tokens (RFC 7592 §2.1; decision 16)', async () => {
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

test('an id that is a URL is decoded exactly once (decision 2)', async () => {
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

test('a secret is renewed from the second on in which it expires, and works until then (interface; decision 10)', async () => {
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
test('fifty parallel readers of an expired secret all get the same new one (decision 10)', async () => {
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

test('a public client has no secret to be renewed (decision 11)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 1 } });
  const created = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  tenant.clock.advance(1000);
  const read = await tenant.send('client-read', {
    bearer: created.registration_access_token,
    id: created.client_id,
  });
  assert.deepEqual(read.json, created.members);
});

test('the registration token of a client is not bound to the open mode it was made in', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const created = clientInformationOf(await tenant.send('client-registration', { json: WEB_CLIENT }));
  const read = await tenant.send('client-read', {
    bearer: created.registration_access_token,
    id: created.client_id,
  });
  assert.deepEqual(read.json, created.members);
});
