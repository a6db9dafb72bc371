import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

test('PUT /clients/{id}, the store fails: 500 without body for both tokens, and only the report has the cause', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token } = await tenant.register(WEB_CLIENT);
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  for (const bearer of [MASTER, registration_access_token]) {
    assertBodiless(await tenant.send('client-update', { bearer, id: client_id, json: WEB_CLIENT }), 500);
  }
  assert.deepEqual(tenant.reports, [cause, cause]);
});

test('PUT that others forestall again and again is given up: 500, not an endless loop', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const forestall = async (): Promise<void> => {
    tenant.watch.before('clients.replace', forestall);
    const stored = (await tenant.unwatched.clients.page(undefined, 1))[0];
    assert.ok(stored !== undefined);
    await tenant.unwatched.clients.replace({ ...stored, version: stored.version + 1 }, stored.version);
  };
  tenant.watch.before('clients.replace', forestall);
  assertBodiless(
    await tenant.send('client-update', { bearer: MASTER, id: client_id, json: WEB_CLIENT }),
    500,
  );
});
