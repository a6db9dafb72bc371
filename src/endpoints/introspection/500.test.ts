import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { INTROSPECTION_SCOPE, SERVICE, testTenant } from '../../testing/tenant.ts';

for (const verb of ['clients.find', 'accessTokens.find']) {
  test(`POST /token/introspect, ${verb} fails: 500 without body, never active false, and only the report has the cause (interface)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: INTROSPECTION_SCOPE });
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(
      await tenant.send('introspection', { basic: [client_id, client_secret], form: { token } }),
      500,
    );
    assert.deepEqual(tenant.reports, [cause]);
  });
}

test('POST /token/introspect, the look-up of the bearer token fails: 500, not 401', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
  tenant.watch.fail(new Error('gone'));
  assertBodiless(await tenant.send('introspection', { bearer, form: { token: 'x' } }), 500);
});
