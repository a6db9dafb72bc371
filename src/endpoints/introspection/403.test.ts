import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import { DEFAULTS, INTROSPECTION_SCOPE, ISSUER, SERVICE, testTenant } from '../../testing/tenant.ts';

const LACKING = [
  undefined,
  '',
  'read',
  `${INTROSPECTION_SCOPE}/`,
  INTROSPECTION_SCOPE.toUpperCase(),
  ISSUER,
  'introspect',
];

for (const scope of LACKING) {
  // proves rfc7662-4-4
  test(`a client registered with scope ${String(scope)}: 403 access_denied (decision 21)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register(
      scope === undefined ? SERVICE : { ...SERVICE, scope },
    );
    const answered = await tenant.send('introspection', {
      basic: [client_id, client_secret],
      form: { token: 'x' },
    });
    assertError(answered, 'access_denied');
    assert.equal(answered.headers['www-authenticate'], undefined);
  });
}

test('a bearer token without the scope, of a client that has it: 403 access_denied (decision 21)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...SERVICE, scope: `${INTROSPECTION_SCOPE} read` });
  const bearer = await tenant.authorize({ client_id, scope: ['read'] });
  assertError(await tenant.send('introspection', { bearer, form: { token: bearer } }), 'access_denied');
});

test('the same 403 for a live, an expired and a junk token, without a look-up (decision 21)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register(SERVICE);
  const expired = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.clock.advance(DEFAULTS['access-token.lifetime']);
  const live = await tenant.authorize({ client_id, scope: ['read'] });
  tenant.watch.calls.length = 0;
  const answers = await Promise.all(
    [live, expired, 'junk'].map(
      async (token) =>
        await tenant.send('introspection', { basic: [client_id, client_secret], form: { token } }),
    ),
  );
  for (const answered of answers) assert.deepEqual(answered, answers[0]);
  assert.equal(tenant.watch.calls.includes('accessTokens.find'), false);
});

test('the scope is taken from the registration as it is now, not as it was (decision 21)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...SERVICE, scope: INTROSPECTION_SCOPE });
  const request = { bearer: client.registration_access_token, id: client.client_id, json: SERVICE };
  const updated = await tenant.send('client-update', request);
  const basic = [client.client_id, String(updated.json['client_secret'])] as const;
  assertError(await tenant.send('introspection', { basic, form: { token: 'x' } }), 'access_denied');
});
