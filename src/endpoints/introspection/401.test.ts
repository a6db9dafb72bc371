import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { DEFAULTS, INTROSPECTION_SCOPE, ISSUER, MASTER, SERVICE, testTenant } from '../../testing/tenant.ts';

const form = { token: 'x' };
const RESOURCE_SERVER = { ...SERVICE, scope: INTROSPECTION_SCOPE };

function assertInvalidClient(answered: Answer, challenge: string | undefined): void {
  assertError(answered, 'invalid_client');
  assert.equal(answered.headers['www-authenticate'], challenge);
}

const BASIC = `Basic realm="${ISSUER}", charset="UTF-8"`;
const BEARER = 'Bearer error="invalid_token", error_description="the bearer token is not valid"';

// proves rfc7662-2.1-4, rfc9701-5-1, rfc6750-3-4
test('no credentials: 401 invalid_client (interface, Errors)', async () => {
  assertInvalidClient(await testTenant().send('introspection', { form }), undefined);
});

// proves rfc7662-2.1-4, rfc7662-2.3-1
test('unknown client, wrong secret, wrong method: the same 401 invalid_client (decision 19)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(RESOURCE_SERVER);
  const post = await tenant.register({
    ...RESOURCE_SERVER,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const answers = [
    await tenant.send('introspection', { basic: ['nobody', 'x'], form }),
    await tenant.send('introspection', { basic: [client_id, 'x'], form }),
    await tenant.send('introspection', { basic: [post.client_id, post.client_secret], form }),
  ];
  for (const answered of answers) {
    assertInvalidClient(answered, BASIC);
    assert.deepEqual(answered, answers[0]);
  }
});

test('H-127 an expired secret is answered like a wrong one, byte for byte (decision 19)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 60 } });
  const { client_id, client_secret } = await tenant.register(RESOURCE_SERVER);
  const ask = async (secret: string): Promise<Answer> =>
    await tenant.send('introspection', { basic: [client_id, secret], form });
  assert.equal((await ask(client_secret)).status, 200);
  tenant.clock.advance(60);
  const expired = await ask(client_secret);
  assertInvalidClient(expired, BASIC);
  assert.deepEqual(expired, await ask(`${client_secret.slice(0, -1)}~`));
});

// proves rfc7662-2.3-1
test('an unknown, malformed, expired or revoked bearer token: 401 invalid_client with a Bearer challenge (decision 6)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RESOURCE_SERVER);
  const revoked = await tenant.authorize({ client_id: client.client_id, scope: [INTROSPECTION_SCOPE] });
  await tenant.send('client-delete', { bearer: MASTER, id: client.client_id });
  const other = await tenant.register(RESOURCE_SERVER);
  const expired = await tenant.authorize({ client_id: other.client_id, scope: [INTROSPECTION_SCOPE] });
  tenant.clock.advance(DEFAULTS['access-token.lifetime']);
  for (const authorization of [
    'Bearer',
    'Bearer x',
    'bearer x y',
    `Bearer ${revoked}`,
    `Bearer ${expired}`,
    `Bearer ${MASTER}`,
    `Bearer ${other.registration_access_token}`,
  ]) {
    assertInvalidClient(await tenant.send('introspection', { authorization, form }), BEARER);
  }
});

test('authentication comes before the form: 401 for whatever nobody sends (decision 22)', async () => {
  const tenant = testTenant();
  for (const each of ['', 'token=%', 'token=x&token=x']) {
    assertInvalidClient(await tenant.send('introspection', { form: each }), undefined);
    assertInvalidClient(await tenant.send('introspection', { bearer: 'x', form: each }), BEARER);
    assertInvalidClient(await tenant.send('introspection', { basic: ['nobody', 'x'], form: each }), BASIC);
  }
  assertInvalidClient(
    await tenant.send('introspection', { form, contentType: 'application/json' }),
    undefined,
  );
});

test('who is not authenticated costs no look-up of the token (decision 22)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(SERVICE);
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.watch.calls.length = 0;
  assertInvalidClient(
    await tenant.send('introspection', { basic: [client_id, 'x'], form: { token } }),
    BASIC,
  );
  assert.deepEqual(tenant.watch.calls, ['clients.find']);
});

test('a caller who is refused waits for no token, nor hears of one that could not be looked up (decision 22)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(RESOURCE_SERVER);
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.watch.before('clients.find', async () => {
    tenant.watch.fail(new Error('gone'), 'accessTokens.find');
    await Promise.resolve();
  });
  assertInvalidClient(
    await tenant.send('introspection', { basic: [client_id, 'x'], form: { token } }),
    BASIC,
  );
  assert.ok(tenant.watch.calls.includes('accessTokens.find'));
  assert.equal(tenant.reports.length, 1);
});
