import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HMAC_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { asserted, claimsOf, KEY, secretJwtClient, signerWith } from '../../testing/assertion.ts';
import { type Answer, assertError, basicAuthorization, type TestRequest } from '../../testing/exchange.ts';
import { signedJwt } from '../../testing/jwt.ts';
import {
  type ClientInformation,
  clientInformationOf,
  ISSUER,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const form = { grant_type: 'client_credentials' };

const POST = { ...SERVICE, token_endpoint_auth_method: 'client_secret_post' };

const BASIC_CHALLENGE = `Basic realm="${ISSUER}", charset="UTF-8"`;

function assertInvalidClient(answered: Answer, challenge: string | undefined): void {
  assertError(answered, 'invalid_client', /^client authentication failed$/);
  assert.equal(answered.headers['www-authenticate'], challenge);
}

const BASIC_ROWS: readonly (readonly [name: string, header: (client: ClientInformation) => string])[] = [
  ['an unknown client', () => basicAuthorization('nobody', 'x'.repeat(43))],
  ['a wrong secret', ({ client_id }) => basicAuthorization(client_id, 'x'.repeat(43))],
  [
    'a secret cut short',
    ({ client_id, client_secret }) => basicAuthorization(client_id, client_secret.slice(0, -1)),
  ],
  [
    'another client’s secret',
    ({ client_id }) => basicAuthorization(client_id, 'a-secret-of-32-printable-letters'),
  ],
  [
    'the registration token',
    (client) => basicAuthorization(client.client_id, client.registration_access_token),
  ],
  [
    'an id in other case',
    (client) => basicAuthorization(client.client_id.toLowerCase(), client.client_secret),
  ],
  ['no colon', ({ client_id }) => `Basic ${Buffer.from(client_id).toString('base64')}`],
  ['no secret', ({ client_id }) => `Basic ${Buffer.from(`${client_id}:`).toString('base64')}`],
  ['no id', ({ client_secret }) => `Basic ${Buffer.from(`:${client_secret}`).toString('base64')}`],
  ['base64url', () => 'Basic fn5-fn46_w'],
  ['base64 without padding', () => 'Basic YWJjZDplZg'],
  ['base64 with stray bits', () => 'Basic YTpiZ=='],
  ['invalid UTF-8', () => `Basic ${Buffer.from([0x61, 0x3a, 0xff]).toString('base64')}`],
  ['a bad escape', () => `Basic ${Buffer.from('a:%zz').toString('base64')}`],
  ['an unknown scheme', () => 'Digest username=x'],
  ['an empty header', () => ''],
];

for (const [name, header] of BASIC_ROWS) {
  // proves rfc6749-5.2-2
  test(`HTTP Basic with ${name}: 401 invalid_client with the Basic challenge (decision 19; RFC 6749 §5.2)`, async () => {
    const tenant = testTenant();
    const client = await tenant.register(SERVICE);
    assertInvalidClient(await tenant.send('token', { authorization: header(client), form }), BASIC_CHALLENGE);
  });
}

const REGISTERED = { settings: { 'client-authentication.secret-transport': 'registered' } } as const;

// proves rfc6749-2.3.1-1
test('200: clients of client_secret_basic and client_secret_post send their secret either way (decision 44; RFC 6749 §2.3.1)', async () => {
  const tenant = testTenant();
  for (const metadata of [SERVICE, POST]) {
    const { client_id, client_secret } = await tenant.register(metadata);
    const basic = [client_id, client_secret] as const;
    for (let count = 0; count < 2; count += 1) {
      assert.equal((await tenant.send('token', { basic, form })).status, 200);
      assert.equal((await tenant.send('token', { form: { ...form, client_id, client_secret } })).status, 200);
    }
    const both = { basic, form: { ...form, client_id, client_secret } };
    assertError(await tenant.send('token', both), 'invalid_request');
    assertInvalidClient(await tenant.send('token', { basic: [client_id, 'x'], form }), BASIC_CHALLENGE);
  }
});

test('401: secret-transport registered, and the right secret comes the other way: the same 401 (decisions 19 and 44)', async () => {
  const tenant = testTenant(REGISTERED);
  const post = await tenant.register(POST);
  assertInvalidClient(
    await tenant.send('token', { basic: [post.client_id, post.client_secret], form }),
    BASIC_CHALLENGE,
  );
  const { client_id, client_secret } = await tenant.register(SERVICE);
  assertInvalidClient(await tenant.send('token', { form: { ...form, client_id, client_secret } }), undefined);
});

test('401: a public client that sends a secret: the same 401 (decision 17)', async () => {
  const tenant = testTenant();
  const json = { ...SERVICE, grant_types: ['password'], token_endpoint_auth_method: 'none' };
  const { client_id } = await tenant.register(json);
  assertInvalidClient(await tenant.send('token', { basic: [client_id, 'x'], form }), BASIC_CHALLENGE);
  assertInvalidClient(
    await tenant.send('token', { form: { ...form, client_id, client_secret: 'x' } }),
    undefined,
  );
});

test('HTTP Basic without a password names a public client, as client_id does, and no other client (ADR 108)', async () => {
  const tenant = testTenant();
  const register = async (token_endpoint_auth_method: string) =>
    await tenant.register({ ...SERVICE, grant_types: ['password'], token_endpoint_auth_method });
  const named = await register('none');
  const authorization = basicAuthorization(named.client_id, '');
  const passed = await tenant.send('token', { authorization, form });
  assertError(passed, 'unauthorized_client');
  const { client_id } = named;
  const same = await tenant.send('token', { authorization, form: { ...form, client_id, client_secret: '' } });
  assertError(same, 'unauthorized_client');
  const two = await tenant.send('token', { authorization, form: { ...form, client_id, client_secret: 'x' } });
  assertError(two, 'invalid_request');
  for (const method of ['client_secret_basic', 'client_secret_post', 'client_secret_jwt']) {
    const other = basicAuthorization((await register(method)).client_id, '');
    assertInvalidClient(await tenant.send('token', { authorization: other, form }), BASIC_CHALLENGE);
  }
  const asked = await tenant.send('introspection', { authorization, form: { token: 'x' } });
  assertInvalidClient(asked, BASIC_CHALLENGE);
});

// proves rfc6749-3.2.1-1, rfc6749-5.2-2
test('401: client_secret_post, unknown client, wrong secret, wrong method, no id: the same 401 without a challenge (decision 19)', async () => {
  const tenant = testTenant(REGISTERED);
  const basic = await tenant.register(SERVICE);
  const post = await tenant.register(POST);
  const rows = [
    { client_id: 'nobody', client_secret: post.client_secret },
    { client_id: post.client_id, client_secret: 'x' },
    { client_id: basic.client_id, client_secret: basic.client_secret },
    { client_id: post.client_id, client_secret: basic.client_secret },
    { client_secret: post.client_secret },
  ];
  const answers: Answer[] = [];
  for (const row of rows) answers.push(await tenant.send('token', { form: { ...form, ...row } }));
  for (const answered of answers) {
    assertInvalidClient(answered, undefined);
    assert.deepEqual(answered, answers[0]);
  }
});

// proves rfc6749-3.2.1-1, rfc6749-4.4.2-1
test('no client authentication at all: 401 invalid_client (RFC 6749 §5.2)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const requests: TestRequest[] = [{ form }, { form: { ...form, client_id } }, { form, bearer: 'abc' }];
  for (const request of requests) assertInvalidClient(await tenant.send('token', request), undefined);
});

// proves rfc6749-4.4.2-1
test('HTTP Basic of one client and client_id of another in the body: 401 invalid_client', async () => {
  const tenant = testTenant();
  const [one, other] = [await tenant.register(SERVICE), await tenant.register(SERVICE)];
  const request = {
    basic: [one.client_id, one.client_secret],
    form: { ...form, client_id: other.client_id },
  } as const;
  assertInvalidClient(await tenant.send('token', request), BASIC_CHALLENGE);
});

test('an expired secret: 401 from the second on in which it expires (decision 10)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const request = { basic: [client_id, client_secret], form } as const;
  tenant.clock.advance(99);
  assert.equal((await tenant.send('token', request)).status, 200);
  tenant.clock.advance(1);
  assertInvalidClient(await tenant.send('token', request), BASIC_CHALLENGE);
});

async function detailOf(tenant: TestTenant, request: TestRequest): Promise<unknown> {
  await tenant.send('token', request);
  const failure = tenant.reports.at(-1);
  assert.ok(failure instanceof Error);
  return 'detail' in failure ? failure.detail : undefined;
}

test('401: the reason is in the report only (decision 19)', async () => {
  const tenant = testTenant(REGISTERED);
  const { client_id, client_secret } = await tenant.register(SERVICE);
  assert.equal(await detailOf(tenant, { basic: ['nobody', 'x'], form }), 'unknown client');
  assert.equal(await detailOf(tenant, { basic: [client_id, 'x'], form }), 'wrong secret');
  const byPost = { form: { ...form, client_id, client_secret } };
  assert.equal(await detailOf(tenant, byPost), 'not the registered method, client_secret_basic');
});

test('401: a caller that does not authenticate learns nothing about the grant (RFC 6749 §5.2)', async () => {
  const tenant = testTenant();
  for (const each of ['', 'grant_type=unknown', 'grant_type=client_credentials&scope=x']) {
    assertInvalidClient(await tenant.send('token', { basic: ['nobody', 'x'], form: each }), BASIC_CHALLENGE);
  }
});

for (const authorization of ['Bearer', 'Bearer ', 'bearer a b']) {
  test(`401: Authorization: ${authorization} beside a secret in the body authenticates no client (decision 17)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(POST);
    await tenant.send('token', { authorization, form: { ...form, client_id, client_secret } });
    assertInvalidClient(await tenant.send('token', { authorization, form }), undefined);
  });
}

test('401: an authentication that was good once is judged anew each time: secret renewed, client deleted (decisions 9 and 14)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const request = { basic: [client.client_id, client.client_secret], form } as const;
  assert.equal((await tenant.send('token', request)).status, 200);
  assert.equal((await tenant.send('token', request)).status, 200);
  const update = { bearer: client.registration_access_token, id: client.client_id, json: SERVICE };
  const updated = await tenant.send('client-update', update);
  assertInvalidClient(await tenant.send('token', request), BASIC_CHALLENGE);
  const renewed = { basic: [client.client_id, String(updated.json['client_secret'])], form } as const;
  assert.equal((await tenant.send('token', renewed)).status, 200);
  await tenant.send('client-delete', { bearer: MASTER, id: client.client_id });
  assertInvalidClient(await tenant.send('token', renewed), BASIC_CHALLENGE);
});

test('401: an authentication that was good once ends with the secret’s lifetime (decision 10)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const request = { basic: [client_id, client_secret], form } as const;
  for (let time = 0; time < 2; time += 1) assert.equal((await tenant.send('token', request)).status, 200);
  tenant.clock.advance(100);
  assertInvalidClient(await tenant.send('token', request), BASIC_CHALLENGE);
});

const grant = { grant_type: 'client_credentials' };

const METADATA = { ...SERVICE, token_endpoint_auth_method: 'client_secret_jwt' };

const LENGTHS = { HS256: 43, HS384: 48, HS512: 64 } as const;

async function ask(tenant: TestTenant, assertion: string): Promise<Answer> {
  return await tenant.send('token', { form: asserted(assertion, grant) });
}

for (const algorithm of HMAC_ALGORITHMS) {
  // proves openid-core-9-1
  test(`${algorithm} registered: the secret is long enough for it, and no other algorithm is accepted (decision 15; OpenID Connect Core 1.0 §9)`, async () => {
    const tenant = testTenant();
    const client = await secretJwtClient(tenant, { token_endpoint_auth_signing_alg: algorithm });
    assert.match(client.client_secret, /^[A-Za-z0-9]+$/);
    assert.equal(client.client_secret.length, LENGTHS[algorithm]);
    for (const used of HMAC_ALGORITHMS) {
      const sign = signerWith(client.client_secret, used);
      const { status } = await ask(tenant, sign(claimsOf(client.client_id)));
      assert.equal(status, used === algorithm ? 200 : 401, used);
    }
  });

  test(`${algorithm} of a client that has registered none: accepted (OpenID Connect Dynamic Client Registration 1.0 §2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await secretJwtClient(tenant);
    assert.equal(client_secret.length, 64);
    const sign = signerWith(client_secret, algorithm);
    assert.equal((await ask(tenant, sign(claimsOf(client_id)))).status, 200);
  });
}

test('a secret that is renewed is as long as the new algorithm asks (decision 15)', async () => {
  const tenant = testTenant();
  const client = await secretJwtClient(tenant, { token_endpoint_auth_signing_alg: 'HS256' });
  const json = { ...METADATA, token_endpoint_auth_signing_alg: 'HS512' };
  const updated = clientInformationOf(
    await tenant.send('client-update', { bearer: MASTER, id: client.client_id, json }),
  );
  assert.equal(updated.client_secret.length, 64);
  const sign = signerWith(updated.client_secret, 'HS512');
  assert.equal((await ask(tenant, sign(claimsOf(client.client_id)))).status, 200);
});

// proves openid-core-9-1
test('a secret of one’s own, in printable ASCII, is the key octet by octet (OpenID Connect Core 1.0 §9)', async () => {
  const tenant = testTenant();
  const preferred_client_secret = ` %41+"\\${'x'.repeat(26)}`;
  const client = await secretJwtClient(tenant, { preferred_client_secret });
  assert.equal(client.client_secret, preferred_client_secret);
  assert.equal((await ask(tenant, client.sign(claimsOf(client.client_id)))).status, 200);
  const tooShort = signerWith(client.client_secret, 'HS512');
  assertError(await ask(tenant, tooShort(claimsOf(client.client_id))), 'invalid_client');
});

// proves rfc7523-3-7
test('another secret, the registration token, an empty key: 401 invalid_client', async () => {
  const tenant = testTenant();
  const client = await secretJwtClient(tenant);
  const other = await secretJwtClient(tenant);
  const wrong = [other.client_secret, client.registration_access_token, '', client.client_id, 'undefined'];
  for (const secret of [...wrong, client.client_secret.slice(0, -1), `${client.client_secret}\n`]) {
    const sign = signerWith(secret);
    assertError(await ask(tenant, sign(claimsOf(client.client_id))), 'invalid_client');
  }
  assertError(await ask(tenant, signedJwt(KEY, claimsOf(client.client_id))), 'invalid_client');
});

test('every live secret is a key, a retired or expired one is none (decisions 9 and 10)', async () => {
  const tenant = testTenant({
    settings: { 'registration.previous-secret-grace': 100, 'registration.client-secret-lifetime': 1000 },
  });
  const client = await secretJwtClient(tenant);
  const request = { bearer: MASTER, id: client.client_id, json: METADATA };
  const { client_secret } = clientInformationOf(await tenant.send('client-update', request));
  const renewed = signerWith(client_secret);
  const claims = (): object => claimsOf(client.client_id, { exp: tenant.clock.now() + 60, iat: START });
  assert.equal((await ask(tenant, client.sign(claims()))).status, 200);
  assert.equal((await ask(tenant, renewed(claims()))).status, 200);
  tenant.clock.advance(100);
  assertError(await ask(tenant, client.sign(claims())), 'invalid_client');
  assert.equal((await ask(tenant, renewed(claims()))).status, 200);
  tenant.clock.advance(900);
  const late = claimsOf(client.client_id, { exp: tenant.clock.now() + 60, iat: undefined });
  assertError(await ask(tenant, renewed(late)), 'invalid_client');
});

test('a deleted client does not authenticate', async () => {
  const tenant = testTenant();
  const client = await secretJwtClient(tenant);
  assert.equal((await ask(tenant, client.sign(claimsOf(client.client_id)))).status, 200);
  await tenant.send('client-delete', { bearer: MASTER, id: client.client_id });
  assertError(await ask(tenant, client.sign(claimsOf(client.client_id))), 'invalid_client');
});
