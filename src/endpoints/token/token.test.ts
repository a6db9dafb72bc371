import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { digestOf } from '../../keys/digest.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import { assertBodiless, assertError, assertUncached, basicAuthorization } from '../../testing/exchange.ts';
import { aPerson } from '../../testing/person.ts';
import { DEFAULTS, MASTER, SERVICE, START, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const form = { grant_type: 'client_credentials' };

// proves rfc6749-2.3.1-1, rfc6749-5.1-1
test('client_credentials with HTTP Basic: 200 with a bearer token of the registered scope (RFC 6749 §4.4.3 and §5.1; interface)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read write' });
  const answered = await tenant.send('token', { basic: [client_id, client_secret], form });
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.headers['content-type'], 'application/json');
  assertUncached(answered);
  const { access_token, ...rest } = answered.json;
  assert.deepEqual(rest, {
    token_type: 'Bearer',
    expires_in: DEFAULTS['access-token.lifetime'],
    scope: 'read write',
  });
  assert.match(String(access_token), /^[0-9A-Za-z]{54}\.[A-Za-z0-9_-]{22}$/);
  const introspected = await tenant.introspect(String(access_token));
  assert.equal(introspected['client_id'], client_id);
  assert.equal(introspected['sub'], client_id);
  assert.equal(introspected['exp'], START + DEFAULTS['access-token.lifetime']);
});

test('200: client_secret_post authenticates in the body (RFC 6749 §2.3.1)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({
    ...SERVICE,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const answered = await tenant.send('token', { form: { ...form, client_id, client_secret } });
  assert.equal(answered.status, 200, answered.body);
});

const SCOPES: readonly (readonly [asked: string | undefined, granted: string])[] = [
  [undefined, 'read write admin'],
  ['', 'read write admin'],
  ['write', 'write'],
  ['write read', 'write read'],
  ['read read', 'read'],
  ['admin write read', 'admin write read'],
];

for (const [scope, granted] of SCOPES) {
  // proves rfc6749-3.3-1
  test(`200: scope ${String(scope)} of a client registered for "read write admin" grants "${granted}" (RFC 6749 §3.3)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read write admin' });
    const asked = scope === undefined ? form : { ...form, scope };
    const answered = await tenant.send('token', { basic: [client_id, client_secret], form: asked });
    assert.equal(answered.json['scope'], granted);
    const introspected = await tenant.introspect(String(answered.json['access_token']));
    assert.equal(introspected['scope'], granted);
  });
}

test('200: a client registered for no scope gets the empty one (decision 24)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const answered = await tenant.send('token', { basic: [client_id, client_secret], form });
  assert.equal(answered.json['scope'], '');
});

// proves rfc6749-10.10-2
test('200: every token is another one (RFC 6749 §10.10)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const tokens = new Set<unknown>();
  for (let count = 0; count < 30; count += 1) {
    tokens.add(
      (await tenant.send('token', { basic: [client_id, client_secret], form })).json['access_token'],
    );
  }
  assert.equal(tokens.size, 30);
});

// proves rfc6749-3.2-3
test('200: unknown parameters are ignored, empty ones are absent (RFC 6749 §3.2)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read' });
  const body = 'grant_type=client_credentials&x=1&x=2&client_secret=&scope=&client_id=&resource=';
  const answered = await tenant.send('token', { basic: [client_id, client_secret], form: body });
  assert.equal(answered.json['scope'], 'read', answered.body);
});

test('200: client_id in the body beside HTTP Basic is fine where it is the same', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const answered = await tenant.send('token', {
    basic: [client_id, client_secret],
    form: { ...form, client_id },
  });
  assert.equal(answered.status, 200);
});

const CREATED: AuditEvent = {
  at: START,
  action: 'client.create',
  outcome: 'done',
  actor: 'cli',
  client_id: null,
  request_id: 'vectors',
  detail: null,
};

interface BasicVector {
  readonly client_id: string;
  readonly client_secret: string;
  readonly oauth4webapi: string;
}

const VECTORS = new URL('../../../test/vectors/http-basic-client-auth.json', import.meta.url);

const { vectors } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { readonly vectors: readonly BasicVector[] };

test('the HTTP Basic vectors are there', () => {
  assert.ok(vectors.length >= 5);
});

for (const [index, { client_id, client_secret, oauth4webapi }] of vectors.entries()) {
  // proves rfc6749-2.3.1-1
  test(`200: HTTP Basic vector ${index + 1}: ${JSON.stringify(client_id)} authenticates (decision 17; RFC 6749 §2.3.1)`, async () => {
    const tenant = testTenant();
    await tenant.register({ ...SERVICE, preferred_client_id: 'app' });
    const [stored] = await tenant.storage.clients.page(undefined, 1);
    const [secret] = stored?.secrets ?? [];
    assert.ok(stored !== undefined && secret !== undefined);
    await tenant.storage.clients.create(
      {
        ...stored,
        client_id: client_id as typeof stored.client_id,
        instance: 'vector' as typeof stored.instance,
        registration_token_digest: digestOf('another'),
        secrets: [{ ...secret, digest: digestOf(client_secret) }],
      },
      { reuseDeletedId: false, now: START, event: CREATED },
    );
    const answered = await tenant.send('token', { authorization: oauth4webapi, form });
    assert.equal(answered.status, 200, answered.body);
    const wrong = `Basic ${Buffer.from(`${encodeURIComponent(client_id)}:x`).toString('base64')}`;
    assert.equal((await tenant.send('token', { authorization: wrong, form })).status, 401);
  });
}

test('the master token has nothing to do with the token endpoint', async () => {
  assert.equal((await testTenant().send('token', { bearer: MASTER, form })).status, 401);
});

const FORMS: readonly (readonly [form: string, words: RegExp])[] = [
  ['', /^grant_type is missing$/],
  ['grant_type=', /^grant_type is missing$/],
  ['scope=read', /^grant_type is missing$/],
  ['grant_type=client_credentials&grant_type=client_credentials', /^grant_type is given more than once$/],
  ['grant_type=client_credentials&scope=read&scope=', /^scope is given more than once$/],
  ['grant_type=client_credentials&client_id=a&client_id=a', /^client_id is given more than once$/],
  ['grant_type=client_credentials&scope=%', /not correctly encoded/],
  ['grant_type=client_credentials&x=%ff', /not correctly encoded/],
  ['grant_type=client_credentials&x=%00', /not correctly encoded/],
  ['grant_type=client_credentials&x=é', /not application\/x-www-form-urlencoded/],
  [`grant_type=client_credentials${'&a=b'.repeat(32)}`, /^more than 32 parameters$/],
];

for (const [form, words] of FORMS) {
  // proves rfc6749-3.2-3
  test(`POST /token with ${form.slice(0, 70) || 'an empty body'}: 400 invalid_request (RFC 6749 §5.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read' });
    assertError(
      await tenant.send('token', { basic: [client_id, client_secret], form }),
      'invalid_request',
      words,
    );
  });
}

for (const contentType of [
  null,
  'application/json',
  'multipart/form-data',
  'application/x-www-form-urlencoded; charset=utf-16',
]) {
  test(`POST /token with Content-Type ${String(contentType)}: 400 invalid_request (RFC 6749 §3.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(SERVICE);
    const form = { grant_type: 'client_credentials' };
    const answered = await tenant.send('token', { basic: [client_id, client_secret], form, contentType });
    assertError(answered, 'invalid_request', /^Content-Type/);
  });
}

// proves rfc6749-2.3-1
test('two methods of client authentication at once: 400 invalid_request, right or wrong (decision 17; RFC 6749 §2.3)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  for (const authorization of [
    basicAuthorization(client_id, client_secret),
    'Basic !',
    'Basic YTpi',
    'Bearer abc',
    'Bearer',
    'Digest x',
  ]) {
    assertError(
      await tenant.send('token', { authorization, form }),
      'invalid_request',
      /more than one client authentication method/,
    );
  }
  const { client_secret: _, ...rest } = form;
  const secretOnly = {
    authorization: basicAuthorization(client_id, client_secret),
    form: { ...rest, client_secret: 'x' },
  };
  assertError(
    await tenant.send('token', secretOnly),
    'invalid_request',
    /more than one client authentication method/,
  );
});

for (const grant_type of [
  'implicit',
  'authorization-code',
  'CLIENT_CREDENTIALS',
  'client_credentials ',
  'constructor',
  'urn:x',
]) {
  // proves rfc6749-5.2-1
  test(`grant_type=${grant_type}: 400 unsupported_grant_type (RFC 6749 §5.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(SERVICE);
    const answered = await tenant.send('token', { basic: [client_id, client_secret], form: { grant_type } });
    assertError(answered, 'unsupported_grant_type');
  });
}

// proves rfc6749-5.2-1
test('a client that is not registered for the grant: 400 unauthorized_client (RFC 6749 §5.2)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(WEB_CLIENT);
  const form = { grant_type: 'client_credentials' };
  assertError(await tenant.send('token', { basic: [client_id, client_secret], form }), 'unauthorized_client');
  assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
});

for (const scope of ['write', 'read write', 'READ', ' ', 'read  write', 'a"b', 'a\\b', 'lés', 'read\tx']) {
  // proves rfc6749-3.3-1
  test(`scope=${scope} of a client registered for "read": 400 invalid_scope (RFC 6749 §3.3 and §5.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read' });
    const form = { grant_type: 'client_credentials', scope };
    assertError(await tenant.send('token', { basic: [client_id, client_secret], form }), 'invalid_scope');
    assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
  });
}

// proves rfc6749-4.3.2-1
test('grant_type=password, guessed too often: 429 with Retry-After, for the right password too (RFC 6749 §4.3.2: "MUST protect the endpoint against brute force attacks")', async () => {
  const tenant = testTenant({ settings: { 'sign-in.attempts-per-account-and-network': 2 } });
  await aPerson(tenant);
  const { client_id, client_secret } = await tenant.register({ grant_types: ['password'] });
  const attempt = async (password: string) =>
    await tenant.send('token', {
      basic: [client_id, client_secret],
      form: { grant_type: 'password', username: 'Ada', password },
    });
  for (let count = 0; count < 2; count += 1) assert.equal((await attempt('guess')).status, 400);
  const refused = await attempt('correct horse');
  assert.equal(refused.status, 429);
  assert.match(refused.headers['retry-after'] ?? '', /^[1-9][0-9]*$/);
  assert.equal(refused.json['error'], 'temporarily_unavailable');
});

for (const verb of ['clients.find', 'accessTokens.issue']) {
  test(`POST /token, ${verb} fails: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(SERVICE);
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(await tenant.send('token', { basic: [client_id, client_secret], form }), 500);
    assert.deepEqual(tenant.reports, [cause]);
  });
}
