import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import { INTROSPECTION_SCOPE, SERVICE, type TestTenant, testTenant } from '../../testing/tenant.ts';

async function credentials(tenant: TestTenant, scope: string): Promise<readonly [string, string]> {
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope });
  return [client_id, client_secret];
}

const FORMS: readonly (readonly [form: string, words: RegExp])[] = [
  ['', /^token is missing$/],
  ['token=', /^token is missing$/],
  ['token_type_hint=access_token', /^token is missing$/],
  ['Token=x', /^token is missing$/],
  ['token=x&token=x', /^token is given more than once$/],
  ['token=x&token=', /^token is given more than once$/],
  ['token=x&token_type_hint=a&token_type_hint=b', /^token_type_hint is given more than once$/],
  ['token=%', /not correctly encoded/],
  ['token=x&other=%ff', /not correctly encoded/],
  [`token=x${'&a=b'.repeat(32)}`, /^more than 32 parameters$/],
];

for (const [form, words] of FORMS) {
  // proves rfc7662-2.1-2
  test(`POST /token/introspect with ${form.slice(0, 60) || 'an empty body'}: 400 invalid_request (interface, Errors; RFC 6749 §3.2)`, async () => {
    const tenant = testTenant();
    const basic = await credentials(tenant, INTROSPECTION_SCOPE);
    assertError(await tenant.send('introspection', { basic, form }), 'invalid_request', words);
  });
}

for (const contentType of [null, 'application/json', 'text/plain']) {
  // proves rfc7662-2.1-1
  test(`POST /token/introspect with Content-Type ${String(contentType)}: 400 invalid_request (interface: required)`, async () => {
    const tenant = testTenant();
    const basic = await credentials(tenant, INTROSPECTION_SCOPE);
    assertError(
      await tenant.send('introspection', { basic, form: { token: 'x' }, contentType }),
      'invalid_request',
      /^Content-Type/,
    );
  });
}

test('the form comes before the scope: 400 for a caller without the scope too (decision 22)', async () => {
  const tenant = testTenant();
  const basic = await credentials(tenant, 'other');
  assertError(
    await tenant.send('introspection', { basic, form: '' }),
    'invalid_request',
    /^token is missing$/,
  );
  assertError(await tenant.send('introspection', { basic, form: 'token=%' }), 'invalid_request', /encoded/);
});

// proves rfc6749-2.3-1
test('two ways of authentication at once: 400 invalid_request (decision 17)', async () => {
  const tenant = testTenant();
  const [client_id, client_secret] = await credentials(tenant, INTROSPECTION_SCOPE);
  const form = { token: 'x', client_id, client_secret };
  assertError(
    await tenant.send('introspection', { basic: [client_id, client_secret], form }),
    'invalid_request',
    /more than one/,
  );
  const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
  assertError(await tenant.send('introspection', { bearer, form }), 'invalid_request', /more than one/);
});
