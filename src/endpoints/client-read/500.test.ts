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

test('GET of a client with an expired secret while storage cannot write: 500 without body, and the old state stays (C-32)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const { client_id, registration_access_token: bearer, client_secret } = await tenant.register(WEB_CLIENT);
  const before = await tenant.storage.clients.find(client_id as ClientId);
  tenant.clock.advance(100);
  tenant.watch.fail(new Error('the file system is read-only'), 'clients.replace');
  assertBodiless(await tenant.send('client-read', { bearer, id: client_id }), 500);
  tenant.watch.recover();
  assert.deepEqual(await tenant.storage.clients.find(client_id as ClientId), before);
  const { status, json } = await tenant.send('client-read', { bearer, id: client_id });
  assert.equal(status, 200);
  assert.notEqual(json['client_secret'], client_secret);
});
