import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, assertBodiless, assertError } from '../../testing/exchange.ts';
import {
  DIRECT,
  MASTER,
  type TestTenant,
  type TestTenantOptions,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

const REFRESHING = { ...WEB_CLIENT, grant_types: ['authorization_code', 'refresh_token'] };
const PUBLIC = { ...REFRESHING, token_endpoint_auth_method: 'none' };
const INACTIVE = { active: false };

interface Granted {
  readonly tenant: TestTenant;
  readonly client_id: string;
  readonly bearer: string;
  readonly access: string;
  readonly refresh: string;
  /** Uses a refresh token as the client does. */
  readonly use: (refresh_token: string, more?: object) => Promise<Answer>;
}

interface Circumstances {
  readonly metadata?: object;
  readonly request?: object;
  readonly wishes?: object;
  readonly options?: TestTenantOptions;
}

async function granted({
  metadata = REFRESHING,
  request,
  wishes,
  options,
}: Circumstances = {}): Promise<Granted> {
  const tenant = testTenant(options);
  const { client_id, client_secret, registration_access_token } = await tenant.register(metadata);
  const refresh_token = { issue: true, ...wishes };
  const json = { client_id, sub: 'alice', scope: ['read', 'write'], refresh_token, ...request };
  const answered = await tenant.send('direct-authorization', { bearer: DIRECT, json });
  assert.equal(answered.status, 200, answered.body);
  return {
    tenant,
    client_id,
    bearer: registration_access_token,
    access: String(answered.json['access_token']),
    refresh: String(answered.json['refresh_token']),
    async use(token, more = {}) {
      const form = { grant_type: 'refresh_token', refresh_token: token, ...more };
      return await tenant.send(
        'token',
        client_secret === '' ? { form: { client_id, ...form } } : { basic: [client_id, client_secret], form },
      );
    },
  };
}

const tokenOf = ({ json }: Answer, member = 'access_token'): string => String(json[member]);

test('a refresh token gets an access token of the same subject, scope, audience and data (RFC 6749 §6)', async () => {
  const request = { resources: ['urn:a'], data: { role: 'x' }, username: 'al' };
  const { tenant, use, refresh, access } = await granted({ request });
  const before = await tenant.introspect(access);
  tenant.clock.advance(300);
  const answered = await use(refresh);
  assert.equal(answered.status, 200, answered.body);
  const { jti: _, ...after } = await tenant.introspect(tokenOf(answered));
  const { jti: __, ...expected } = before;
  const iat = Number(expected['iat']) + 300;
  assert.deepEqual(after, { ...expected, iat, exp: iat + 600 });
});

test('a confidential client keeps its refresh token; each access token is another one (RFC 6749 §6: "MAY issue a new refresh token")', async () => {
  const { tenant, use, refresh, access } = await granted();
  const tokens = new Set([access]);
  for (let round = 0; round < 3; round += 1) {
    const answered = await use(refresh);
    assert.equal(tokenOf(answered, 'refresh_token'), refresh);
    tokens.add(tokenOf(answered));
  }
  assert.equal(tokens.size, 4);
  for (const token of tokens) assert.equal((await tenant.introspect(token))['active'], true);
});

const ROTATING: readonly (readonly [why: string, circumstances: Circumstances])[] = [
  ['of a public client', { metadata: PUBLIC }],
  ['that was asked for so', { wishes: { rotate: true } }],
  ['by the setting', { options: { settings: { 'refresh-token.rotate': true } } }],
];

for (const [why, circumstances] of ROTATING) {
  // proves rfc6749-3.2.1-2, rfc6749-6-3, mcp-security-1
  test(`a refresh token ${why} is rotated; used again it ends the grant and every access token of it (RFC 9700 §4.14.2)`, async () => {
    const { tenant, use, refresh, access } = await granted(circumstances);
    const first = await use(refresh);
    const next = tokenOf(first, 'refresh_token');
    assert.notEqual(next, refresh);
    const second = await use(next);
    assert.equal(second.status, 200, second.body);
    assertError(await use(refresh), 'invalid_grant', /^the refresh token is not valid$/);
    for (const token of [access, tokenOf(first), tokenOf(second)]) {
      assert.deepEqual(await tenant.introspect(token), INACTIVE);
    }
    assertError(await use(tokenOf(second, 'refresh_token')), 'invalid_grant');
    assert.equal(tenant.log.filter(({ message }) => message.includes('used again')).length, 1);
  });
}

test('rotate false at the direct endpoint is stronger than the setting', async () => {
  const options = { settings: { 'refresh-token.rotate': true } };
  const { use, refresh } = await granted({ wishes: { rotate: false }, options });
  assert.equal(tokenOf(await use(refresh), 'refresh_token'), refresh);
});

// proves rfc6749-6-3
test('ten parallel uses of a rotated token: one succeeds, and the grant ends', async () => {
  const { tenant, use, refresh, access } = await granted({ metadata: PUBLIC });
  const answers = await Promise.all(Array.from({ length: 10 }, async () => await use(refresh)));
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  for (const token of [access, ...won.map((answer) => tokenOf(answer))]) {
    assert.deepEqual(await tenant.introspect(token), INACTIVE);
  }
  const ends = (await tenant.storage.audit.page(0, 100)).filter(({ action }) => action === 'grant.end');
  assert.equal(ends.length, 1);
  assert.match(ends[0]?.detail ?? '', /refresh token used again$/);
});

// proves rfc6749-6-2
test('a narrower scope is that of the new access token only; the grant keeps its own (RFC 6749 §6)', async () => {
  const { tenant, use, refresh } = await granted();
  const narrow = await use(refresh, { scope: 'write' });
  assert.equal(narrow.json['scope'], 'write');
  assert.equal((await tenant.introspect(tokenOf(narrow)))['scope'], 'write');
  assert.equal((await use(refresh)).json['scope'], 'read write');
});

// proves rfc6749-6-2
test('a wider or malformed scope: 400 invalid_scope, and the refresh token is not used up', async () => {
  const { use, refresh } = await granted({ metadata: PUBLIC });
  for (const scope of ['read admin', 'admin', 'read\twrite', '"']) {
    assertError(await use(refresh, { scope }), 'invalid_scope');
  }
  assert.equal((await use(refresh)).status, 200);
});

// proves rfc8707-2.2-1
test('resource: one of those granted, or 400 invalid_target and the refresh token is not used up (RFC 8707 §2.2)', async () => {
  const { tenant, use, refresh } = await granted({
    metadata: PUBLIC,
    request: { resources: ['urn:a', 'urn:b'] },
  });
  assertError(
    await use(refresh, { resource: 'urn:c' }),
    'invalid_target',
    /^resource 'urn:c' was not granted$/,
  );
  const answered = await use(refresh, { resource: 'urn:b' });
  assert.deepEqual((await tenant.introspect(tokenOf(answered)))['aud'], ['urn:b']);
  const whole = await use(tokenOf(answered, 'refresh_token'));
  assert.deepEqual((await tenant.introspect(tokenOf(whole)))['aud'], ['urn:a', 'urn:b']);
});

// proves rfc6749-5.2-3
test('a refresh token lives as long as was said, however often it is used', async () => {
  const { tenant, use, refresh } = await granted({ wishes: { lifetime: 100 } });
  tenant.clock.advance(99);
  const last = await use(refresh);
  assert.equal(last.json['refresh_token_expires_in'], 1);
  tenant.clock.advance(1);
  assertError(await use(refresh), 'invalid_grant');
});

test('max_idle begins anew with each use, and ends with the lifetime', async () => {
  const { tenant, use, refresh } = await granted({ wishes: { lifetime: 250, max_idle: 100 } });
  for (const expected of [100, 70]) {
    tenant.clock.advance(90);
    assert.equal((await use(refresh)).json['refresh_token_expires_in'], expected);
  }
  tenant.clock.advance(70);
  assertError(await use(refresh), 'invalid_grant');
  const idle = await granted({ wishes: { max_idle: 100 } });
  idle.tenant.clock.advance(100);
  assertError(await idle.use(idle.refresh), 'invalid_grant');
});

// proves rfc6749-5.2-3
test('what is no refresh token: 400 invalid_grant, without a look-up', async () => {
  const { tenant, use, refresh, access } = await granted();
  tenant.watch.calls.length = 0;
  for (const token of [
    access,
    `${refresh}x`,
    refresh.slice(0, -1),
    `${refresh.slice(0, 92)}é`,
    'x',
    'a.b.c',
  ]) {
    assertError(await use(token), 'invalid_grant');
  }
  assert.equal(
    tenant.watch.calls.some((call) => call.startsWith('grants.')),
    false,
  );
});

test('a missing refresh_token: 400 invalid_request', async () => {
  const { use } = await granted();
  assertError(await use(''), 'invalid_request', /^refresh_token is missing$/);
});

// proves rfc6749-6-1
test('the refresh token of another client: 400 invalid_grant, and its owner still has it (RFC 6749 §6)', async () => {
  const { tenant, use, refresh } = await granted();
  for (const metadata of [PUBLIC, REFRESHING]) {
    const { client_id, client_secret } = await tenant.register(metadata);
    const form = { grant_type: 'refresh_token', refresh_token: refresh };
    const request =
      client_secret === ''
        ? { form: { ...form, client_id } }
        : ({ basic: [client_id, client_secret], form } as const);
    assertError(await tenant.send('token', request), 'invalid_grant');
  }
  assert.equal((await use(refresh)).status, 200);
});

test('a client that is no longer registered for refresh_token: 400 unauthorized_client', async () => {
  const { tenant, use, refresh, client_id } = await granted({ metadata: PUBLIC });
  const json = { ...PUBLIC, grant_types: ['authorization_code'] };
  await tenant.send('client-update', { bearer: MASTER, id: client_id, json });
  assertError(await use(refresh), 'unauthorized_client');
});

// proves rfc6749-6-1
test('the grants of a deleted client are gone, also for the client that takes its id', async () => {
  const { tenant, refresh, access, client_id, bearer } = await granted({ metadata: PUBLIC });
  await tenant.send('client-delete', { bearer, id: client_id });
  assert.deepEqual(await tenant.introspect(access), INACTIVE);
  await tenant.register({ ...PUBLIC, preferred_client_id: client_id });
  const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id };
  assertError(await tenant.send('token', { form }), 'invalid_grant');
});

test('a refresh token is inactive at introspection (interface, Limits)', async () => {
  const { tenant, refresh } = await granted();
  assert.deepEqual(await tenant.introspect(refresh), INACTIVE);
});

test('self-contained access tokens are refreshed as such, and end with their grant', async () => {
  const metadata = { ...PUBLIC, chancery_access_token_format: 'self-contained' };
  const { tenant, use, refresh, access } = await granted({ metadata });
  const answered = await use(refresh);
  const token = tokenOf(answered);
  assert.match(token, /^eyJ/);
  assert.equal((await tenant.introspect(token))['active'], true);
  await use(refresh);
  for (const ended of [token, access]) assert.deepEqual(await tenant.introspect(ended), INACTIVE);
});

for (const verb of ['grants.find', 'grants.refresh']) {
  test(`${verb} fails: 500 without body, never 400, and the refresh token is still good`, async () => {
    const { tenant, use, refresh } = await granted({ metadata: PUBLIC });
    tenant.watch.fail(new Error('disk full'), verb);
    assertBodiless(await use(refresh), 500);
    tenant.watch.recover();
    assert.equal((await use(refresh)).status, 200);
  });
}

for (const rotated of [false, true]) {
  // proves rfc7009-2-1, rfc7009-2.1-5
  test(`POST /token/revoke with ${rotated ? 'a refresh token that was rotated since' : 'a refresh token'} ends the grant with its access tokens (RFC 7009 §2.1)`, async () => {
    const { tenant, use, refresh, access, client_id } = await granted({ metadata: PUBLIC });
    const answered = rotated ? await use(refresh) : undefined;
    const revoked = await tenant.send('revocation', { form: { client_id, token: refresh } });
    assert.equal(revoked.status, 200);
    assert.deepEqual(await tenant.introspect(access), INACTIVE);
    if (answered !== undefined) {
      assert.deepEqual(await tenant.introspect(tokenOf(answered)), INACTIVE);
      assertError(await use(tokenOf(answered, 'refresh_token')), 'invalid_grant');
    }
    assertError(await use(refresh), 'invalid_grant');
    assert.equal((await tenant.send('revocation', { form: { client_id, token: refresh } })).status, 200);
  });
}

// proves rfc7009-2.1-3
test('POST /token/revoke with the refresh token of another client: 400 invalid_grant, and it is still good', async () => {
  const { tenant, use, refresh } = await granted({ metadata: PUBLIC });
  const { client_id } = await tenant.register(PUBLIC);
  assertError(await tenant.send('revocation', { form: { client_id, token: refresh } }), 'invalid_grant');
  assert.equal((await use(refresh)).status, 200);
});
