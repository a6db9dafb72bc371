import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { SERVICE, testTenant } from '../../testing/tenant.ts';

for (const verb of ['clients.find', 'accessTokens.find', 'accessTokens.revoke']) {
  // proves rfc7009-5-1
  test(`POST /token/revoke, ${verb} fails: 500 without body, never 200, and only the report has the cause (RFC 7009 §2.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(SERVICE);
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(
      await tenant.send('revocation', { basic: [client_id, client_secret], form: { token } }),
      500,
    );
    assert.deepEqual(tenant.reports, [cause]);
  });
}
