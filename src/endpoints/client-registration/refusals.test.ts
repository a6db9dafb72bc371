import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBusy, busyOutbound } from '../../testing/busy-outbound.ts';
import { type Answer, assertBodiless, assertError } from '../../testing/exchange.ts';
import {
  CALLBACK,
  ISSUER,
  MASTER,
  SERVICE,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

const BODIES: readonly (readonly [name: string, body: string | Uint8Array, words: RegExp])[] = [
  ['nothing', '', /well-formed/],
  ['half an object', '{"redirect_uris":', /well-formed/],
  ['a comment', '{} // end', /well-formed/],
  ['a trailing comma', '{"a":1,}', /well-formed/],
  ['a byte order mark', '\ufeff{}', /well-formed/],
  ['an array', '[]', /not a JSON object/],
  ['null', 'null', /not a JSON object/],
  ['a string', '"{}"', /not a JSON object/],
  ['Latin-1', Buffer.from('{"client_name":"é"}', 'latin1'), /UTF-8/],
  ['a member twice', '{"scope":"a","scope":"b"}', /twice/],
  ['a member twice, once escaped', String.raw`{"scope":"a","sc\u006fpe":"b"}`, /twice/],
  ['a lone surrogate', String.raw`{"client_name":"\ud800"}`, /surrogate/],
  ['U+0000', String.raw`{"client_name":"a\u0000b"}`, /U\+0000/],
  ['17 levels', `{"data":${'['.repeat(16)}${']'.repeat(16)}}`, /deeper/],
  ['201 members', `{${Array.from({ length: 201 }, (_, i) => `"m${i}":1`).join(',')}}`, /members/],
];

for (const [name, body, words] of BODIES) {
  // proves rfc7591-3.1-1
  test(`POST /clients with ${name} as body: 400 invalid_request (interface, Errors)`, async () => {
    assertError(
      await testTenant().send('client-registration', { bearer: MASTER, body }),
      'invalid_request',
      words,
    );
  });
}

for (const contentType of [
  null,
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json; charset=iso-8859-1',
  'application/jsonx',
]) {
  // proves rfc7591-3-1
  test(`POST /clients with Content-Type ${String(contentType)}: 400 invalid_request (interface: required)`, async () => {
    const answered = await testTenant().send('client-registration', {
      bearer: MASTER,
      json: WEB_CLIENT,
      contentType,
    });
    assertError(answered, 'invalid_request', /^Content-Type must be application\/json/);
  });
}

const LONG = 'x'.repeat(3000);

const METADATA: readonly (readonly [metadata: object, words: RegExp])[] = [
  [
    { redirect_uris: [CALLBACK], grant_types: 'authorization_code' },
    /^grant_types 'authorization_code' must be an array/,
  ],
  [
    { redirect_uris: [CALLBACK], grant_types: ['telepathy'] },
    /^grant_types\[0\] 'telepathy' is not supported; supported: authorization_code, implicit, refresh_token, password,/,
  ],
  [
    { redirect_uris: [CALLBACK], grant_types: ['authorization_code', 'authorization_code'] },
    /^grant_types\[1\] 'authorization_code' is the same value as at index 0$/,
  ],
  [{ redirect_uris: [CALLBACK], grant_types: ['constructor'] }, /^grant_types/],
  [{ redirect_uris: [CALLBACK], response_types: ['telepathy'] }, /^response_types/],
  [
    { redirect_uris: [CALLBACK], response_types: ['token'] },
    /^response_types\[0\] token requires grant_types to include implicit; 1 more mistake, which/,
  ],
  [
    { redirect_uris: [CALLBACK], grant_types: ['implicit', 'refresh_token'], response_types: ['code token'] },
    /^response_types\[0\] code token requires grant_types to include authorization_code$/,
  ],
  [
    { redirect_uris: [CALLBACK], grant_types: ['implicit'], response_types: ['code'] },
    /^response_types\[0\] code requires/,
  ],
  [
    { redirect_uris: [CALLBACK], application_type: 'desktop' },
    /^application_type .* must be one of web, native/,
  ],
  [
    { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'tls_client_auth' },
    /^token_endpoint_auth_method/,
  ],
  [
    { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'private_key_jwt' },
    /^token_endpoint_auth_method private_key_jwt requires jwks or jwks_uri$/,
  ],
  [
    {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_jwt',
      token_endpoint_auth_signing_alg: 'RS256',
    },
    /^token_endpoint_auth_signing_alg RS256 does not fit client_secret_jwt; allowed: HS256, HS384, HS512$/,
  ],
  [
    {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_jwt',
      token_endpoint_auth_signing_alg: 'HS384',
      preferred_client_secret: 'x'.repeat(47),
    },
    /^preferred_client_secret needs at least 48 characters/,
  ],
  [
    {
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_jwt',
      token_endpoint_auth_signing_alg: 'HS512',
      preferred_client_secret: 'x'.repeat(63),
    },
    /^preferred_client_secret needs at least 64 characters/,
  ],
  [{ redirect_uris: [CALLBACK], token_endpoint_auth_method: 1 }, /^token_endpoint_auth_method/],
  [{ redirect_uris: [CALLBACK], id_token_signed_response_alg: 'none' }, /^id_token_signed_response_alg/],
  [{ redirect_uris: [CALLBACK], id_token_signed_response_alg: 'HS256' }, /^id_token_signed_response_alg/],
  [{ redirect_uris: [CALLBACK], subject_type: 'ephemeral' }, /^subject_type .* must be one of/],
  [
    { redirect_uris: [CALLBACK, 'https://other.example/cb'], subject_type: 'pairwise' },
    /^subject_type pairwise requires/,
  ],
  [{ redirect_uris: [CALLBACK], client_name: ' ' }, /^client_name must be a string that is not blank/],
  [{ redirect_uris: [CALLBACK], client_name: ['a'] }, /^client_name/],
  [{ redirect_uris: [CALLBACK], client_name: LONG }, /^client_name is longer/],
  [{ redirect_uris: [CALLBACK], client_name: 'innocent\u202etxt.exe' }, /^client_name holds control/],
  [{ redirect_uris: [CALLBACK], 'client_name#de': 7 }, /^client_name#de/],
  [
    { redirect_uris: [CALLBACK], 'client_name#not a tag': 'x' },
    /^client_name must have a language tag such as de or pt-BR, not 'not a tag'$/,
  ],
  [{ redirect_uris: [CALLBACK], contacts: 'a@b.example' }, /^contacts must be an array of strings/],
  [{ redirect_uris: [CALLBACK], contacts: ['a\nb'] }, /^contacts\[0\] must not have control/],
  [
    { redirect_uris: [CALLBACK], logo_uri: 'javascript:alert(1)' },
    /^logo_uri .* must be an http or https URL/,
  ],
  [{ redirect_uris: [CALLBACK], policy_uri: 'data:text/html,x' }, /^policy_uri/],
  [{ redirect_uris: [CALLBACK], tos_uri: `https://client.example/${LONG}` }, /^tos_uri/],
  [{ redirect_uris: [CALLBACK], client_uri: 5 }, /^client_uri/],
  [{ redirect_uris: [CALLBACK], scope: 'a\tb' }, /^scope 'a.b' must be scope values/],
  [{ redirect_uris: [CALLBACK], scope: ['a'] }, /^scope must be a string/],
  [{ redirect_uris: [CALLBACK], scope: 'a"b' }, /^scope/],
  [{ redirect_uris: [CALLBACK], data: [1] }, /^data must be a JSON object/],
  [{ redirect_uris: [CALLBACK], data: 'text' }, /^data must be a JSON object/],
  [{ redirect_uris: [CALLBACK], preferred_client_id: ' ' }, /^preferred_client_id/],
  [{ redirect_uris: [CALLBACK], preferred_client_id: 'a b' }, /^preferred_client_id/],
  [{ redirect_uris: [CALLBACK], preferred_client_id: 'a'.repeat(101) }, /^preferred_client_id/],
  [{ redirect_uris: [CALLBACK], preferred_client_id: '../clients' }, /^preferred_client_id/],
  [{ redirect_uris: [CALLBACK], preferred_client_id: ISSUER }, /is a name of this server/],
  [{ redirect_uris: [CALLBACK], preferred_client_id: `${ISSUER}/clients` }, /is a name of this server/],
  [{ redirect_uris: [CALLBACK], preferred_client_secret: 'short' }, /^preferred_client_secret/],
  [{ redirect_uris: [CALLBACK], preferred_client_secret: 'ü'.repeat(40) }, /^preferred_client_secret/],
  [
    { ...SERVICE, token_endpoint_auth_method: 'none' },
    /^grant_types includes client_credentials, so token_endpoint_auth_method must not be none$/,
  ],
];

for (const [metadata, words] of METADATA) {
  const shown = JSON.stringify(metadata).slice(0, 110);
  // proves rfc7591-3.2.2-2, rfc7591-5-4, openid-registration-3.3-1, openid-registration-9.1-1
  test(`${shown}: 400 invalid_client_metadata, for the master token too (RFC 7591 §3.2.2; decision 8)`, async () => {
    const tenant = testTenant();
    assertError(
      await tenant.send('client-registration', { bearer: MASTER, json: metadata }),
      'invalid_client_metadata',
      words,
    );
    assert.equal(tenant.watch.calls.includes('clients.create'), false);
  });
}

const REDIRECTS: readonly object[] = [
  {},
  { redirect_uris: [] },
  { redirect_uris: CALLBACK },
  { redirect_uris: [CALLBACK, CALLBACK] },
  { redirect_uris: [1] },
  { redirect_uris: ['javascript:alert(1)'] },
  { redirect_uris: ['javascript:alert(1)'], application_type: 'native' },
  { redirect_uris: ['http://client.example/cb'] },
  { redirect_uris: ['https://client.example/cb#top'] },
  { redirect_uris: ['https://*.client.example/cb'] },
  { redirect_uris: ['/cb'] },
  { redirect_uris: ['https://user@client.example/cb'] },
  { redirect_uris: ['https://client.example/cb?code=1'] },
  { redirect_uris: [`https://client.example/${LONG}`] },
  { redirect_uris: Array.from({ length: 101 }, (_, i) => `${CALLBACK}/${i}`) },
  { redirect_uris: ['https://localhost/cb'], grant_types: ['implicit'] },
  { redirect_uris: [CALLBACK], post_logout_redirect_uris: ['javascript:alert(1)'] },
  { redirect_uris: [CALLBACK], post_logout_redirect_uris: ['https://client.example/#x'] },
];

for (const metadata of REDIRECTS) {
  // proves rfc7591-3.2.2-3
  test(`${JSON.stringify(metadata).slice(0, 110)}: 400 invalid_redirect_uri, for the master token too (RFC 7591 §3.2.2; decision 8)`, async () => {
    assertError(
      await testTenant().send('client-registration', { bearer: MASTER, json: metadata }),
      'invalid_redirect_uri',
    );
  });
}

test('more than 20 language-tagged members: 400 invalid_client_metadata', async () => {
  const tagged = (count: number): object =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`client_name#x${String.fromCodePoint(97 + i)}`, 'n']),
    );
  const tenant = testTenant();
  const [most, more] = [
    { ...WEB_CLIENT, ...tagged(20) },
    { ...WEB_CLIENT, ...tagged(21) },
  ];
  assert.equal((await tenant.send('client-registration', { bearer: MASTER, json: most })).status, 200);
  assertError(
    await tenant.send('client-registration', { bearer: MASTER, json: more }),
    'invalid_client_metadata',
    /language/,
  );
});

// proves rfc7591-3.2.1-1, rfc7591-6-1
test('a preferred_client_id that is taken: 400 invalid_client_metadata, and the first client stays as it is', async () => {
  const tenant = testTenant();
  const first = await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'app', client_name: 'First' });
  const json = { ...WEB_CLIENT, preferred_client_id: 'app', client_name: 'Second' };
  assertError(
    await tenant.send('client-registration', { bearer: MASTER, json }),
    'invalid_client_metadata',
    /taken/,
  );
  const read = await tenant.send('client-read', { bearer: MASTER, id: 'app' });
  assert.deepEqual(read.json, first.members);
});

// proves rfc7591-6-1
test('400: a deleted preferred_client_id is refused without the master token (decision 14), and the initial token stays usable', async () => {
  const tenant = testTenant();
  const first = await tenant.register({ ...WEB_CLIENT, preferred_client_id: 'app' });
  await tenant.send('client-delete', { bearer: first.registration_access_token, id: 'app' });
  const bearer = await tenant.initialToken('client-reg');
  const json = { ...WEB_CLIENT, preferred_client_id: 'app' };
  assertError(
    await tenant.send('client-registration', { bearer, json }),
    'invalid_client_metadata',
    /deleted/,
  );
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 200);
});

test('400: an error message contains no part of a secret that was sent (decision 41)', async () => {
  const json = { ...WEB_CLIENT, preferred_client_secret: 'hush-hush' };
  const answered = await testTenant().send('client-registration', { bearer: MASTER, json });
  assertError(answered, 'invalid_client_metadata');
  assert.equal(answered.body.includes('hush'), false);
  const broken = await testTenant().send('client-registration', {
    bearer: MASTER,
    body: '{"preferred_client_secret":"hush-hush',
  });
  assert.equal(broken.body.includes('hush'), false);
});

function limited({ perNetwork = 0, overall = 0 }): TestTenant {
  return testTenant({
    settings: {
      'registration.allow-open-registration': true,
      'registration.open-rate-per-network': perNetwork,
      'registration.open-rate': overall,
    },
  });
}

async function register(tenant: TestTenant, from: string): Promise<Answer> {
  return await tenant.send('client-registration', { json: WEB_CLIENT, from });
}

async function statuses(tenant: TestTenant, addresses: readonly string[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const from of addresses) found.push((await register(tenant, from)).status);
  return found;
}

test('more open registrations from a network than a minute allows: 429 with Retry-After and the reason (decision 39)', async () => {
  const tenant = limited({ perNetwork: 2 });
  assert.deepEqual(await statuses(tenant, ['192.0.2.1', '192.0.2.1']), [200, 200]);
  const refused = await register(tenant, '192.0.2.1');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '30');
  assert.equal(refused.headers['cache-control'], 'no-store');
  assert.equal(refused.json['error'], 'temporarily_unavailable');
  assert.deepEqual(Object.keys(refused.json), ['error', 'error_description']);
});

test('429: after Retry-After exactly one further request is admitted (decision 39)', async () => {
  const tenant = limited({ perNetwork: 2 });
  await statuses(tenant, ['192.0.2.1', '192.0.2.1']);
  tenant.clock.advance(29);
  assert.equal((await register(tenant, '192.0.2.1')).status, 429);
  tenant.clock.advance(1);
  assert.deepEqual(await statuses(tenant, ['192.0.2.1', '192.0.2.1']), [200, 429]);
});

test('a quiet network never gathers more than a minute’s worth', async () => {
  const tenant = limited({ perNetwork: 2 });
  await register(tenant, '192.0.2.1');
  tenant.clock.advance(86_400);
  assert.deepEqual(await statuses(tenant, ['192.0.2.1', '192.0.2.1', '192.0.2.1']), [200, 200, 429]);
});

test('one network does not use up another one’s share; the overall limit holds for all', async () => {
  const tenant = limited({ perNetwork: 1, overall: 2 });
  const addresses = ['192.0.2.1', '192.0.2.1', '198.51.100.1', '203.0.113.1'];
  assert.deepEqual(await statuses(tenant, addresses), [200, 429, 200, 429]);
});

test('a caller with a token is not counted and not limited', async () => {
  const tenant = limited({ perNetwork: 1, overall: 1 });
  await register(tenant, '192.0.2.1');
  for (let count = 0; count < 3; count += 1) {
    assert.equal(
      (await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT })).status,
      200,
    );
  }
  assert.equal((await register(tenant, '192.0.2.1')).status, 429);
});

test('429: POST /register shares the limit with POST /clients', async () => {
  const tenant = limited({ perNetwork: 1 });
  assert.equal((await tenant.send('client-registration-201', { json: WEB_CLIENT })).status, 201);
  assert.equal((await tenant.send('client-registration', { json: WEB_CLIENT })).status, 429);
});

for (const address of ['client-registration', 'client-registration-201'] as const) {
  test(`${address === 'client-registration' ? 'register' : 'register201'}, the store fails: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const tenant = testTenant();
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause);
    assertBodiless(await tenant.send(address, { bearer: MASTER, json: WEB_CLIENT }), 500);
    assert.deepEqual(tenant.reports, [cause]);
  });
}

test('the store fails while the initial access token is looked up: 500, not 401', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.watch.fail(new Error('gone'), 'accessTokens.find');
  assertBodiless(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }), 500);
});

test('500: a registration that failed leaves the initial access token usable (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.watch.fail(new Error('busy'), 'clients.create');
  assertBodiless(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }), 500);
  tenant.watch.recover();
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 200);
});

const IN_SECTOR = {
  ...WEB_CLIENT,
  subject_type: 'pairwise',
  sector_identifier_uri: 'https://client.example/s',
};

for (const name of ['client-registration', 'client-registration-201'] as const) {
  test(`${name}: 503 with Retry-After while the server is too busy to fetch sector_identifier_uri (decision 50)`, async () => {
    const { outbound, causes } = busyOutbound();
    const tenant = testTenant({ outbound });
    assertBusy(await tenant.send(name, { bearer: MASTER, json: IN_SECTOR, from: '198.51.100.7' }));
    assert.deepEqual(causes, [{ purpose: 'sector-identifiers', remoteAddress: '198.51.100.7' }]);
  });
}
