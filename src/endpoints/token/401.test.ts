import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, assertError, basicAuthorization, type TestRequest } from '../../testing/exchange.ts';
import {
  type ClientInformation,
  ISSUER,
  MASTER,
  SERVICE,
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

test('a client of client_secret_post that sends HTTP Basic with the right secret: the same 401 (decisions 17 and 19)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(POST);
  assertInvalidClient(
    await tenant.send('token', { basic: [client_id, client_secret], form }),
    BASIC_CHALLENGE,
  );
});

test('a public client that sends a secret: the same 401 (decision 17)', async () => {
  const tenant = testTenant();
  const json = { ...SERVICE, grant_types: ['password'], token_endpoint_auth_method: 'none' };
  const { client_id } = await tenant.register(json);
  assertInvalidClient(await tenant.send('token', { basic: [client_id, 'x'], form }), BASIC_CHALLENGE);
  assertInvalidClient(
    await tenant.send('token', { form: { ...form, client_id, client_secret: 'x' } }),
    undefined,
  );
});

// proves rfc6749-3.2.1-1, rfc6749-5.2-2
test('client_secret_post, unknown client, wrong secret, wrong method, no id: the same 401 without a challenge (decision 19)', async () => {
  const tenant = testTenant();
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

test('the reason is in the report only (decision 19)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  assert.equal(await detailOf(tenant, { basic: ['nobody', 'x'], form }), 'unknown client');
  assert.equal(await detailOf(tenant, { basic: [client_id, 'x'], form }), 'wrong or expired secret');
  const byPost = { form: { ...form, client_id, client_secret } };
  assert.equal(await detailOf(tenant, byPost), 'not the registered method');
});

test('who does not authenticate learns nothing about the grant (RFC 6749 §5.2)', async () => {
  const tenant = testTenant();
  for (const each of ['', 'grant_type=unknown', 'grant_type=client_credentials&scope=x']) {
    assertInvalidClient(await tenant.send('token', { basic: ['nobody', 'x'], form: each }), BASIC_CHALLENGE);
  }
});

for (const authorization of ['Bearer', 'Bearer ', 'bearer a b']) {
  test(`Authorization: ${authorization} beside a secret in the body makes nobody who sends the header the client (decision 17)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(POST);
    await tenant.send('token', { authorization, form: { ...form, client_id, client_secret } });
    assertInvalidClient(await tenant.send('token', { authorization, form }), undefined);
  });
}

test('an authentication that was good once is judged anew each time: secret renewed, client deleted (decisions 9 and 14)', async () => {
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

test('an authentication that was good once ends with the secret’s lifetime (decision 10)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const request = { basic: [client_id, client_secret], form } as const;
  for (let time = 0; time < 2; time += 1) assert.equal((await tenant.send('token', request)).status, 200);
  tenant.clock.advance(100);
  assertInvalidClient(await tenant.send('token', request), BASIC_CHALLENGE);
});
