import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GRANT_TYPES, isGrantType, RESPONSE_TYPES, responseTypeName } from './grant-types.ts';

test('the grant types and the scope that permits each (interface, Initial access token scopes)', () => {
  const scopes = Object.fromEntries(Object.entries(GRANT_TYPES).map(([name, { scope }]) => [name, scope]));
  assert.deepEqual(scopes, {
    authorization_code: 'client-reg:grant:code',
    implicit: 'client-reg:grant:implicit',
    refresh_token: 'client-reg:grant:refresh',
    password: 'client-reg:grant:password',
    client_credentials: 'client-reg:grant:client',
    // RFC 8628 is not in the interface.
    'urn:ietf:params:oauth:grant-type:device_code': 'client-reg:grant:device',
    // Nor is RFC 8693.
    'urn:openid:params:grant-type:ciba': 'client-reg:grant:ciba',
    'urn:ietf:params:oauth:grant-type:token-exchange': 'client-reg:grant:exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer': 'client-reg:grant:jwt',
    'urn:ietf:params:oauth:grant-type:saml2-bearer': 'client-reg:grant:saml',
  });
});

test('open registration is for authorization_code, implicit and refresh_token (interface)', () => {
  const open = Object.entries(GRANT_TYPES).flatMap(([name, row]) => (row.open ? [name] : []));
  assert.deepEqual(open, ['authorization_code', 'implicit', 'refresh_token']);
});

test('members of every object are no grant types', () => {
  for (const name of ['constructor', 'toString', '__proto__', '', 'Implicit'])
    assert.equal(isGrantType(name), false);
});

const NAMES: readonly (readonly [text: string, name: string | undefined])[] = [
  ['code', 'code'],
  ['token id_token', 'id_token token'],
  ['token code id_token', 'code id_token token'],
  ['id_token code', 'code id_token'],
  ['code code', undefined],
  ['none', undefined],
  ['', undefined],
  ['code ', undefined],
  ['constructor', undefined],
];

for (const [text, name] of NAMES) {
  test(`the response type "${text}" is ${String(name)}: a set of words (OAuth 2.0 Multiple Response Type Encoding Practices §3)`, () => {
    assert.equal(responseTypeName(text), name);
  });
}

test('what each response type needs (OpenID Connect Dynamic Client Registration 1.0 §2)', () => {
  for (const [name, grants] of Object.entries(RESPONSE_TYPES)) {
    const words = name.split(' ');
    assert.equal(grants.includes('authorization_code'), words.includes('code'), name);
    assert.equal(grants.includes('implicit'), words.includes('token') || words.includes('id_token'), name);
  }
});
