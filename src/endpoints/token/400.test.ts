import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError, basicAuthorization } from '../../testing/exchange.ts';
import { SERVICE, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

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
  'application/x-www-form-urlencoded; charset=iso-8859-1',
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

for (const scope of [
  'write',
  'read write',
  'READ',
  'read  read',
  ' read',
  'read ',
  'a"b',
  'a\\b',
  'lés',
  'read\tx',
]) {
  // proves rfc6749-3.3-1
  test(`scope=${scope} of a client registered for "read": 400 invalid_scope (RFC 6749 §3.3 and §5.2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: 'read' });
    const form = { grant_type: 'client_credentials', scope };
    assertError(await tenant.send('token', { basic: [client_id, client_secret], form }), 'invalid_scope');
    assert.equal(tenant.watch.calls.includes('accessTokens.issue'), false);
  });
}
