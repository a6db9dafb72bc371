import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import { SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

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
