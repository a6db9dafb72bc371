import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { START, type TestTenant, testTenant } from '../../testing/tenant.ts';
import { endExpiredClients } from './prune-clients.ts';

const GRANT = { grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_basic' };

/** A client as a federation registers it, which lives for `seconds`. */
async function expiring(tenant: TestTenant, seconds: number) {
  const made = await tenant.register(GRANT);
  const stored = (await tenant.storage.clients.find(made.client_id as ClientId)) as StoredClient;
  const changed = { ...stored, version: 2, expires_at: START + seconds, registered_via: 'federation:x' };
  await tenant.storage.clients.replace(changed, 1);
  return { ...made, stored: changed };
}

const tokenOf = async (
  tenant: TestTenant,
  { client_id, client_secret }: Awaited<ReturnType<typeof expiring>>,
) =>
  await tenant.send('token', {
    basic: [client_id, client_secret],
    form: { grant_type: 'client_credentials' },
  });

// proves openid-federation-12.3-1
test('a token lives no longer than the registration of its client (OpenID Federation 1.0 §12.3)', async () => {
  const tenant = testTenant();
  const client = await expiring(tenant, 90);
  tenant.clock.advance(30);
  const { json } = await tokenOf(tenant, client);
  assert.equal(json['expires_in'], 60);
  assert.equal((await tenant.introspect(String(json['access_token'])))['exp'], START + 90);
  tenant.clock.advance(60);
  assert.deepEqual(await tenant.introspect(String(json['access_token'])), { active: false });
});

// proves openid-federation-12.3-1
test('an expired client cannot authenticate, read itself or use tokens, even before it is deleted (H-217)', async () => {
  const tenant = testTenant();
  const client = await expiring(tenant, 90);
  assert.equal((await tokenOf(tenant, client)).status, 200);
  tenant.clock.advance(90);
  const { status, json } = await tokenOf(tenant, client);
  assert.deepEqual([status, json['error']], [401, 'invalid_client']);
  const read = await tenant.send('client-read', {
    id: client.client_id,
    bearer: client.registration_access_token,
  });
  assert.equal(read.status, 401);
  const direct = await tenant.send('direct-authorization', {
    bearer: 'master-token-of-direct-authorisation-012345678',
    json: { sub: 'alice', client_id: client.client_id, scope: ['read'] },
  });
  assert.equal(direct.status, 400);
  assert.notEqual(await tenant.storage.clients.find(client.client_id as ClientId), undefined);
});

// proves openid-federation-12.3-1
test('the sweep deletes exactly the expired clients, each with an event; a client renewed meanwhile stays', async () => {
  const tenant = testTenant();
  const gone = await expiring(tenant, 10);
  const renewed = await expiring(tenant, 20);
  const alive = await expiring(tenant, 31);
  const forever = await tenant.register(GRANT);
  tenant.clock.advance(30);
  tenant.watch.before('clients.delete', async () => {
    const later = { ...renewed.stored, version: 3, expires_at: START + 1000 };
    await tenant.unwatched.clients.replace(later, 2);
  });
  assert.deepEqual(await endExpiredClients(await tenant.registry(), 0), [gone.client_id]);
  const left = (await tenant.storage.clients.page(undefined, 10)).map(({ client_id }) => client_id);
  assert.deepEqual(left, [renewed, alive, forever].map(({ client_id }) => client_id).toSorted());
  const events = (await tenant.storage.audit.page(0, 100)).filter(({ action }) => action === 'client.expire');
  assert.deepEqual(
    events.map(({ actor, client_id, outcome }) => [actor, client_id, outcome]),
    [['server', gone.client_id, 'done']],
  );
  assert.deepEqual(await endExpiredClients(await tenant.registry(), 0), []);
});

test('hundreds of expired clients are deleted, page by page', async () => {
  const tenant = testTenant();
  const one = await expiring(tenant, 0);
  for (let index = 0; index < 230; index += 1) {
    const other = { ...one.stored, client_id: `c${index}` as ClientId };
    await tenant.storage.clients.create(other, {
      reuseDeletedId: false,
      now: START,
      event: {
        at: START,
        action: 'client.create',
        outcome: 'done',
        actor: 'x',
        client_id: null,
        request_id: 'x',
        detail: null,
      },
    });
  }
  assert.equal((await endExpiredClients(await tenant.registry(), 0)).length, 231);
});

// proves openid-federation-12.2.3-2
test('the information of a client that expires has no registration token', async () => {
  const tenant = testTenant();
  const { client_id } = await expiring(tenant, 90);
  const read = await tenant.send('client-read', {
    id: client_id,
    bearer: 'master-token-of-the-client-registry-0123456789',
  });
  assert.equal(read.status, 200);
  assert.equal('registration_access_token' in read.json || 'registration_client_uri' in read.json, false);
});
