import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type IdTokenContent, idTokenClaims } from './id-token.ts';

const ISSUER = 'https://op.example.com';
const CONTENT: IdTokenContent = { sub: 'alice', client_id: 's6BhdRkqt3', iat: 1000, exp: 1300 };

// proves openid-core-2-1
test('a minimal ID token has iss, sub, aud as a string, exp and iat, and nothing else (OpenID Connect Core 1.0 §2)', () => {
  assert.deepEqual(idTokenClaims(ISSUER, CONTENT, 'RS256'), {
    iss: ISSUER,
    sub: 'alice',
    aud: 's6BhdRkqt3',
    exp: 1300,
    iat: 1000,
  });
});

// proves openid-core-2-1
test('a full ID token has auth_time, nonce, acr, amr, sid and claims about the end-user (OpenID Connect Core 1.0 §2, §5.1)', () => {
  const content = {
    ...CONTENT,
    auth_time: 900,
    nonce: 'n-0S6_WzA2Mj',
    acr: 'urn:mace:incommon:iap:silver',
    amr: ['pwd', 'otp'],
    sid: 'session',
    claims: { name: 'Alice', address: { country: 'NO' } },
  };
  assert.deepEqual(idTokenClaims(ISSUER, content, 'ES256'), {
    name: 'Alice',
    address: { country: 'NO' },
    iss: ISSUER,
    sub: 'alice',
    aud: 's6BhdRkqt3',
    exp: 1300,
    iat: 1000,
    auth_time: 900,
    nonce: 'n-0S6_WzA2Mj',
    acr: 'urn:mace:incommon:iap:silver',
    amr: ['pwd', 'otp'],
    sid: 'session',
  });
});

// proves openid-core-2-1
test('several audiences are a list that begins with the client, which is azp (OpenID Connect Core 1.0 §2)', () => {
  const claims = idTokenClaims(ISSUER, { ...CONTENT, otherAudiences: ['https://rs.example'] }, 'RS256');
  assert.deepEqual([claims['aud'], claims['azp']], [['s6BhdRkqt3', 'https://rs.example'], 's6BhdRkqt3']);
});

test('no claim about the end-user replaces a claim of the protocol, present or absent', () => {
  const forged = {
    iss: 'x',
    sub: 'x',
    aud: 'x',
    exp: 9e9,
    iat: 0,
    nbf: 0,
    nonce: 'x',
    azp: 'x',
    at_hash: 'x',
  };
  const more = {
    c_hash: 'x',
    sid: 'x',
    acr: 'x',
    amr: ['x'],
    auth_time: 0,
    events: {},
    jti: 'x',
    s_hash: 'x',
  };
  const claims = { ...forged, ...more };
  assert.deepEqual(
    idTokenClaims(ISSUER, { ...CONTENT, claims }, 'RS256'),
    idTokenClaims(ISSUER, CONTENT, 'RS256'),
  );
});

// proves openid-core-3.3.2.11-1, openid-core-3.1.3.6-1
test('at_hash and c_hash equal the examples of the specification (OpenID Connect Core A.3, A.4, A.6)', () => {
  const claims = idTokenClaims(
    ISSUER,
    {
      ...CONTENT,
      access_token: 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y',
      code: 'Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk',
    },
    'RS256',
  );
  assert.equal(claims['at_hash'], '77QmUPtjPfzWtF2AnpK9RQ');
  assert.equal(claims['c_hash'], 'LDktKdoQak3Pk0cnXxCltA');
});

test('s_hash is the half hash of the state, which may have characters outside ASCII (FAPI 1.0 Advanced §5.1.1)', () => {
  const half = (text: string): string =>
    createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
  for (const state of ['af0ifjsldkj', 'zurück'])
    assert.equal(idTokenClaims(ISSUER, { ...CONTENT, state }, 'RS256')['s_hash'], half(state));
  assert.equal('s_hash' in idTokenClaims(ISSUER, CONTENT, 'RS256'), false);
});

for (const [alg, hash, characters] of [
  ['PS256', 'sha256', 22],
  ['ES384', 'sha384', 32],
  ['RS512', 'sha512', 43],
  ['EdDSA', 'sha512', 43],
] as const) {
  // proves openid-core-3.1.3.6-1
  test(`${alg}: the left half of ${hash} (OpenID Connect Core 1.0 §3.1.3.6)`, () => {
    const claims = idTokenClaims(ISSUER, { ...CONTENT, access_token: 'token' }, alg);
    const whole = createHash(hash).update('token').digest();
    const half = whole.subarray(0, whole.length / 2).toString('base64url');
    assert.equal(claims['at_hash'], half);
    assert.equal(half.length, characters);
  });
}
