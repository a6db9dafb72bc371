import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUncached } from '../../testing/exchange.ts';
import {
  DEFAULTS,
  DIRECT,
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

test('scope and audience may be a list or words in a string; repetitions are dropped', async () => {
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

test('without sub the token’s subject is the client (decision 24: sub is always there)', async () => {
  const tenant = testTenant();
  const client_id = await clientOf(tenant);
  const introspected = await tenant.introspect(await tenant.authorize({ client_id, scope: ['read'] }));
  assert.equal(introspected['sub'], client_id);
});

test('data is the introspection member dat, letter for letter (interface)', async () => {
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
  test(`${kind} asked for with ${JSON.stringify(request)} lives ${expected} seconds`, async () => {
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

test('access_token.encoding IDENTIFIER makes an identifier, whatever the client’s format is (decision 20)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...SERVICE, chancery_access_token_format: 'self-contained' });
  const json = { client_id, scope: ['read'], access_token: { encoding: 'IDENTIFIER' } };
  assert.match(await tenant.authorize(json), /^[0-9A-Za-z]{54}\.[A-Za-z0-9_-]{22}$/);
});

test('an initial access token needs no client and is one of its own issue (interface, Authentication 1)', async () => {
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
  test(`${scope} beside another scope makes a token good for one registration (interface, Limits)`, async () => {
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

test('any of several tokens opens the endpoint, so that they can be rolled over', async () => {
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
