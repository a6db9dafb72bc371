import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { digestOf } from '../../keys/digest.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import { assertUncached } from '../../testing/exchange.ts';
import { DEFAULTS, MASTER, SERVICE, START, testTenant } from '../../testing/tenant.ts';

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

test('client_secret_post authenticates in the body (RFC 6749 §2.3.1)', async () => {
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
  test(`scope ${String(scope)} of a client registered for "read write admin" grants "${granted}" (RFC 6749 §3.3)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read write admin' });
    const asked = scope === undefined ? form : { ...form, scope };
    const answered = await tenant.send('token', { basic: [client_id, client_secret], form: asked });
    assert.equal(answered.json['scope'], granted);
    const introspected = await tenant.introspect(String(answered.json['access_token']));
    assert.equal(introspected['scope'], granted);
  });
}

test('a client registered for no scope gets the empty one (decision 24)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const answered = await tenant.send('token', { basic: [client_id, client_secret], form });
  assert.equal(answered.json['scope'], '');
});

// proves rfc6749-10.10-2
test('every token is another one (RFC 6749 §10.10)', async () => {
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
test('unknown parameters are ignored, empty ones are absent (RFC 6749 §3.2)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read' });
  const body = 'grant_type=client_credentials&x=1&x=2&client_secret=&scope=&client_id=&resource=';
  const answered = await tenant.send('token', { basic: [client_id, client_secret], form: body });
  assert.equal(answered.json['scope'], 'read', answered.body);
});

test('client_id in the body beside HTTP Basic is fine where it is the same', async () => {
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
  test(`HTTP Basic vector ${index + 1}: ${JSON.stringify(client_id)} authenticates (decision 17; RFC 6749 §2.3.1)`, async () => {
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
