import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBearerNeeded, assertInvalidToken } from '../test-exchange.ts';
import { DIRECT, MASTER, testTenant, WEB_CLIENT } from '../test-tenant.ts';
import { LIFETIMES } from '../test-token-settings.ts';

test('PUT /clients/{id} without credentials: 401 with the bare challenge, open mode or not (decision 6)', async () => {
  for (const allowOpenRegistration of [true, false]) {
    const tenant = testTenant({ settings: { allowOpenRegistration } });
    const { client_id } = await tenant.register(WEB_CLIENT);
    assertBearerNeeded(await tenant.send('update', { id: client_id, json: WEB_CLIENT }));
  }
});

test('PUT with the registration token of another client: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const [one, other] = [await tenant.register(WEB_CLIENT), await tenant.register(WEB_CLIENT)];
  assertInvalidToken(
    await tenant.send('update', {
      bearer: other.registration_access_token,
      id: one.client_id,
      json: WEB_CLIENT,
    }),
  );
});

test('PUT with a registration token for an id that does not exist: 401, not 404 (interface, Errors, rule 2)', async () => {
  const tenant = testTenant();
  const { registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  assertInvalidToken(await tenant.send('update', { bearer, id: 'nobody', json: WEB_CLIENT }));
});

test('PUT with the registration token of a deleted client: 401 invalid_token (decisions 6 and 14)', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  await tenant.send('delete', { bearer, id: client_id });
  assertInvalidToken(await tenant.send('update', { bearer, id: client_id, json: WEB_CLIENT }));
});

for (const segment of ['%', '%zz', '%ff', 'a%00b', '%C3', 'x'.repeat(513), '%78'.repeat(600)]) {
  test(`PUT /clients/${segment.slice(0, 12)}, which is no id: 401 without the master token (decision 2)`, async () => {
    const tenant = testTenant();
    const { registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
    assertInvalidToken(await tenant.send('update', { bearer, segment, json: WEB_CLIENT }));
  });
}

for (const authorization of [
  'Bearer',
  'Basic YTpi',
  `Bearer ${DIRECT}`,
  `Bearer ${'a'.repeat(513)}`,
  MASTER,
]) {
  test(`PUT with Authorization: ${authorization.slice(0, 40)}: 401 invalid_token (decision 6)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(WEB_CLIENT);
    assertInvalidToken(await tenant.send('update', { authorization, id: client_id, json: WEB_CLIENT }));
  });
}

test('PUT with an expired access token: 401 invalid_token, though a live one is 403 (decision 6)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const bearer = await tenant.initialToken('client-reg');
  tenant.clock.advance(LIFETIMES.initialAccessToken);
  assertInvalidToken(await tenant.send('update', { bearer, id: client_id, json: WEB_CLIENT }));
});

test('a refused PUT changes nothing', async () => {
  const tenant = testTenant();
  const client = await tenant.register(WEB_CLIENT);
  await tenant.send('update', { id: client.client_id, json: WEB_CLIENT });
  await tenant.send('update', { bearer: 'nobody', id: client.client_id, json: WEB_CLIENT });
  const read = await tenant.send('read', { bearer: client.registration_access_token, id: client.client_id });
  assert.deepEqual(read.json, client.members);
});
