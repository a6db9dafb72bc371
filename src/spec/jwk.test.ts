import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicJwk } from './jwk.ts';

const ROWS: readonly (readonly [jwk: object, published: object | undefined])[] = [
  [
    { kty: 'RSA', n: 'n', e: 'AQAB', d: 'd', p: 'p', q: 'q', dp: 'dp', dq: 'dq', qi: 'qi', oth: [] },
    { kty: 'RSA', n: 'n', e: 'AQAB' },
  ],
  [
    { d: 'd', y: 'y', x: 'x', crv: 'P-256', kty: 'EC' },
    { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
  ],
  [
    { kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'd', priv: 'p', kid: 'k', x5c: [] },
    { kty: 'OKP', crv: 'Ed25519', x: 'x' },
  ],
  [{ kty: 'oct', k: 'secret' }, undefined],
  [{ kty: 'AKP', pub: 'x', priv: 'y' }, undefined],
  [{ kty: 'rsa', n: 'n', e: 'e' }, undefined],
  [{ kty: 7 }, undefined],
  [{}, undefined],
];

for (const [jwk, published] of ROWS) {
  test(`of ${JSON.stringify(jwk)} this is public: ${JSON.stringify(published)} (decision 27; RFC 7518 §6, RFC 8037 §2)`, () => {
    assert.deepEqual(publicJwk({ ...jwk }), published);
  });
}
