import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

test('DELETE /clients/{id}, the store fails: 500 without body for both tokens, and only the report has the cause', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token } = await tenant.register(WEB_CLIENT);
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  for (const bearer of [MASTER, registration_access_token]) {
    assertBodiless(await tenant.send('client-delete', { bearer, id: client_id }), 500);
  }
  assert.deepEqual(tenant.reports, [cause, cause]);
});
