import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { assertBodiless, assertError, assertUncached } from '../../testing/exchange.ts';
import {
  DEFAULTS,
  DIRECT,
  ISSUER,
  masterToken,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

async function clientOf(tenant: TestTenant): Promise<string> {
  return (await tenant.register(SERVICE)).client_id;
}

test('POST /direct-authz/rest/v2: 200 with a token for a subject and scopes (interface, Authentication 1; RFC 6749 §5.1)', async () => {
  const tenant = testTenant();
  const client_id = await clientOf(tenant);
  const json = { sub: 'alice', client_id, scope: ['read', 'write'] };
  const answered = await tenant.send('direct-authorization', { bearer: DIRECT, json });
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.headers['content-type'], 'application/json');
  assertUncached(answered);
  const { access_token, ...rest } = answered.json;
  assert.deepEqual(rest, {
    token_type: 'Bearer',
    expires_in: DEFAULTS['access-token.lifetime'],
    scope: 'read write',
  });
  const { active, sub, scope, exp, iat, client_id: owner } = await tenant.introspect(String(access_token));
  assert.deepEqual([active, sub, scope, owner], [true, 'alice', 'read write', client_id]);
  assert.deepEqual([iat, exp], [START, START + DEFAULTS['access-token.lifetime']]);
});

test('200: scope and audience may be a list or words in a string; repetitions are dropped', async () => {
  const tenant = testTenant();
  const client_id = await clientOf(tenant);
  const shapes = [
    { scope: ['a', 'b', 'a'], audience: ['x', 'y', 'x'] },
    { scope: 'a b a', audience: 'x y x' },
    { scope: 'a b', access_token: { audience: ['x', 'y'] } },
  ];
  for (const shape of shapes) {
    const introspected = await tenant.introspect(await tenant.authorize({ client_id, ...shape }));
    assert.equal(introspected['scope'], 'a b');
    assert.deepEqual(introspected['aud'], ['x', 'y']);
  }
});

test('200: without sub the token’s subject is the client (decision 24: sub is always there)', async () => {
  const tenant = testTenant();
  const client_id = await clientOf(tenant);
  const introspected = await tenant.introspect(await tenant.authorize({ client_id, scope: ['read'] }));
  assert.equal(introspected['sub'], client_id);
});

test('200: data is the introspection member dat, letter for letter (interface)', async () => {
  const tenant = testTenant();
  const client_id = await clientOf(tenant);
  const data = { roles: ['admin'], deep: { n: 1.5 } };
  const introspected = await tenant.introspect(await tenant.authorize({ client_id, scope: 'read', data }));
  assert.deepEqual(introspected['dat'], data);
});

const LIFETIME_ROWS: readonly (readonly [request: object, initial: boolean, expected: number])[] = [
  [{}, false, DEFAULTS['access-token.lifetime']],
  [{ lifetime: 1 }, false, 1],
  [{ lifetime: DEFAULTS['access-token.lifetime-max'] }, false, DEFAULTS['access-token.lifetime-max']],
  [{ access_token: { lifetime: 77 } }, false, 77],
  [{ lifetime: 5, access_token: { lifetime: 77 } }, false, 5],
  [{}, true, DEFAULTS['initial-access-token.lifetime']],
  [
    { lifetime: DEFAULTS['initial-access-token.lifetime-max'] },
    true,
    DEFAULTS['initial-access-token.lifetime-max'],
  ],
];

for (const [request, initial, expected] of LIFETIME_ROWS) {
  const kind = initial ? 'an initial access token' : 'an access token';
  test(`200: ${kind} asked for with ${JSON.stringify(request)} lives ${expected} seconds`, async () => {
    const tenant = testTenant();
    const json = initial
      ? { scope: ['client-reg'], ...request }
      : { client_id: await clientOf(tenant), scope: ['read'], ...request };
    const answered = await tenant.send('direct-authorization', { bearer: DIRECT, json });
    assert.equal(answered.json['expires_in'], expected, answered.body);
    const token = String(answered.json['access_token']);
    tenant.clock.advance(expected - 1);
    assert.equal((await tenant.introspect(token))['active'], true);
    tenant.clock.advance(1);
    assert.deepEqual(await tenant.introspect(token), { active: false });
  });
}

test('200: access_token.encoding IDENTIFIER makes an identifier, whatever the client’s format is (decision 20)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...SERVICE, chancery_access_token_format: 'self-contained' });
  const json = { client_id, scope: ['read'], access_token: { encoding: 'IDENTIFIER' } };
  assert.match(await tenant.authorize(json), /^[0-9A-Za-z]{54}\.[A-Za-z0-9_-]{22}$/);
});

test('200: an initial access token needs no client and is one of its own issue (interface, Authentication 1)', async () => {
  const tenant = testTenant();
  const token = await tenant.authorize({ scope: ['client-reg:grant:code'], label: 'portal' });
  const introspected = await tenant.introspect(token);
  assert.equal(introspected['active'], true);
  assert.equal(typeof introspected['sub'], 'string');
  assert.equal((await tenant.send('client-registration', { bearer: token, json: WEB_CLIENT })).status, 200);
});

const REGISTERING = [
  'client-reg',
  'client-reg:grant:saml',
  'client-reg:scope',
  'client-reg:scope:openid',
  'client-reg:data',
  'client-reg:set-id',
  'client-reg:set-secret',
];

for (const scope of REGISTERING) {
  test(`200: ${scope} beside another scope makes a token good for one registration (interface, Limits)`, async () => {
    const tenant = testTenant();
    await tenant.authorize({ scope: ['read', scope], label: 'portal' });
    const [initial] = await tenant.storage.accessTokens.pageInitial(undefined, 10);
    assert.equal(initial?.label, 'portal');
    assert.equal(initial.scope, `read ${scope}`);
    assert.equal(initial.expires_at, START + DEFAULTS['initial-access-token.lifetime']);
  });
}

test('an ordinary token is no initial access token', async () => {
  const tenant = testTenant();
  await tenant.authorize({
    client_id: await clientOf(tenant),
    scope: ['read', 'client-regx'],
    label: 'unused',
  });
  assert.deepEqual(await tenant.storage.accessTokens.pageInitial(undefined, 10), []);
});

test('redirect_hosts binds the client that is made with the token: other hosts are 400 invalid_redirect_uri', async () => {
  const tenant = testTenant();
  const bearer = await tenant.authorize({ scope: ['client-reg'], redirect_hosts: ['client.example'] });
  const other = await tenant.send('client-registration', {
    bearer,
    json: { redirect_uris: ['https://other.example/cb'] },
  });
  assert.equal(other.json['error'], 'invalid_redirect_uri');
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 200);
});

test('200: any of several tokens opens the endpoint, so that they can be rolled over', async () => {
  const tenant = testTenant({
    settings: { 'direct-authorization.token-sha256': ['old-direct', 'new-direct'].map(masterToken) },
  });
  for (const bearer of ['old-direct', 'new-direct']) {
    assert.equal(
      (await tenant.send('direct-authorization', { bearer, json: { scope: ['client-reg'] } })).status,
      200,
    );
  }
});

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
  assertError(
    answered,
    'invalid_request',
    /^the ID token cannot be signed or encrypted as the client registered$/,
  );
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
