import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import { ISSUER, MASTER, SERVICE, type TestTenant, testTenant } from '../../testing/tenant.ts';

const A = 'https://a.example/api';
const B = 'urn:example:b';

async function ask(tenant: TestTenant, metadata: object, ...resources: readonly string[]) {
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, ...metadata });
  const form = [
    'grant_type=client_credentials',
    ...resources.map((resource) => `resource=${encodeURIComponent(resource)}`),
  ].join('&');
  return await tenant.send('token', { basic: [client_id, client_secret], form });
}

const audienceOf = async (tenant: TestTenant, token: unknown): Promise<unknown> =>
  (await tenant.introspect(String(token)))['aud'];

// proves rfc8707-2-3, rfc8707-2-5
test('resource is the audience of the token; it may be repeated, and is kept once (RFC 8707 §2)', async () => {
  const tenant = testTenant();
  for (const [resources, audience] of [
    [[], undefined],
    [[A], [A]],
    [
      [A, B, A],
      [A, B],
    ],
  ] as const) {
    const answered = await ask(tenant, {}, ...resources);
    assert.equal(answered.status, 200, answered.body);
    assert.deepEqual(await audienceOf(tenant, answered.json['access_token']), audience);
  }
});

const BAD = [
  'a.example',
  '/api',
  `${A}#`,
  `${A}#part`,
  '//a.example/',
  'https://',
  'https://a.example/ü',
  `https://a.example/${'x'.repeat(2000)}`,
];

for (const resource of BAD) {
  // proves rfc8707-2-1
  test(`resource=${resource.slice(0, 40)}: 400 invalid_target (RFC 8707 §2: an absolute URI without fragment)`, async () => {
    assertError(
      await ask(testTenant(), {}, A, resource),
      'invalid_target',
      /^resource '.+' must be an absolute URI of at most 2000 characters without a fragment$/,
    );
  });
}

test('a resource with a space is not read as two: 400 invalid_request', async () => {
  assertError(await ask(testTenant(), {}, `${A} ${B}`), 'invalid_request', /^resource holds a space$/);
});

// proves rfc8707-2-4
test('the server may issue tokens for some resources only: any other is 400 invalid_target (RFC 8707 §2)', async () => {
  const tenant = testTenant({ settings: { 'access-token.resources': [A] } });
  assert.equal((await ask(tenant, {}, A)).status, 200);
  assert.equal((await ask(tenant, {})).status, 200);
  assertError(
    await ask(tenant, {}, A, B),
    'invalid_target',
    /^resource 'urn:example:b' is not allowed for this client$/,
  );
});

// proves rfc8707-2-4
test('chancery_access_token_audience is the audience where none is asked for, and all that may be asked for', async () => {
  const tenant = testTenant({ settings: { 'access-token.resources': ['https://other.example'] } });
  const metadata = { chancery_access_token_audience: [A, B] };
  const all = await ask(tenant, metadata);
  assert.deepEqual(await audienceOf(tenant, all.json['access_token']), [A, B]);
  const one = await ask(tenant, metadata, B);
  assert.deepEqual(await audienceOf(tenant, one.json['access_token']), [B]);
  assertError(await ask(tenant, metadata, 'https://other.example'), 'invalid_target');
  assertError(await ask(tenant, { chancery_access_token_audience: [] }, A), 'invalid_target');
});

test('chancery_access_token_format and chancery_access_token_lifetime are those of the client, up to the longest lifetime there is (decision 20)', async () => {
  const tenant = testTenant();
  const short = await ask(tenant, {
    chancery_access_token_format: 'self-contained',
    chancery_access_token_lifetime: 60,
  });
  assert.equal(short.json['expires_in'], 60);
  const token = String(short.json['access_token']);
  assert.equal(token.split('.').length, 3);
  const introspected = await tenant.introspect(token);
  assert.deepEqual([introspected['active'], introspected['aud']], [true, [ISSUER]]);
  tenant.clock.advance(60);
  assert.deepEqual(await tenant.introspect(token), { active: false });
  const long = await ask(tenant, { chancery_access_token_lifetime: 100_000 });
  assert.equal(long.json['expires_in'], 86_400);
});

test('the server’s format is for clients that say nothing', async () => {
  const tenant = testTenant({ settings: { 'access-token.format': 'self-contained' } });
  assert.match(String((await ask(tenant, {})).json['access_token']), /^eyJ/);
  const answered = await ask(tenant, { chancery_access_token_format: 'identifier' });
  assert.match(String(answered.json['access_token']), /^[0-9A-Za-z]{54}\./);
});

const POLICIES = [
  { chancery_access_token_format: 'self-contained' },
  { chancery_access_token_lifetime: 60 },
  { chancery_access_token_audience: [A] },
];

for (const policy of POLICIES) {
  const [member = ''] = Object.keys(policy);
  test(`${member} needs the master token or client-reg: no narrower scope permits it`, async () => {
    const tenant = testTenant();
    const json = { ...SERVICE, ...policy };
    const narrow = await tenant.initialToken(
      'client-reg:grant:client',
      'client-reg:data',
      'client-reg:scope',
    );
    const refused = await tenant.send('client-registration', { bearer: narrow, json });
    assertError(refused, 'insufficient_scope', /: client-reg$/);
    const whole = await tenant.initialToken('client-reg');
    assert.equal((await tenant.send('client-registration', { bearer: whole, json })).status, 200);
  });

  test(`${member} is neither set nor lost by an update of the client itself, and replaced by the master token’s`, async () => {
    const tenant = testTenant();
    const { client_id, registration_access_token } = await tenant.register({ ...SERVICE, ...policy });
    const update = async (bearer: string, json: object) =>
      await tenant.send('client-update', { bearer, id: client_id, json: { ...SERVICE, ...json } });
    const kept = await update(registration_access_token, {});
    assert.deepEqual(kept.json[member], Object.values(policy)[0]);
    const token = String(kept.json['registration_access_token']);
    const own = {
      chancery_access_token_format: 'identifier',
      chancery_access_token_lifetime: 9000,
      chancery_access_token_audience: [B],
    };
    const ignored = await update(token, own);
    assert.deepEqual(ignored.json[member], Object.values(policy)[0], ignored.body);
    for (const other of Object.keys(own)) assert.equal(other in ignored.json, other === member);
    const removed = await update(MASTER, {});
    assert.equal(member in removed.json, false);
  });
}
