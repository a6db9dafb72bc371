import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBusyForClientKeys } from '../../testing/busy-for-client-keys.ts';
import {
  type Answer,
  assertBodiless,
  assertError,
  assertUncached,
  type TestRequest,
} from '../../testing/exchange.ts';
import { SERVICE, type TestTenant, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

const INACTIVE = { active: false };

/** RFC 7009 §2.2: 200, and nothing that a client would have to read. */
function assertRevoked(answered: Answer): void {
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.body, '');
  assert.equal(answered.headers['content-type'], undefined);
  assertUncached(answered);
}

interface Owner {
  readonly basic: readonly [id: string, secret: string];
  readonly token: () => Promise<string>;
}

async function ownerOf(tenant: TestTenant): Promise<Owner> {
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read' });
  const basic = [client_id, client_secret] as const;
  const form = { grant_type: 'client_credentials' };
  return {
    basic,
    token: async () => String((await tenant.send('token', { basic, form })).json['access_token']),
  };
}

// proves rfc7009-2-1
test('POST /token/revoke: 200, and the very next introspection says inactive; tokens beside it stay (RFC 7009 §2)', async () => {
  const tenant = testTenant();
  const { basic, token } = await ownerOf(tenant);
  const [revoked, kept] = [await token(), await token()];
  assert.equal((await tenant.introspect(revoked))['active'], true);
  assertRevoked(await tenant.send('revocation', { basic, form: { token: revoked } }));
  assert.deepEqual(await tenant.introspect(revoked), INACTIVE);
  assert.equal((await tenant.introspect(kept))['active'], true);
});

// proves rfc7009-2.2-1
test('a token that was revoked, was never issued, or has expired: 200 (RFC 7009 §2.2)', async () => {
  const tenant = testTenant();
  const { basic, token } = await ownerOf(tenant);
  const [revoked, expired] = [await token(), await token()];
  await tenant.send('revocation', { basic, form: { token: revoked } });
  tenant.clock.advance(600);
  for (const nothing of [revoked, expired, 'x', 'a.b.c', 'eyJhbGciOiJub25lIn0.e30.', `${revoked}x`]) {
    assertRevoked(await tenant.send('revocation', { basic, form: { token: nothing } }));
  }
});

for (const token_type_hint of ['access_token', 'refresh_token', 'id_token', 'nonsense', '']) {
  // proves rfc7009-2.1-1
  test(`200: token_type_hint=${token_type_hint} changes nothing (RFC 7009 §2.1)`, async () => {
    const tenant = testTenant();
    const { basic, token } = await ownerOf(tenant);
    const revoked = await token();
    assertRevoked(await tenant.send('revocation', { basic, form: { token: revoked, token_type_hint } }));
    assert.deepEqual(await tenant.introspect(revoked), INACTIVE);
  });
}

// proves rfc7009-2.1-2
test('200: a public client says who it is and ends its own token (RFC 7009 §2.1; RFC 6749 §3.2.1)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const token = await tenant.authorize({ sub: 'alice', client_id, scope: ['read'] });
  assertRevoked(await tenant.send('revocation', { form: { token, client_id } }));
  assert.deepEqual(await tenant.introspect(token), INACTIVE);
});

test('200: a confidential client may authenticate in the body', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({
    ...SERVICE,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  assertRevoked(await tenant.send('revocation', { form: { token, client_id, client_secret } }));
  assert.deepEqual(await tenant.introspect(token), INACTIVE);
});

test('200: an initial access token that its client revoked registers no client', async () => {
  const tenant = testTenant();
  const { basic } = await ownerOf(tenant);
  const token = await tenant.authorize({ client_id: basic[0], scope: ['client-reg'] });
  assertRevoked(await tenant.send('revocation', { basic, form: { token } }));
  assert.equal((await tenant.send('client-registration', { bearer: token, json: WEB_CLIENT })).status, 401);
});

test('200: the audit says who revoked what: a token, and a grant by its refresh token', async () => {
  const tenant = testTenant();
  const { basic, token } = await ownerOf(tenant);
  await tenant.send('revocation', { basic, form: { token: await token() } });
  await tenant.send('revocation', { basic, form: { token: 'nothing' } });
  const events = (await tenant.storage.audit.page(0, 100)).filter(({ action }) => action === 'token.revoke');
  assert.deepEqual(
    events.map(({ actor, client_id, detail }) => [actor, client_id, detail]),
    [[`client:${basic[0]}`, basic[0], null]],
  );
});

const ROWS: readonly (readonly [form: string, words: RegExp])[] = [
  ['', /^token is missing$/],
  ['token=', /^token is missing$/],
  ['token=&token_type_hint=access_token', /^token is missing$/],
  ['Token=x', /^token is missing$/],
  ['token=x&token=y', /^token is given more than once$/],
  ['token=x&token_type_hint=a&token_type_hint=b', /^token_type_hint is given more than once$/],
  ['token=%', /not correctly encoded/],
  [`token=x${'&a=b'.repeat(32)}`, /^more than 32 parameters$/],
];

for (const [form, words] of ROWS) {
  // proves rfc7009-2.1-1, rfc7009-2.2.1-1
  test(`POST /token/revoke with ${form.slice(0, 60) || 'an empty body'}: 400 invalid_request (RFC 7009 §2.2.1; RFC 6749 §5.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(SERVICE);
    assertError(
      await tenant.send('revocation', { basic: [client_id, client_secret], form }),
      'invalid_request',
      words,
    );
  });
}

test('POST /token/revoke with JSON: 400 invalid_request', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const request = { basic: [client_id, client_secret], contentType: 'application/json', body: '{}' } as const;
  assertError(await tenant.send('revocation', request), 'invalid_request', /^Content-Type/);
});

test('two ways of authentication at once: 400 invalid_request (decision 17)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const form = { token: 'x', client_id, client_secret };
  assertError(
    await tenant.send('revocation', { basic: [client_id, client_secret], form }),
    'invalid_request',
  );
});

// proves rfc7009-2.1-3
test('a live token of another client: 400 invalid_grant, and the token lives (RFC 7009 §2.1)', async () => {
  const tenant = testTenant();
  const owner = await tenant.register(SERVICE);
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const { client_id: publicClient } = await tenant.register({
    ...WEB_CLIENT,
    token_endpoint_auth_method: 'none',
  });
  const initial = await tenant.initialToken('client-reg');
  const token = await tenant.authorize({ client_id: owner.client_id, scope: ['read'] });
  for (const foreign of [token, initial]) {
    const basic = [client_id, client_secret] as const;
    assertError(await tenant.send('revocation', { basic, form: { token: foreign } }), 'invalid_grant');
    const form = { token: foreign, client_id: publicClient };
    assertError(await tenant.send('revocation', { form }), 'invalid_grant');
    assert.equal((await tenant.introspect(foreign))['active'], true);
  }
});

const NOBODY: readonly (readonly [who: string, request: TestRequest])[] = [
  ['nobody', {}],
  ['an unknown client', { basic: ['nobody', 'x'] }],
  ['an unknown public client', { form: { client_id: 'nobody' } }],
  ['a bearer token', { bearer: 'x' }],
  ['an empty header', { authorization: '' }],
];

for (const [who, request] of NOBODY) {
  // proves rfc7009-2.1-2
  test(`POST /token/revoke by ${who}: 401 invalid_client, before the token is looked at (RFC 7009 §2.1)`, async () => {
    const tenant = testTenant();
    const { client_id } = await tenant.register(SERVICE);
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    const { form = {} } = request;
    assert.ok(typeof form === 'object');
    assertError(await tenant.send('revocation', { ...request, form: { ...form, token } }), 'invalid_client');
    assert.equal((await tenant.introspect(token))['active'], true);
  });
}

// proves rfc6749-3.2.1-2, rfc7009-2.1-2
test('a confidential client that only says who it is: 401 invalid_client, whatever its method', async () => {
  const tenant = testTenant();
  for (const token_endpoint_auth_method of [
    'client_secret_basic',
    'client_secret_post',
    'client_secret_jwt',
  ]) {
    const { client_id } = await tenant.register({ ...SERVICE, token_endpoint_auth_method });
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    assertError(await tenant.send('revocation', { form: { client_id, token } }), 'invalid_client');
    assert.equal((await tenant.introspect(token))['active'], true);
  }
});

// proves rfc6749-3.2.1-2
test('a public client with a secret that it does not have: 401 invalid_client', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  for (const request of [
    { form: { client_id, client_secret: 'x', token } },
    { basic: [client_id, 'x'], form: { token } },
  ] as const) {
    assertError(await tenant.send('revocation', request), 'invalid_client');
  }
  assert.equal((await tenant.introspect(token))['active'], true);
});

test('401: a public client opens neither introspection nor a grant that it is not registered for', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  const form = { client_id, token: 'x' };
  assertError(await tenant.send('introspection', { form }), 'invalid_client');
  const grant = { client_id, grant_type: 'client_credentials' };
  assertError(await tenant.send('token', { form: grant }), 'unauthorized_client');
});

for (const verb of ['clients.find', 'accessTokens.find', 'accessTokens.revoke']) {
  // proves rfc7009-5-1
  test(`POST /token/revoke, ${verb} fails: 500 without body, never 200, and only the report has the cause (RFC 7009 §2.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(SERVICE);
    const token = await tenant.authorize({ client_id, scope: ['read'] });
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause, verb);
    assertBodiless(
      await tenant.send('revocation', { basic: [client_id, client_secret], form: { token } }),
      500,
    );
    assert.deepEqual(tenant.reports, [cause]);
  });
}

test('POST /token/revoke: 503 with Retry-After while the server is too busy to fetch the keys of the client (decision 50)', async () => {
  await assertBusyForClientKeys('revocation', { token: 'x' });
});
