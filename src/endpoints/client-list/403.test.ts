import { test } from 'node:test';
import { assertMissingScopes } from '../../testing/exchange.ts';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

test('GET /clients with a registration token: 403 insufficient_scope (decision 6)', async () => {
  const tenant = testTenant();
  const { registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  assertMissingScopes(await tenant.send('client-list', { bearer }), 'client-reg');
});

test('GET /clients with an access token, even of client-reg: 403 insufficient_scope (decision 6)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  for (const bearer of [
    await tenant.initialToken('client-reg'),
    await tenant.authorize({ client_id, scope: ['x'] }),
  ]) {
    assertMissingScopes(await tenant.send('client-list', { bearer }), 'client-reg');
  }
});

for (const bearer of [undefined, MASTER, 'nobody']) {
  test(`GET /clients where no master token is configured, with ${bearer ?? 'no token'}: 403 (decision 5)`, async () => {
    const tenant = testTenant({ settings: { 'registration.master-token-sha256': [] } });
    assertMissingScopes(
      await tenant.send('client-list', bearer === undefined ? {} : { bearer }),
      'client-reg',
    );
  });
}
