import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { signedJwt, type TestKey, testKey } from '../testing/jwt.ts';
import { type DpopOptions, type DpopProofs, openDpopProofs } from './dpop.ts';

const KEY = testKey('ES256', 'k');
const NOW = 1_800_000_000;
const TOKEN = 'an-access-token';
const URL_OF_API = 'https://api.example.com/orders';
const ath = createHash('sha256').update(TOKEN).digest('base64url');

function proofOf(change: object = {}, header: object = {}, key: TestKey = KEY): string {
  const claims = { htm: 'GET', htu: URL_OF_API, iat: NOW, jti: `j${Math.random()}`, ath, ...change };
  const { kid: _kid, ...jwk } = key.jwk;
  return signedJwt(key, claims, { typ: 'dpop+jwt', jwk, ...header });
}

function proofs(options: DpopOptions = {}): { readonly all: DpopProofs } {
  return { all: openDpopProofs(options, () => NOW) };
}

const problemOf = (all: DpopProofs, proof: string | undefined): string | undefined => {
  const outcome = all.verify({ method: 'GET', url: URL_OF_API, proof, accessToken: TOKEN });
  return 'problem' in outcome ? outcome.problem : undefined;
};

for (const algorithm of ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS256'] as const) {
  test(`a proof with ${algorithm} gives the thumbprint of its key (RFC 9449 §4.3, RFC 7638)`, async () => {
    const key = testKey(algorithm, 'k');
    const outcome = proofs().all.verify({
      method: 'GET',
      url: `${URL_OF_API}?a=b`,
      proof: proofOf({ htu: `${URL_OF_API}?c=d#e` }, {}, key),
      accessToken: TOKEN,
    });
    assert.deepEqual(outcome, { jkt: await calculateJwkThumbprint(key.jwk) });
  });
}

const WRONG: Readonly<Record<string, () => string | undefined>> = {
  'no proof': () => undefined,
  'no JWT': () => 'x',
  'two proofs': () => `${proofOf()}, ${proofOf()}`,
  'another type': () => proofOf({}, { typ: 'JWT' }),
  'another method': () => proofOf({ htm: 'POST' }),
  'another address': () => proofOf({ htu: 'https://api.example.com/other' }),
  'another host': () => proofOf({ htu: 'https://evil.example/orders' }),
  'the hash of another token': () => proofOf({ ath: 'x' }),
  'no hash of the token': () => proofOf({ ath: undefined }),
  'a time too long ago': () => proofOf({ iat: NOW - 60 }),
  'a time in the future': () => proofOf({ iat: NOW + 11 }),
  'no time': () => proofOf({ iat: undefined }),
  'no jti': () => proofOf({ jti: undefined }),
  'no key': () => proofOf({}, { jwk: undefined }),
  'a private key': () => proofOf({}, { jwk: { ...KEY.jwk, d: 'x' } }),
  'a symmetric key': () => proofOf({}, { jwk: { kty: 'oct', k: 'x' }, alg: 'HS256' }),
  'the key of another signature': () => proofOf({}, { jwk: testKey('ES256').jwk }),
  'a header that must be understood': () => proofOf({}, { crit: ['x'] }),
  'the algorithm none': () => proofOf({}, { alg: 'none' }),
};

for (const [name, make] of Object.entries(WRONG)) {
  test(`a request with ${name} is refused with invalid_dpop_proof (RFC 9449 §4.3)`, () => {
    assert.equal(problemOf(proofs().all, make()), 'invalid_dpop_proof');
  });
}

test('a proof is good once, and the same jti of another key is another proof (RFC 9449 §11.1)', () => {
  const { all } = proofs();
  const proof = proofOf({ jti: 'one' });
  assert.equal(problemOf(all, proof), undefined);
  assert.equal(problemOf(all, proof), 'invalid_dpop_proof');
  assert.equal(problemOf(all, proofOf({ jti: 'one' }, {}, testKey('ES256'))), undefined);
});

test('with a secret, a proof needs a nonce of this API, which all copies of it know (RFC 9449 §9)', () => {
  const nonceSecret = 'a secret of at least 32 characters';
  const { all } = proofs({ nonceSecret });
  assert.equal(problemOf(all, proofOf()), 'use_dpop_nonce');
  assert.equal(problemOf(all, proofOf({ nonce: 'x' })), 'use_dpop_nonce');
  const nonce = all.nonce();
  assert.equal(problemOf(proofs({ nonceSecret }).all, proofOf({ nonce })), undefined);
  assert.equal(
    problemOf(proofs({ nonceSecret: nonceSecret.toUpperCase() }).all, proofOf({ nonce })),
    'use_dpop_nonce',
  );
  assert.equal(proofs().all.nonce(), undefined);
});
