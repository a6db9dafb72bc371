import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../ports/storage.ts';
import { aDevice, DEVICE_GRANT, TELEVISION } from '../../testing/device.ts';
import { ISSUER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

// proves rfc8628-3.1-1, rfc8628-3.2-1
test('POST /device_authorization answers 200 with both codes, the page, its address with the code, the lifetime and the interval (RFC 8628 §3.2)', async () => {
  const tenant = testTenant();
  const { begun, codes } = await aDevice(tenant, await tenant.register(TELEVISION));
  assert.equal(begun.status, 200, begun.body);
  const { device_code, user_code } = codes;
  assert.deepEqual(begun.json, {
    device_code,
    user_code,
    verification_uri: `${ISSUER}/device`,
    verification_uri_complete: `${ISSUER}/device?user_code=${user_code}`,
    expires_in: 600,
    interval: 5,
  });
  assert.equal(begun.headers['cache-control'], 'no-store');
});

test('400: a client that is not registered for the grant, a wrong scope, a wrong resource (RFC 8628 §3.1)', async () => {
  const tenant = testTenant();
  const television = await tenant.register(TELEVISION);
  const website = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const rows = [
    [website, {}, 'unauthorized_client'],
    [television, { scope: 'weather' }, 'invalid_scope'],
    [television, { scope: 'a  b' }, 'invalid_scope'],
    [television, { resource: 'relative' }, 'invalid_target'],
  ] as const;
  for (const [client, form, error] of rows) {
    const { begun } = await aDevice(tenant, client, form);
    assert.deepEqual([begun.status, begun.json['error']], [400, error], begun.body);
  }
});

test('401: an unknown client, and a confidential one that does not authenticate (RFC 8628 §3.1)', async () => {
  const tenant = testTenant();
  const { begun } = await aDevice(tenant, { client_id: 'nobody' });
  assert.equal(begun.status, 401);
  const { client_id, client_secret } = await tenant.register({
    ...TELEVISION,
    token_endpoint_auth_method: 'client_secret_basic',
  });
  assert.equal((await aDevice(tenant, { client_id })).begun.status, 401);
  const answer = await tenant.send('device-authorization', { basic: [client_id, client_secret], form: {} });
  assert.equal(answer.status, 200, answer.body);
});

test('requests of public clients are stored, so their networks have a limit: 429 (RFC 8628 §5.1)', async () => {
  const tenant = testTenant({ settings: { 'interaction.rate-per-network': 1 } });
  const client = await tenant.register(TELEVISION);
  assert.equal((await aDevice(tenant, client)).begun.status, 200);
  assert.equal((await aDevice(tenant, client)).begun.status, 429);
});

test('500: a storage that fails, without a body; one that takes no writes answers 503 (interface, Errors)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(TELEVISION);
  tenant.watch.begin();
  tenant.watch.fail(new Error('disk'), 'interactions.begin');
  const { begun } = await aDevice(tenant, client);
  assert.deepEqual([begun.status, begun.body], [500, '']);
  const stopped = new StorageUnavailable('the disk is full', { writesStopped: true });
  tenant.watch.fail(stopped, 'interactions.begin');
  const later = (await aDevice(tenant, client)).begun;
  assert.deepEqual([later.status, later.headers['retry-after']], [503, '60']);
});

// proves rfc8628-4-1
test('discovery names the endpoint and the grant, and neither where the settings leave the grant out (RFC 8628 §4)', async () => {
  const { json } = await testTenant().send('openid-configuration');
  assert.equal(json['device_authorization_endpoint'], `${ISSUER}/device_authorization`);
  assert.ok(Object(json['grant_types_supported']).includes(DEVICE_GRANT));
  const off = testTenant({ settings: { 'authorization.grant-types': ['authorization_code'] } });
  const without = (await off.send('openid-configuration')).json;
  assert.equal('device_authorization_endpoint' in without, false);
});
