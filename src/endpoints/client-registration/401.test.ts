import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../../keys/digest.ts';
import { assertBearerNeeded, assertInvalidToken } from '../../testing/exchange.ts';
import { DEFAULTS, DIRECT, MASTER, SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

// proves rfc7591-3-4, rfc6750-3-2, rfc6750-3-3
test('managed mode, no credentials: 401 with the bare challenge (decisions 5 and 6; RFC 6750 §3)', async () => {
  assertBearerNeeded(await testTenant().send('client-registration', { json: WEB_CLIENT }));
});

test('credentials come before the body: 401 even where the body is bad', async () => {
  assertBearerNeeded(await testTenant().send('client-registration', { body: '{', contentType: null }));
  assertInvalidToken(await testTenant().send('client-registration', { bearer: 'nobody', body: '{' }));
});

const OPEN_REFUSALS: readonly object[] = [
  { ...SERVICE },
  { ...WEB_CLIENT, grant_types: ['authorization_code', 'password'] },
  { grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'] },
  { grant_types: ['urn:ietf:params:oauth:grant-type:saml2-bearer'] },
  { ...WEB_CLIENT, scope: 'openid' },
  { ...WEB_CLIENT, scope: '' },
  { ...WEB_CLIENT, data: {} },
  { ...WEB_CLIENT, preferred_client_id: 'app' },
  { ...WEB_CLIENT, preferred_client_secret: 'a-secret-of-32-printable-letters' },
];

for (const json of OPEN_REFUSALS) {
  // proves rfc7591-6-1
  test(`in open mode ${JSON.stringify(json)} needs a token: 401 with the bare challenge (decision 6)`, async () => {
    const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
    assertBearerNeeded(await tenant.send('client-registration', { json }));
  });
}

test('in open mode a scope value that is not configured needs a token (decision 6)', async () => {
  const tenant = testTenant({
    settings: { 'registration.allow-open-registration': true, 'registration.open-scope-values': ['openid'] },
  });
  assertBearerNeeded(
    await tenant.send('client-registration', { json: { ...WEB_CLIENT, scope: 'openid email' } }),
  );
});

test('in open mode a token that is nobody’s is refused, not ignored (decision 6)', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  assertInvalidToken(await tenant.send('client-registration', { bearer: 'nobody', json: WEB_CLIENT }));
});

const HEADERS = [
  'Bearer',
  'Bearer ',
  `bearer  ${MASTER}`,
  `Bearer ${MASTER} `,
  `Bearer ${MASTER}, Bearer ${MASTER}`,
  `Bearer "${MASTER}"`,
  `Token ${MASTER}`,
  MASTER,
  `Basic ${Buffer.from(`master:${MASTER}`).toString('base64')}`,
  `Bearer ${'a'.repeat(DEFAULTS['limits.bearer-token'] + 1)}`,
  `Bearer ${DIRECT}`,
  `Bearer ${MASTER.slice(0, -1)}`,
  `Bearer ${digestOf(MASTER)}`,
];

for (const authorization of HEADERS) {
  // proves rfc7591-3.2.2-1, rfc6750-2.1-1
  test(`Authorization: ${authorization.slice(0, 60)}: 401 invalid_token (RFC 6750 §2.1 and §3.1)`, async () => {
    assertInvalidToken(await testTenant().send('client-registration', { authorization, json: WEB_CLIENT }));
  });
}

// proves rfc7591-3.2.2-1, rfc6750-3.1-1
test('an expired initial access token: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.clock.advance(DEFAULTS['initial-access-token.lifetime']);
  assertInvalidToken(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }));
});

// proves rfc7591-3-4
test('a used-up initial access token: 401 invalid_token (decision 6)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  await tenant.send('client-registration', { bearer, json: WEB_CLIENT });
  assertInvalidToken(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }));
});

// proves rfc6750-5.2-1
test('a registration access token registers nothing: 401 invalid_token', async () => {
  const tenant = testTenant();
  const client = await tenant.register(WEB_CLIENT);
  assertInvalidToken(
    await tenant.send('client-registration', { bearer: client.registration_access_token, json: WEB_CLIENT }),
  );
});

test('without a configured master token no token is one (decision 5)', async () => {
  const tenant = testTenant({ settings: { 'registration.master-token-sha256': [] } });
  assertInvalidToken(await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT }));
  assert.deepEqual(tenant.watch.calls, ['audit.append']);
});
