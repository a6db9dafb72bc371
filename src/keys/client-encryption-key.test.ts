import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonWebKey } from '../spec/jwk.ts';
import { canReceive, encryptionKey } from './client-encryption-key.ts';

const RSA: JsonWebKey = { kty: 'RSA', n: 'n', e: 'AQAB' };
const EC: JsonWebKey = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
const ED25519: JsonWebKey = { kty: 'OKP', crv: 'Ed25519', x: 'x' };
const X25519: JsonWebKey = { kty: 'OKP', crv: 'X25519', x: 'x' };

const ROWS: readonly (readonly [key: JsonWebKey, algorithm: string, can: boolean])[] = [
  [RSA, 'RSA-OAEP-256', true],
  [RSA, 'ECDH-ES', false],
  [EC, 'ECDH-ES+A128KW', true],
  [EC, 'RSA-OAEP', false],
  [X25519, 'ECDH-ES', true],
  [ED25519, 'ECDH-ES', false],
  [{ ...EC, crv: 'secp256k1' }, 'ECDH-ES', false],
  [{ kty: 'oct', k: 'x' }, 'RSA-OAEP', false],
  [{ ...RSA, use: 'enc' }, 'RSA-OAEP', true],
  [{ ...RSA, use: 'sig' }, 'RSA-OAEP', false],
  [{ ...RSA, alg: 'RSA-OAEP' }, 'RSA-OAEP', true],
  [{ ...RSA, alg: 'RSA-OAEP' }, 'RSA-OAEP-256', false],
  [{ ...RSA, alg: 'RS256' }, 'RSA-OAEP', false],
  [{ ...RSA, key_ops: ['wrapKey'] }, 'RSA-OAEP', true],
  [{ ...RSA, key_ops: ['verify'] }, 'RSA-OAEP', false],
  [{ ...EC, key_ops: ['deriveBits'] }, 'ECDH-ES', true],
  [{ ...EC, key_ops: ['verify'] }, 'ECDH-ES', false],
  [{ ...EC, key_ops: [] }, 'ECDH-ES', false],
];

for (const [key, algorithm, can] of ROWS) {
  test(`${JSON.stringify(key)}: ${can ? 'for' : 'not for'} ${algorithm} (RFC 7517 §4.2…§4.4; RFC 7518 §4.1)`, () => {
    assert.equal(canReceive(key, algorithm), can);
  });
}

test('of several keys the one that says most of its purpose, and of equals the first (RFC 7517 §4.2, §4.4)', () => {
  const named = (kid: string, members: object = {}): JsonWebKey => ({ ...RSA, kid, ...members });
  const chosen = (...keys: readonly JsonWebKey[]): unknown => encryptionKey(keys, 'RSA-OAEP')?.['kid'];
  assert.equal(chosen(named('any'), named('enc', { use: 'enc' })), 'enc');
  assert.equal(chosen(named('enc', { use: 'enc' }), named('both', { use: 'enc', alg: 'RSA-OAEP' })), 'both');
  assert.equal(chosen(named('any'), named('alg', { alg: 'RSA-OAEP' })), 'alg');
  assert.equal(chosen(named('first', { use: 'enc' }), named('second', { use: 'enc' })), 'first');
  assert.equal(chosen(named('sig', { use: 'sig' }), EC), undefined);
  assert.equal(chosen(), undefined);
});
