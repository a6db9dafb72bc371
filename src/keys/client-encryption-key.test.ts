import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonWebKey } from '../spec/jwk.ts';
import { encryptionKey } from './client-jwk.ts';

const RSA: JsonWebKey = { kty: 'RSA', n: 'n', e: 'AQAB' };
const EC: JsonWebKey = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };

const named = (kid: string, members: object = {}): JsonWebKey => ({ ...RSA, kid, ...members });
const chosen = (...keys: readonly JsonWebKey[]): unknown => encryptionKey(keys, 'RSA-OAEP')?.['kid'];

test('encryptionKey prefers the key that names use and algorithm, and the first among equals (RFC 7517 §4.2, §4.4)', () => {
  assert.equal(chosen(named('any'), named('enc', { use: 'enc' })), 'enc');
  assert.equal(chosen(named('enc', { use: 'enc' }), named('both', { use: 'enc', alg: 'RSA-OAEP' })), 'both');
  assert.equal(chosen(named('any'), named('alg', { alg: 'RSA-OAEP' })), 'alg');
  assert.equal(chosen(named('first', { use: 'enc' }), named('second', { use: 'enc' })), 'first');
});

test('encryptionKey ignores keys for another purpose (RFC 7517 §4.2…§4.4)', () => {
  assert.equal(chosen(), undefined);
  assert.equal(chosen(EC), undefined);
  assert.equal(chosen(named('sig', { use: 'sig' })), undefined);
  assert.equal(chosen(named('other', { alg: 'RSA-OAEP-256' })), undefined);
  assert.equal(chosen(named('verify', { key_ops: ['verify'] })), undefined);
  assert.equal(
    chosen(named('verify', { key_ops: ['verify'] }), named('wrap', { key_ops: ['wrapKey'] })),
    'wrap',
  );
});
