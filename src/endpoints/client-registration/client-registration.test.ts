import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertBearerNeeded,
  assertError,
  assertMissingScopes,
  assertUncached,
} from '../../testing/exchange.ts';
import {
  CALLBACK,
  clientInformationOf,
  ISSUER,
  MASTER,
  masterToken,
  SERVICE,
  START,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

// proves rfc7591-3.2.1-4
test('POST /clients answers 200 with the client information response and all provisioned metadata (interface; RFC 7591 §3.2.1)', async () => {
  const tenant = testTenant();
  const answered = await tenant.send('client-registration', {
    bearer: MASTER,
    json: { ...WEB_CLIENT, client_name: 'Example', scope: 'openid email' },
  });
  assert.equal(answered.status, 200);
  assert.equal(answered.headers['content-type'], 'application/json');
  assertUncached(answered);
  const { client_id, client_secret, registration_access_token } = clientInformationOf(answered);
  assert.deepEqual(answered.json, {
    client_id,
    client_id_issued_at: START,
    client_secret,
    client_secret_expires_at: 0,
    registration_access_token,
    registration_client_uri: `${ISSUER}/clients/${client_id}`,
    redirect_uris: [CALLBACK],
    client_name: 'Example',
    scope: 'openid email',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'RS256',
    subject_type: 'public',
  });
});

test('200: a client of the client_credentials grant with a scope has no response types and client_secret_basic (interface)', async () => {
  const { members } = await testTenant().register({ ...SERVICE, scope: 'read write' });
  assert.deepEqual(members['response_types'], []);
  assert.equal(members['token_endpoint_auth_method'], 'client_secret_basic');
  assert.deepEqual(members['grant_types'], ['client_credentials']);
  assert.equal(members['scope'], 'read write');
  assert.equal('id_token_signed_response_alg' in members, false);
  assert.equal('redirect_uris' in members, false);
});

test('200: identifiers are letters and digits of the default lengths 24, 43 and 43 (decision 15)', async () => {
  const tenant = testTenant();
  const clients = await Promise.all(
    Array.from({ length: 20 }, async () => await tenant.register(WEB_CLIENT)),
  );
  for (const client of clients) {
    assert.match(client.client_id, /^[A-Za-z0-9]{24}$/);
    assert.match(client.client_secret, /^[A-Za-z0-9]{43}$/);
    assert.match(client.registration_access_token, /^[A-Za-z0-9]{43}$/);
  }
  const all = clients.flatMap((client) => [
    client.client_id,
    client.client_secret,
    client.registration_access_token,
  ]);
  assert.equal(new Set(all).size, 60);
});

test('200: identifiers have the configured lengths (interface, Limits)', async () => {
  const settings = {
    'registration.client-id-length': 17,
    'registration.client-secret-length': 64,
    'registration.registration-token-length': 50,
  };
  const client = await testTenant({ settings }).register(WEB_CLIENT);
  assert.match(client.client_id, /^[A-Za-z0-9]{17}$/);
  assert.match(client.client_secret, /^[A-Za-z0-9]{64}$/);
  assert.match(client.registration_access_token, /^[A-Za-z0-9]{50}$/);
});

// proves rfc7591-3.2.1-3
test('200: client_secret_expires_at is the time of issue and the configured lifetime (interface; RFC 7591 §3.2.1)', async () => {
  const { members } = await testTenant({ settings: { 'registration.client-secret-lifetime': 90 } }).register(
    WEB_CLIENT,
  );
  assert.equal(members['client_secret_expires_at'], START + 90);
});

for (const token_endpoint_auth_method of ['client_secret_basic', 'client_secret_post', 'none']) {
  // proves rfc7591-2-5
  test(`200: a client of ${token_endpoint_auth_method} has secret members if and only if it needs a secret (decision 11)`, async () => {
    const { members } = await testTenant().register({ ...WEB_CLIENT, token_endpoint_auth_method });
    const confidential = token_endpoint_auth_method !== 'none';
    assert.equal('client_secret' in members, confidential);
    assert.equal('client_secret_expires_at' in members, confidential);
    assert.equal(members['token_endpoint_auth_method'], token_endpoint_auth_method);
  });
}

// proves rfc7591-2-4
test('200: a client of the implicit grant alone is public by default (RFC 7591 §2)', async () => {
  const { members } = await testTenant().register({ ...WEB_CLIENT, grant_types: ['implicit'] });
  assert.equal(members['token_endpoint_auth_method'], 'none');
  assert.equal('client_secret' in members, false);
  assert.deepEqual(members['response_types'], ['token id_token']);
});

// proves rfc7591-2-1
test('200: unknown members are dropped, language-tagged ones are kept (decision 12; RFC 7591 §2)', async () => {
  const { members } = await testTenant().register({
    ...WEB_CLIENT,
    client_name: 'Bill',
    'client_name#de': 'Rechnung',
    'client_name#ja-Hani-JP': '請求書',
    'logo_uri#fr': 'https://client.example/logo-fr.png',
    unknown_member: { nested: true },
    'unknown#de': 'x',
    'redirect_uris#de': 'no text for people',
    client_id: 'mine',
    client_secret: 'chosen',
    registration_access_token: 'chosen',
    client_id_issued_at: 1,
    __proto__x: 1,
  });
  assert.equal(members['client_name'], 'Bill');
  assert.equal(members['client_name#de'], 'Rechnung');
  assert.equal(members['client_name#ja-Hani-JP'], '請求書');
  assert.equal(members['logo_uri#fr'], 'https://client.example/logo-fr.png');
  for (const name of ['unknown_member', 'unknown#de', 'redirect_uris#de', '__proto__x'])
    assert.equal(name in members, false, name);
  assert.notEqual(members['client_id'], 'mine');
  assert.notEqual(members['client_secret'], 'chosen');
  assert.notEqual(members['registration_access_token'], 'chosen');
  assert.equal(members['client_id_issued_at'], START);
});

test('200: a member of null is an absent one (RFC 7592 §2.2)', async () => {
  const { members } = await testTenant().register({
    ...WEB_CLIENT,
    client_name: null,
    scope: null,
    data: null,
  });
  for (const name of ['client_name', 'scope', 'data']) assert.equal(name in members, false, name);
});

const DATA_TEXTS = [
  '{}',
  '{"n":1e400,"m":9007199254740993,"z":-0,"f":1.0,"e":1E+2}',
  '{"z":1,"a":2,"10":3,"2":4}',
  String.raw`{"escaped":"\u00e9\u20AC\/\ud83e\udd8a","raw":"é€/🦊"}`,
  '{ "spaces" : [ 1 , 2 ],\n\t"lines" : { } }',
  '{"__proto__":{"admin":true},"constructor":null}',
  '{"quote":"\\"},{\\"","brackets":"]}"}',
];

for (const data of DATA_TEXTS) {
  test(`200: data comes back exactly as sent: ${JSON.stringify(data)} (decision 12)`, async () => {
    const tenant = testTenant();
    const body = `{"data": ${data} ,"redirect_uris":["${CALLBACK}"]}`;
    const answered = await tenant.send('client-registration', { bearer: MASTER, body });
    assert.equal(answered.status, 200, answered.body);
    assert.ok(answered.body.includes(`"data":${data}`), answered.body);
    const { client_id } = clientInformationOf(answered);
    const read = await tenant.send('client-read', { bearer: MASTER, id: client_id });
    assert.equal(read.body, answered.body);
    const list = await tenant.send('client-list', { bearer: MASTER });
    assert.equal(list.body, `[${answered.body}]`);
  });
}

test('200: the master token may choose identifier and secret (interface, client-reg:set-id and client-reg:set-secret)', async () => {
  const preferred_client_secret = 'a-secret-of-32-printable-letters';
  const tenant = testTenant();
  const client = await tenant.register({
    ...WEB_CLIENT,
    preferred_client_id: 'app.example_1~2',
    preferred_client_secret,
  });
  assert.equal(client.client_id, 'app.example_1~2');
  assert.equal(client.client_secret, preferred_client_secret);
  assert.equal('preferred_client_id' in client.members, false);
  assert.equal('preferred_client_secret' in client.members, false);
});

test('200: an identifier that is a URL is one percent-encoded segment of registration_client_uri (decision 2)', async () => {
  const { client_id, members } = await testTenant().register({
    ...WEB_CLIENT,
    preferred_client_id: 'https://rp.example/',
  });
  assert.equal(client_id, 'https://rp.example/');
  assert.equal(members['registration_client_uri'], `${ISSUER}/clients/https%3A%2F%2Frp.example%2F`);
});

const OPEN_GRANTS: readonly (readonly [grant_types: readonly string[], response_types: readonly string[]])[] =
  [
    [['authorization_code'], ['code']],
    [['implicit'], ['id_token']],
    [['authorization_code', 'refresh_token'], ['code']],
    [
      ['authorization_code', 'implicit', 'refresh_token'],
      ['code id_token', 'token'],
    ],
  ];

for (const [grant_types, response_types] of OPEN_GRANTS) {
  // proves rfc7591-3-3
  test(`200: in open mode anyone registers ${grant_types.join(' and ')} (interface, Services)`, async () => {
    const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
    const answered = await tenant.send('client-registration', {
      json: { ...WEB_CLIENT, grant_types, response_types },
    });
    assert.equal(answered.status, 200, answered.body);
    assert.deepEqual(answered.json['grant_types'], grant_types);
    assert.deepEqual(answered.json['response_types'], response_types);
  });
}

test('200: in open mode the configured scope values need no token (decision 6)', async () => {
  const tenant = testTenant({
    settings: {
      'registration.allow-open-registration': true,
      'registration.open-scope-values': ['openid', 'email'],
    },
  });
  const answered = await tenant.send('client-registration', {
    json: { ...WEB_CLIENT, scope: 'email openid' },
  });
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.json['scope'], 'email openid');
});

test('200: any of several master tokens registers, so that they can be rolled over (decision 5)', async () => {
  const masterTokens = ['old-master', MASTER, 'new-master'].map(masterToken);
  const tenant = testTenant({ settings: { 'registration.master-token-sha256': masterTokens } });
  for (const bearer of ['old-master', MASTER, 'new-master']) {
    assert.equal(
      (await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status,
      200,
      bearer,
    );
  }
});

// proves rfc7591-3-4
test('200: an initial access token registers exactly one client, for fifty parallel requests too (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  const answers = await Promise.all(
    Array.from(
      { length: 50 },
      async () => await tenant.send('client-registration', { bearer, json: WEB_CLIENT }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 401)]);
  const list = await tenant.send('client-list', { bearer: MASTER });
  assert.equal((JSON.parse(list.body) as unknown[]).length, 1);
});

test('a used-up initial access token is inactive at introspection (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  assert.equal((await tenant.introspect(bearer))['active'], true);
  await tenant.send('client-registration', { bearer, json: WEB_CLIENT });
  assert.deepEqual(await tenant.introspect(bearer), { active: false });
});

test('a 400 and a 403 leave the initial access token usable (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  const statuses: number[] = [];
  for (const json of [{}, SERVICE, { redirect_uris: ['javascript:alert(1)'] }, WEB_CLIENT, WEB_CLIENT]) {
    statuses.push((await tenant.send('client-registration', { bearer, json })).status);
  }
  assert.deepEqual(statuses, [400, 403, 400, 200, 401]);
});

test('200: the client is stored with who registered it: open, or the label of the master or initial access token', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const bearer = await tenant.authorize({ sub: 'admin', scope: ['client-reg'], label: 'team blue' });
  const vias: (string | undefined)[] = [];
  for (const request of [{}, { bearer: MASTER }, { bearer }]) {
    const answered = await tenant.send('client-registration', { ...request, json: WEB_CLIENT });
    const { client_id } = clientInformationOf(answered);
    const stored = await tenant.storage.clients.find(
      client_id as Parameters<typeof tenant.storage.clients.find>[0],
    );
    vias.push(stored?.registered_via);
  }
  assert.deepEqual(vias, ['open', 'master:master', 'initial:team blue']);
});

test('200: neither a secret nor a registration token is stored in the clear (decision 16)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(WEB_CLIENT);
  const stored = JSON.stringify(await tenant.storage.clients.page(undefined, 10));
  assert.ok(stored.includes(client.client_id));
  assert.equal(stored.includes(client.client_secret), false);
  assert.equal(stored.includes(client.registration_access_token), false);
});

test('200: the body may be as JSON as RFC 8259 lets it: charset parameter, other case, white space around', async () => {
  for (const contentType of [
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json; profile=x',
  ]) {
    const tenant = testTenant();
    const body = ` \r\n\t${JSON.stringify(WEB_CLIENT)}\n`;
    assert.equal(
      (await tenant.send('client-registration', { bearer: MASTER, contentType, body })).status,
      200,
      contentType,
    );
  }
});

// proves rfc7591-3.2-1
test('POST /register answers 201 with the same client information response (decision 4; RFC 7591 §3.2.1)', async () => {
  const tenant = testTenant();
  const created = await tenant.send('client-registration-201', { bearer: MASTER, json: WEB_CLIENT });
  assert.equal(created.status, 201);
  assertUncached(created);
  const ordinary = await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT });
  assert.deepEqual(Object.keys(created.json), Object.keys(ordinary.json));
});

test('201: registration_client_uri is below /clients whichever address registered it (decision 4)', async () => {
  const tenant = testTenant();
  const answered = await tenant.send('client-registration-201', { bearer: MASTER, json: WEB_CLIENT });
  const { client_id, registration_access_token } = clientInformationOf(answered);
  assert.equal(answered.json['registration_client_uri'], `${ISSUER}/clients/${client_id}`);
  const read = await tenant.send('client-read', { bearer: registration_access_token, id: client_id });
  assert.equal(read.body, answered.body);
});

test('POST /register refuses what POST /clients refuses, in the same words (decision 4)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  assertBearerNeeded(await tenant.send('client-registration-201', { json: WEB_CLIENT }));
  assertMissingScopes(
    await tenant.send('client-registration-201', { bearer, json: SERVICE }),
    'client-reg:grant:client',
  );
  assertError(await tenant.send('client-registration-201', { bearer, json: {} }), 'invalid_redirect_uri');
  for (const request of [
    { bearer: 'x', json: WEB_CLIENT },
    { bearer: MASTER, body: '[' },
  ]) {
    const there = await tenant.send('client-registration-201', request);
    assert.deepEqual(there, await tenant.send('client-registration', request));
  }
});

test('both addresses use up the same initial access token (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg:grant:code');
  assert.equal((await tenant.send('client-registration-201', { bearer, json: WEB_CLIENT })).status, 201);
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 401);
});

test('any origin may register in open mode only (decision 40)', async () => {
  for (const allowOpenRegistration of [true, false]) {
    const tenant = testTenant({
      settings: { 'registration.allow-open-registration': allowOpenRegistration },
    });
    const expected = allowOpenRegistration ? 'any' : 'configured';
    for (const name of ['client-registration', 'client-registration-201']) {
      assert.equal((await tenant.endpoint(name)).contract.cors, expected);
    }
  }
});

test('POST /register?dry_run=true answers 200, because nothing is created (RFC 7591 §3.2.1)', async () => {
  const tenant = testTenant();
  const json = { ...WEB_CLIENT, client_name: 'Example' };
  const answered = await tenant.send('client-registration-201', {
    bearer: MASTER,
    json,
    query: 'dry_run=true',
  });
  assert.equal(answered.status, 200);
  assert.deepEqual([answered.json['dry_run'], answered.json['missing_scopes']], [true, []]);
});
