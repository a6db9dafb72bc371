import { test } from 'node:test';
import { assertBearerNeeded, assertInvalidToken } from '../../testing/exchange.ts';
import { DEFAULTS, DIRECT, MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const json = { scope: ['client-reg'] };

test('POST /direct-authz/rest/v2 without credentials: 401 with the bare challenge, before the body is read', async () => {
  assertBearerNeeded(await testTenant().send('direct-authorization', { json }));
  assertBearerNeeded(await testTenant().send('direct-authorization', { body: '{', contentType: null }));
});

test('the master token of the client registry does not open it: 401 invalid_token (its own master tokens)', async () => {
  assertInvalidToken(await testTenant().send('direct-authorization', { bearer: MASTER, json }));
});

test('no token that the server issued opens it: 401 invalid_token', async () => {
  const tenant = testTenant();
  const { registration_access_token } = await tenant.register(WEB_CLIENT);
  for (const bearer of [
    await tenant.initialToken('client-reg'),
    registration_access_token,
    `${DIRECT}x`,
    'x'.repeat(DEFAULTS['limits.bearer-token'] + 1),
  ]) {
    assertInvalidToken(await tenant.send('direct-authorization', { bearer, json }));
  }
});

for (const authorization of ['Bearer', 'Basic YTpi', DIRECT, `Bearer ${DIRECT} `]) {
  test(`POST /direct-authz/rest/v2 with Authorization: ${authorization.slice(0, 20)}: 401 invalid_token`, async () => {
    assertInvalidToken(await testTenant().send('direct-authorization', { authorization, json }));
  });
}
