import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../spec/identifiers.ts';
import { assertBodiless } from '../../testing/exchange.ts';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

test('GET /clients/{id}, the store fails: 500 without body for both tokens, and only the report has the cause', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token } = await tenant.register(WEB_CLIENT);
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  for (const bearer of [MASTER, registration_access_token]) {
    assertBodiless(await tenant.send('client-read', { bearer, id: client_id }), 500);
  }
  assert.deepEqual(tenant.reports, [cause, cause]);
});

test('GET of a record whose ciphertext was exchanged with another client’s: 500, and no secret is shown (decision 16)', async () => {
  const tenant = testTenant();
  const [one, other] = [await tenant.register(WEB_CLIENT), await tenant.register(WEB_CLIENT)];
  const stored = await tenant.storage.clients.find(one.client_id as ClientId);
  const foreign = await tenant.storage.clients.find(other.client_id as ClientId);
  assert.ok(stored !== undefined && foreign !== undefined);
  await tenant.storage.clients.replace({ ...stored, secrets: foreign.secrets }, stored.version);
  assertBodiless(await tenant.send('client-read', { bearer: MASTER, id: one.client_id }), 500);
});
