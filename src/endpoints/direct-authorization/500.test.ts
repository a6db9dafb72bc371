import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { DIRECT, SERVICE, testTenant } from '../../testing/tenant.ts';

for (const verb of ['clients.find', 'accessTokens.issue', 'accessTokens.issueInitial']) {
  test(`POST /direct-authz/rest/v2, ${verb} fails: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(SERVICE);
    const scope = verb === 'accessTokens.issueInitial' ? ['client-reg'] : ['read'];
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(
      await tenant.send('direct-authorization', { bearer: DIRECT, json: { client_id, scope } }),
      500,
    );
    assert.deepEqual(tenant.reports, [cause]);
  });
}
