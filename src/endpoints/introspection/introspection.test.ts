import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertBodiless, assertError, assertUncached } from '../../testing/exchange.ts';
import {
  type ClientInformation,
  DEFAULTS,
  DIRECT,
  INTROSPECTION_SCOPE,
  ISSUER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const RESOURCE_SERVER = { ...SERVICE, scope: INTROSPECTION_SCOPE };

async function asResourceServer(
  tenant: TestTenant,
): Promise<(form: Readonly<Record<string, string>>) => ReturnType<TestTenant['send']>> {
  const { client_id, client_secret } = await tenant.register(RESOURCE_SERVER);
  return async (form) => await tenant.send('introspection', { basic: [client_id, client_secret], form });
}

async function ownToken(tenant: TestTenant, client: ClientInformation): Promise<string> {
  const form = { grant_type: 'client_credentials' };
  const answered = await tenant.send('token', { basic: [client.client_id, client.client_secret], form });
  return String(answered.json['access_token']);
}

// proves rfc7662-2.2-1
test('200: a live token: every member that is always there, and no other (decision 24; RFC 7662 §2.2)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...SERVICE, scope: 'read write' });
  const introspect = await asResourceServer(tenant);
  const answered = await introspect({ token: await ownToken(tenant, client) });
  assert.equal(answered.status, 200);
  assert.equal(answered.headers['content-type'], 'application/json;charset=UTF-8');
  assertUncached(answered);
  const { jti, ...rest } = answered.json;
  assert.deepEqual(rest, {
    active: true,
    scope: 'read write',
    client_id: client.client_id,
    token_type: 'Bearer',
    exp: START + DEFAULTS['access-token.lifetime'],
    iat: START,
    sub: client.client_id,
    iss: ISSUER,
  });
  assert.match(String(jti), /^[A-Za-z0-9]{16}$/);
});

test('200: a token of a user, with audience and data: sub, aud as an array, dat letter for letter (interface; decision 24)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const introspect = await asResourceServer(tenant);
  const body = `{"sub":"alice","client_id":"${client_id}","scope":["read"],"audience":["https://rs.example"],"data":{"z":1e400, "a":9007199254740993}}`;
  const issued = await tenant.send('direct-authorization', { bearer: DIRECT, body });
  const answered = await introspect({ token: String(issued.json['access_token']) });
  assert.equal(answered.json['sub'], 'alice');
  assert.deepEqual(answered.json['aud'], ['https://rs.example']);
  assert.ok(answered.body.endsWith(',"dat":{"z":1e400, "a":9007199254740993}}'), answered.body);
});

test('200: scope may be the empty string (decision 24)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const introspect = await asResourceServer(tenant);
  const answered = await introspect({ token: await ownToken(tenant, client) });
  assert.equal(answered.json['scope'], '');
  assert.equal(answered.json['active'], true);
});

// proves rfc7662-4-1, rfc6750-5.2-1
test('200: the same token gets the same bytes until it expires, and in that second it is inactive (interface, States)', async () => {
  const tenant = testTenant();
  const introspect = await asResourceServer(tenant);
  const client = await tenant.register(SERVICE);
  const token = await ownToken(tenant, client);
  const first = await introspect({ token });
  tenant.clock.advance(DEFAULTS['access-token.lifetime'] - 1);
  assert.equal((await introspect({ token })).body, first.body);
  tenant.clock.advance(1);
  assert.equal((await introspect({ token })).body, '{"active":false}');
});

// proves rfc7662-2.2-2
test('200: every inactive reason gives the same bytes, and the same headers as a live token (decision 23)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const introspect = await asResourceServer(tenant);
  const live = await ownToken(tenant, client);
  const deleted = await tenant.register(SERVICE);
  const tokenOfDeleted = await ownToken(tenant, deleted);
  await tenant.send('client-delete', { bearer: deleted.registration_access_token, id: deleted.client_id });
  const used = await tenant.initialToken('client-reg');
  await tenant.send('client-registration', { bearer: used, json: SERVICE });
  const flipped = `${live.slice(0, -1)}${live.endsWith('A') ? 'B' : 'A'}`;
  const inactive = [
    tokenOfDeleted,
    used,
    flipped,
    `${live} `,
    live.slice(1),
    live.toLowerCase(),
    'x',
    ' ',
    'é',
    client.client_secret,
    client.registration_access_token,
    'eyJhbGciOiJub25lIn0.e30.',
    'a'.repeat(60_000),
  ];
  const expected = {
    ...(await introspect({ token: live })),
    body: '{"active":false}',
    json: { active: false },
  };
  for (const token of inactive) assert.deepEqual(await introspect({ token }), expected, token.slice(0, 80));
});

for (const token_type_hint of ['access_token', 'refresh_token', 'id_token', 'nonsense', ' ']) {
  // proves rfc7662-2.1-3
  test(`200: token_type_hint=${token_type_hint} changes nothing (decision 23; RFC 7662 §2.1)`, async () => {
    const tenant = testTenant();
    const introspect = await asResourceServer(tenant);
    const token = await ownToken(tenant, await tenant.register(SERVICE));
    assert.deepEqual(await introspect({ token, token_type_hint }), await introspect({ token }));
    assert.equal((await introspect({ token: 'x', token_type_hint })).body, '{"active":false}');
  });
}

// proves rfc7662-4-3, rfc6749-10.10-2
test('200: a forged token is refused without a look-up, a genuine one costs one (decision 20)', async () => {
  const tenant = testTenant();
  const introspect = await asResourceServer(tenant);
  const token = await ownToken(tenant, await tenant.register(SERVICE));
  const lookUps = async (each: string): Promise<number> => {
    tenant.watch.calls.length = 0;
    await introspect({ token: each });
    return tenant.watch.calls.filter((call) => call === 'accessTokens.find').length;
  };
  assert.equal(await lookUps(token), 1);
  const [identifier = '', mac = ''] = token.split('.');
  const other = await ownToken(tenant, await tenant.register(SERVICE));
  for (const forged of [
    `${identifier}.${mac.replace(/^./, (c) => (c === 'a' ? 'b' : 'a'))}`,
    `${identifier}.${other.split('.')[1] ?? ''}`,
    `${identifier}x${mac}`,
    identifier,
    `${'0'.repeat(54)}.${mac}`,
    'x',
  ]) {
    assert.equal(await lookUps(forged), 0, forged);
  }
});

// proves rfc7662-4-3
test('200: a token made with another MAC key is forged, whatever it looks like (decision 20)', async () => {
  const [ours, theirs] = [testTenant(), testTenant()];
  const introspect = await asResourceServer(ours);
  const token = await ownToken(theirs, await theirs.register(SERVICE));
  assert.equal((await introspect({ token })).body, '{"active":false}');
});

// proves rfc7662-2.1-4
test('200: a bearer token that carries the introspection scope opens it, and may inspect itself (interface, Authentication 4)', async () => {
  const tenant = testTenant();
  const resourceServer = await tenant.register({ ...RESOURCE_SERVER, scope: `${INTROSPECTION_SCOPE} read` });
  const bearer = await ownToken(tenant, resourceServer);
  const client = await tenant.register(SERVICE);
  const answered = await tenant.send('introspection', {
    bearer,
    form: { token: await ownToken(tenant, client) },
  });
  assert.equal(answered.json['client_id'], client.client_id);
  const itself = await tenant.send('introspection', { bearer, form: { token: bearer } });
  assert.equal(itself.json['client_id'], resourceServer.client_id);
});

test('200: client_secret_post opens it too (interface: the registered token_endpoint_auth_method)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({
    ...RESOURCE_SERVER,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const answered = await tenant.send('introspection', { form: { token: 'x', client_id, client_secret } });
  assert.equal(answered.body, '{"active":false}');
});

test('200: an initial access token is inspected like any other, and names no registered client', async () => {
  const tenant = testTenant();
  const introspected = await tenant.introspect(
    await tenant.initialToken('client-reg:data', 'client-reg:set-id'),
  );
  assert.equal(introspected['scope'], 'client-reg:data client-reg:set-id');
  assert.equal(introspected['sub'], 'admin');
  assert.equal(introspected['exp'], START + DEFAULTS['initial-access-token.lifetime']);
  assert.equal(typeof introspected['client_id'], 'string');
});

test('200: where the caller is not known at once the token is asked for meanwhile: one round trip to a remote storage', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const token = await ownToken(tenant, client);
  const introspect = await asResourceServer(tenant);
  let askedMeanwhile = false;
  tenant.watch.before('clients.find', async () => {
    await nextTurn();
    askedMeanwhile = tenant.watch.calls.at(-1) === 'accessTokens.find';
  });
  assert.equal((await introspect({ token })).json['active'], true);
  assert.ok(askedMeanwhile);
  assert.equal(tenant.watch.calls.filter((call) => call === 'accessTokens.find').length, 1);
});

async function credentials(tenant: TestTenant, scope: string): Promise<readonly [string, string]> {
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope });
  return [client_id, client_secret];
}

const FORMS: readonly (readonly [form: string, words: RegExp])[] = [
  ['', /^token is missing$/],
  ['token=', /^token is missing$/],
  ['token_type_hint=access_token', /^token is missing$/],
  ['Token=x', /^token is missing$/],
  ['token=x&token=x', /^token is given more than once$/],
  ['token=x&token=', /^token is given more than once$/],
  ['token=x&token_type_hint=a&token_type_hint=b', /^token_type_hint is given more than once$/],
  ['token=%', /not correctly encoded/],
  ['token=x&other=%ff', /not correctly encoded/],
  [`token=x${'&a=b'.repeat(32)}`, /^more than 32 parameters$/],
];

for (const [form, words] of FORMS) {
  // proves rfc7662-2.1-2
  test(`POST /token/introspect with ${form.slice(0, 60) || 'an empty body'}: 400 invalid_request (interface, Errors; RFC 6749 §3.2)`, async () => {
    const tenant = testTenant();
    const basic = await credentials(tenant, INTROSPECTION_SCOPE);
    assertError(await tenant.send('introspection', { basic, form }), 'invalid_request', words);
  });
}

for (const contentType of [null, 'application/json', 'text/plain']) {
  // proves rfc7662-2.1-1
  test(`POST /token/introspect with Content-Type ${String(contentType)}: 400 invalid_request (interface: required)`, async () => {
    const tenant = testTenant();
    const basic = await credentials(tenant, INTROSPECTION_SCOPE);
    assertError(
      await tenant.send('introspection', { basic, form: { token: 'x' }, contentType }),
      'invalid_request',
      /^Content-Type/,
    );
  });
}

test('the form comes before the scope: 400 for a caller without the scope too (decision 22)', async () => {
  const tenant = testTenant();
  const basic = await credentials(tenant, 'other');
  assertError(
    await tenant.send('introspection', { basic, form: '' }),
    'invalid_request',
    /^token is missing$/,
  );
  assertError(await tenant.send('introspection', { basic, form: 'token=%' }), 'invalid_request', /encoded/);
});

// proves rfc6749-2.3-1
test('two ways of authentication at once: 400 invalid_request (decision 17)', async () => {
  const tenant = testTenant();
  const [client_id, client_secret] = await credentials(tenant, INTROSPECTION_SCOPE);
  const form = { token: 'x', client_id, client_secret };
  assertError(
    await tenant.send('introspection', { basic: [client_id, client_secret], form }),
    'invalid_request',
    /more than one/,
  );
  const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
  assertError(await tenant.send('introspection', { bearer, form }), 'invalid_request', /more than one/);
});

for (const verb of ['clients.find', 'accessTokens.find']) {
  test(`POST /token/introspect, ${verb} fails: 500 without body, never active false, and only the report has the cause (interface)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: INTROSPECTION_SCOPE });
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(
      await tenant.send('introspection', { basic: [client_id, client_secret], form: { token } }),
      500,
    );
    assert.deepEqual(tenant.reports, [cause]);
  });
}

test('POST /token/introspect, the look-up of the bearer token fails: 500, not 401', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
  tenant.watch.fail(new Error('gone'));
  assertBodiless(await tenant.send('introspection', { bearer, form: { token: 'x' } }), 500);
});
