import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, type TestRequest } from '../../testing/exchange.ts';
import { SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const NOBODY: readonly (readonly [who: string, request: TestRequest])[] = [
  ['nobody', {}],
  ['an unknown client', { basic: ['nobody', 'x'] }],
  ['an unknown public client', { form: { client_id: 'nobody' } }],
  ['a bearer token', { bearer: 'x' }],
  ['an empty header', { authorization: '' }],
];

for (const [who, request] of NOBODY) {
  // proves rfc7009-2.1-2
  test(`POST /token/revoke by ${who}: 401 invalid_client, before the token is looked at (RFC 7009 §2.1)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(SERVICE);
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    const { form = {} } = request;
    assert.ok(typeof form === 'object');
    assertError(await tenant.send('revocation', { ...request, form: { ...form, token } }), 'invalid_client');
    assert.equal((await tenant.introspect(token))['active'], true);
  });
}

// proves rfc6749-3.2.1-2, rfc7009-2.1-2
test('a confidential client that only says who it is: 401 invalid_client, whatever its method', async () => {
  const tenant = testTenant();
  for (const token_endpoint_auth_method of [
    'client_secret_basic',
    'client_secret_post',
    'client_secret_jwt',
  ]) {
    const { client_id } = await tenant.register({ ...SERVICE, token_endpoint_auth_method });
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    assertError(await tenant.send('revocation', { form: { client_id, token } }), 'invalid_client');
    assert.equal((await tenant.introspect(token))['active'], true);
  }
});

// proves rfc6749-3.2.1-2
test('a public client with a secret that it does not have: 401 invalid_client', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  for (const request of [
    { form: { client_id, client_secret: 'x', token } },
    { basic: [client_id, 'x'], form: { token } },
    { basic: [client_id, ''], form: { token } },
  ] as const) {
    assertError(await tenant.send('revocation', request), 'invalid_client');
  }
  assert.equal((await tenant.introspect(token))['active'], true);
});

test('a public client opens neither introspection nor a grant that it is not registered for', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const form = { client_id, token: 'x' };
  assertError(await tenant.send('introspection', { form }), 'invalid_client');
  const grant = { client_id, grant_type: 'client_credentials' };
  assertError(await tenant.send('token', { form: grant }), 'unauthorized_client');
});
