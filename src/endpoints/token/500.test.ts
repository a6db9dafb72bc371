import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { SERVICE, testTenant } from '../../testing/tenant.ts';

const form = { grant_type: 'client_credentials' };

for (const verb of ['clients.find', 'accessTokens.issue']) {
  test(`POST /token, ${verb} fails: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(SERVICE);
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(await tenant.send('token', { basic: [client_id, client_secret], form }), 500);
    assert.deepEqual(tenant.reports, [cause]);
  });
}
