import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { assertBodiless, assertError } from '../../testing/exchange.ts';
import {
  DEFAULTS,
  DIRECT,
  ISSUER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

const REFRESHING = { ...WEB_CLIENT, grant_types: ['authorization_code', 'refresh_token'] };

async function authorized(tenant: TestTenant, request: object): Promise<Readonly<Record<string, unknown>>> {
  const { client_id } = await tenant.register(REFRESHING);
  const json = { client_id, sub: 'alice', scope: ['read'], ...request };
  const answered = await tenant.send('direct-authorization', { bearer: DIRECT, json });
  assert.equal(answered.status, 200, answered.body);
  return answered.json;
}

// proves rfc9068-2.2-1
test('access_token.encoding SELF_CONTAINED: a JWT with everything that was asked for, and the same at introspection (RFC 9068 §2.2)', async () => {
  const tenant = testTenant();
  const data = { roles: ['admin'] };
  const claims = { claims: ['name'], claims_data: { name: 'Alice' } };
  const answered = await authorized(tenant, {
    access_token: { encoding: 'SELF_CONTAINED', lifetime: 30, audience: ['https://rs.example'] },
    username: 'al',
    data,
    ...claims,
  });
  const token = String(answered['access_token']);
  const { jti, client_id, ...rest } = decodeJwt(token);
  const said = { iss: ISSUER, sub: 'alice', exp: START + 30, iat: START, scope: 'read', dat: data };
  const clm = { clm: ['name'], cld: { name: 'Alice' } };
  assert.deepEqual(rest, { ...said, ...clm, aud: 'https://rs.example' });
  assert.deepEqual(await tenant.introspect(token), {
    ...said,
    ...clm,
    active: true,
    token_type: 'Bearer',
    username: 'al',
    aud: ['https://rs.example'],
    jti,
    client_id,
  });
});

// proves rfc8707-2-5, rfc9068-3-1
test('resources are the audience, and without any it is that of the client’s registration', async () => {
  const tenant = testTenant();
  const answered = await authorized(tenant, { resources: ['https://a.example', 'urn:b'] });
  const { aud } = await tenant.introspect(String(answered['access_token']));
  assert.deepEqual(aud, ['https://a.example', 'urn:b']);
  const { client_id } = await tenant.register({ ...SERVICE, chancery_access_token_audience: ['urn:own'] });
  const own = await tenant.introspect(await tenant.authorize({ client_id, scope: ['read'] }));
  assert.deepEqual(own['aud'], ['urn:own']);
});

test('without refresh_token and long_lived no grant is made: the token stands alone', async () => {
  for (const request of [
    {},
    { refresh_token: { issue: false, lifetime: 60 } },
    { id_token: { issue: false } },
  ]) {
    const tenant = testTenant();
    const answered = await authorized(tenant, request);
    assert.deepEqual(Object.keys(answered), ['access_token', 'token_type', 'expires_in', 'scope']);
    assert.equal(tenant.watch.calls.includes('grants.create'), false);
  }
});

test('refresh_token.issue: a refresh token, and when it expires (RFC 6749 §5.1)', async () => {
  const tenant = testTenant({ settings: { 'refresh-token.lifetime-max': 0 } });
  const rows: readonly (readonly [wishes: object, expires: number | undefined])[] = [
    [{}, DEFAULTS['refresh-token.lifetime']],
    [{ lifetime: 60 }, 60],
    [{ lifetime: 60, max_idle: 30 }, 30],
    [{ lifetime: 60, max_idle: 90 }, 60],
    [{ lifetime: 0 }, undefined],
    [{ lifetime: 0, max_idle: 90 }, 90],
  ];
  for (const [wishes, expires] of rows) {
    const answered = await authorized(tenant, { refresh_token: { issue: true, ...wishes } });
    assert.match(String(answered['refresh_token']), /^[0-9A-Za-z]{70}\.[A-Za-z0-9_-]{22}$/);
    assert.equal(answered['refresh_token_expires_in'], expires, JSON.stringify(wishes));
  }
});

test('long_lived without a refresh token: a grant that ends its token', async () => {
  const tenant = testTenant();
  const answered = await authorized(tenant, { long_lived: true });
  assert.equal('refresh_token' in answered, false);
  const token = String(answered['access_token']);
  assert.equal((await tenant.introspect(token))['active'], true);
  assert.equal(await tenant.storage.grants.endAllOf('alice'), 1);
  assert.deepEqual(await tenant.introspect(token), { active: false });
});

test('id_token.issue: an ID token for the client, bound to the access token (OpenID Connect Core 1.0 §2)', async () => {
  const tenant = testTenant();
  const claims = { claims: ['name', 'email'], claims_data: { name: 'Alice' } };
  const answered = await authorized(tenant, { id_token: { issue: true, lifetime: 60 }, ...claims });
  const { aud, at_hash, ...rest } = decodeJwt(String(answered['id_token']));
  assert.equal(typeof at_hash, 'string');
  const { client_id } = await tenant.introspect(String(answered['access_token']));
  assert.equal(aud, client_id);
  assert.deepEqual(rest, { iss: ISSUER, sub: 'alice', iat: START, exp: START + 60, name: 'Alice' });
  const usual = decodeJwt(String((await authorized(tenant, { id_token: { issue: true } }))['id_token']));
  assert.equal(usual.exp, START + DEFAULTS['id-token.lifetime']);
});

test('an ID token that cannot be encrypted to its client: 400, the reason in the log only, and nothing is stored', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({
    ...WEB_CLIENT,
    jwks_uri: 'https://client.example/jwks.json',
    id_token_encrypted_response_alg: 'RSA-OAEP-256',
  });
  const json = { client_id, sub: 'alice', scope: ['read'], id_token: { issue: true }, long_lived: true };
  const answered = await tenant.send('direct-authorization', { bearer: DIRECT, json });
  assertError(answered, 'invalid_request', /^the client has no key that its ID tokens can be encrypted to$/);
  assert.equal(tenant.watch.calls.includes('grants.create'), false);
  assert.ok(tenant.log.some(({ message }) => /ID token/.test(message)));
});

test('a grant that cannot be stored: 500, and no token is told', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(REFRESHING);
  tenant.watch.fail(new Error('disk full'), 'grants.create');
  const json = { client_id, sub: 'alice', scope: ['read'], refresh_token: { issue: true } };
  assertBodiless(await tenant.send('direct-authorization', { bearer: DIRECT, json }), 500);
});
