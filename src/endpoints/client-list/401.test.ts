import { test } from 'node:test';
import { assertBearerNeeded, assertInvalidToken } from '../../testing/exchange.ts';
import { DEFAULTS, DIRECT, MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

test('GET /clients without credentials: 401 with the bare challenge, open mode or not (decision 6)', async () => {
  for (const allowOpenRegistration of [true, false]) {
    assertBearerNeeded(
      await testTenant({ settings: { 'registration.allow-open-registration': allowOpenRegistration } }).send(
        'client-list',
      ),
    );
  }
});

for (const authorization of [
  'Bearer',
  'Bearer nobody',
  `Bearer ${DIRECT}`,
  `Bearer ${MASTER}x`,
  `Basic ${MASTER}`,
]) {
  test(`GET /clients with Authorization: ${authorization.slice(0, 30)}: 401 invalid_token (decision 6)`, async () => {
    assertInvalidToken(await testTenant().send('client-list', { authorization }));
  });
}

test('GET /clients with an expired access token: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.clock.advance(DEFAULTS['initial-access-token.lifetime']);
  assertInvalidToken(await tenant.send('client-list', { bearer }));
});

test('GET /clients with the registration token of a deleted client: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const { client_id: id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  await tenant.send('client-delete', { bearer, id });
  assertInvalidToken(await tenant.send('client-list', { bearer }));
});
