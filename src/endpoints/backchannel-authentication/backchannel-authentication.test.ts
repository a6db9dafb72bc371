import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../ports/storage.ts';
import { askPerson, backchannelTenant, CIBA_GRANT, pinged, TILL } from '../../testing/backchannel.ts';
import { ADA } from '../../testing/end-users.ts';
import { aPerson } from '../../testing/person.ts';
import { ISSUER, MASTER, type TestTenant, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

type Form = Readonly<Record<string, string>>;

async function refusalOf(tenant: TestTenant, form: Form, metadata: object = TILL): Promise<unknown> {
  const { begun } = await askPerson(tenant, await tenant.register(metadata), form);
  return [begun.status, begun.json['error'] ?? begun.body];
}

// proves ciba-7.3-1, ciba-7.1-1
test('POST /backchannel_authentication answers 200 with the identifier, the lifetime and the interval (OpenID Connect CIBA Core 1.0 §7.3)', async () => {
  const tenant = backchannelTenant();
  await aPerson(tenant);
  const { begun, auth_req_id } = await askPerson(tenant, await tenant.register(TILL), {
    binding_message: 'Order 4711',
  });
  assert.equal(begun.status, 200, begun.body);
  assert.deepEqual(begun.json, { auth_req_id, expires_in: 120, interval: 5 });
  assert.match(auth_req_id, /^ciba_[A-Za-z0-9]{43}$/);
  assert.equal(begun.headers['cache-control'], 'no-store');
  const pushed = await askPerson(tenant, await tenant.register(pinged('push')), {
    client_notification_token: 'x'.repeat(20),
  });
  assert.equal('interval' in pushed.begun.json, false, 'tokens are pushed');
});

// proves ciba-7.1-2
test('the person has the time that the client asks for, up to the longest of the settings (OpenID Connect CIBA Core 1.0 §7.1)', async () => {
  const tenant = backchannelTenant();
  const till = await tenant.register(TILL);
  for (const [requested_expiry, expires_in] of [
    ['1', 30],
    ['30', 30],
    ['599', 599],
    ['99999', 600],
  ] as const)
    assert.equal(
      (await askPerson(tenant, till, { requested_expiry, login_hint: requested_expiry })).begun.json[
        'expires_in'
      ],
      expires_in,
    );
  for (const requested_expiry of ['0', '-5', '1.5', 'soon', '1e9'])
    assert.deepEqual(await refusalOf(tenant, { requested_expiry }), [400, 'invalid_request']);
});

// proves ciba-7.1-3, ciba-7.1-4, ciba-7.1-5, ciba-13-1, ciba-13-2
test('400 for a scope without openid, no hint or two, a hint token, a message that no page can show, a wrong notification token', async () => {
  const tenant = backchannelTenant();
  const token = { client_notification_token: 'a token' };
  const rows: readonly (readonly [Form, string, object?])[] = [
    [{ scope: 'pay' }, 'invalid_scope'],
    [{ scope: '' }, 'invalid_scope'],
    [{ login_hint: '' }, 'invalid_request'],
    [{ id_token_hint: 'x' }, 'invalid_request'],
    [{ login_hint: '', login_hint_token: 'x' }, 'invalid_request'],
    [{ login_hint: '', id_token_hint: 'x' }, 'unknown_user_id'],
    [{ binding_message: 'x'.repeat(101) }, 'invalid_binding_message'],
    [{ binding_message: 'pay\u202eyap' }, 'invalid_binding_message'],
    [{ binding_message: 'two\nlines' }, 'invalid_binding_message'],
    [{ resource: 'relative' }, 'invalid_target'],
    [{}, 'invalid_request', pinged('ping')],
    [token, 'invalid_request', pinged('ping')],
    [{ client_notification_token: 'x'.repeat(1025) }, 'invalid_request', pinged('push')],
  ];
  for (const [form, error, metadata] of rows)
    assert.deepEqual(await refusalOf(tenant, form, metadata), [400, error], JSON.stringify(form));
  assert.deepEqual(await refusalOf(tenant, {}, WEB_CLIENT), [400, 'unauthorized_client']);
});

test('401: an unknown client, and one that does not authenticate (OpenID Connect CIBA Core 1.0 §7.1)', async () => {
  const tenant = backchannelTenant();
  const { client_id } = await tenant.register(TILL);
  for (const id of ['unknown', client_id]) {
    const form = { client_id: id, scope: 'openid', login_hint: ADA.username };
    assert.equal((await tenant.send('backchannel-authentication', { form })).status, 401);
  }
});

// proves ciba-4-1, ciba-4-2
test('registration needs a delivery mode, an address for ping and push, and a client that authenticates (OpenID Connect CIBA Core 1.0 §4)', async () => {
  const tenant = backchannelTenant();
  const { backchannel_token_delivery_mode: _poll, ...without } = TILL;
  const rows: readonly object[] = [
    without,
    { ...TILL, backchannel_token_delivery_mode: 'ping' },
    { ...TILL, backchannel_token_delivery_mode: 'carrier' },
    { ...TILL, token_endpoint_auth_method: 'none' },
    { ...pinged('ping'), backchannel_client_notification_endpoint: 'http://till.example/ciba' },
    { ...pinged('push'), dpop_bound_access_tokens: true },
    { ...TILL, backchannel_authentication_request_signing_alg: 'none' },
  ];
  for (const metadata of rows) await assert.rejects(tenant.register(metadata), JSON.stringify(metadata));
  const json = {
    ...pinged('ping'),
    backchannel_authentication_request_signing_alg: 'ES256',
    backchannel_user_code_parameter: true,
  };
  const kept = (await tenant.send('client-registration', { bearer: MASTER, json })).json;
  assert.equal(kept['backchannel_authentication_request_signing_alg'], 'ES256');
  assert.equal('backchannel_user_code_parameter' in kept, false);
});

// proves ciba-4-3
test('discovery names endpoint, modes and algorithms, and neither where the settings leave it off: then registration drops the grant', async () => {
  const { json } = await backchannelTenant({ 'ciba.delivery-modes': ['poll'] }).send('openid-configuration');
  assert.equal(json['backchannel_authentication_endpoint'], `${ISSUER}/backchannel_authentication`);
  assert.deepEqual(json['backchannel_token_delivery_modes_supported'], ['poll']);
  assert.ok(
    Object(json['backchannel_authentication_request_signing_alg_values_supported']).includes('ES256'),
  );
  assert.equal(json['backchannel_user_code_parameter_supported'], false);
  assert.ok(Object(json['grant_types_supported']).includes(CIBA_GRANT));
  const off = testTenant();
  const without = (await off.send('openid-configuration')).json;
  const named = Object.keys(without).filter((name) => /^backchannel_(?!logout)/u.test(name));
  assert.deepEqual([named, Object(without['grant_types_supported']).includes(CIBA_GRANT)], [[], false]);
  const asked = { ...TILL, grant_types: [CIBA_GRANT, 'client_credentials'] };
  const registered = (await off.send('client-registration', { bearer: MASTER, json: asked })).json;
  assert.deepEqual(registered['grant_types'], ['client_credentials']);
  assert.equal('backchannel_token_delivery_mode' in registered, false);
});

test('H-723 a person is asked no more often with short requests: each counts for at least 30 seconds', async () => {
  const tenant = backchannelTenant();
  const till = await tenant.register(TILL);
  const statuses: number[] = [];
  for (let second = 0; second < 6; second += 1) {
    statuses.push((await askPerson(tenant, till, { requested_expiry: '1' })).begun.status);
    tenant.clock.advance(1);
  }
  assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429]);
});

// H-703
test('429: a person with three open requests is asked no more, and an unknown one looks the same', async () => {
  const tenant = backchannelTenant();
  await aPerson(tenant);
  for (const login_hint of [ADA.username, 'Nosuch']) {
    const till = await tenant.register(TILL);
    // All spellings of a name are one person, with an account or without.
    for (const spelling of [login_hint, login_hint.toUpperCase(), login_hint.toLowerCase()])
      assert.equal((await askPerson(tenant, till, { login_hint: spelling })).begun.status, 200);
    const { begun } = await askPerson(tenant, till, { login_hint });
    assert.deepEqual([begun.status, begun.headers['retry-after']], [429, '5'], login_hint);
  }
  tenant.clock.advance(120);
  assert.equal((await askPerson(tenant, await tenant.register(TILL))).begun.status, 200);
});

test('500: a storage that fails, without a body; one that takes no writes answers 503 (interface, Errors)', async () => {
  const tenant = backchannelTenant();
  const till = await tenant.register(TILL);
  tenant.watch.begin();
  tenant.watch.fail(new Error('disk'), 'backchannelRequests.begin');
  const { begun } = await askPerson(tenant, till);
  assert.deepEqual([begun.status, begun.body], [500, '']);
  const stopped = new StorageUnavailable('the disk is full', { writesStopped: true });
  tenant.watch.fail(stopped, 'backchannelRequests.begin');
  const later = (await askPerson(tenant, till)).begun;
  assert.deepEqual([later.status, later.headers['retry-after']], [503, '60']);
});
