import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSERTING, asserted, claimsOf } from '../../testing/assertion.ts';
import { assertError } from '../../testing/exchange.ts';
import { INTROSPECTION_SCOPE, testTenant } from '../../testing/tenant.ts';

for (const [method, make] of Object.entries(ASSERTING)) {
  test(`introspection with ${method}: 200 for a client of the introspection scope, 403 for another (interface, Authentication 4; decision 21)`, async () => {
    const tenant = testTenant();
    const caller = await make(tenant, { scope: INTROSPECTION_SCOPE });
    const token = await tenant.authorize({ client_id: caller.client_id, scope: ['read'] });
    const inspect = (assertion: string) =>
      tenant.send('introspection', { form: asserted(assertion, { token }) });
    const active = await inspect(caller.sign(claimsOf(caller.client_id)));
    assert.equal(active.status, 200, active.body);
    assert.equal(active.json['active'], true);
    const unfit = await make(tenant, { scope: 'read' });
    assertError(await inspect(unfit.sign(claimsOf(unfit.client_id))), 'access_denied');
  });

  // proves rfc7523-3.2-1
  test(`introspection with ${method}: the client is authenticated before the form is read, a bad assertion is 401 (decision 22)`, async () => {
    const tenant = testTenant();
    const caller = await make(tenant, { scope: INTROSPECTION_SCOPE });
    const form = asserted(caller.sign(claimsOf(caller.client_id)));
    assertError(await tenant.send('introspection', { form }), 'invalid_request', /^token is missing$/);
    const bad = asserted(caller.sign(claimsOf(caller.client_id, { aud: INTROSPECTION_SCOPE })), {
      token: 'x',
    });
    tenant.watch.calls.length = 0;
    const refused = await tenant.send('introspection', { form: bad });
    assertError(refused, 'invalid_client');
    assert.equal(refused.headers['www-authenticate'], undefined);
    assert.deepEqual(tenant.watch.calls, ['clients.find']);
  });
}
