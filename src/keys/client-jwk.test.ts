import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonWebKey } from '../spec/jwk.ts';
import { clientJwkProblem, duplicateKeyId } from './client-jwk.ts';

function publicKeyOf(pair: { readonly publicKey: KeyObject }): JsonWebKey {
  return { ...pair.publicKey.export({ format: 'jwk' }) };
}

const RSA = publicKeyOf(generateKeyPairSync('rsa', { modulusLength: 2048 }));
const EC = publicKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const EC_521 = publicKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-521' }));
const SECP256K1 = publicKeyOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }));
const ED25519 = publicKeyOf(generateKeyPairSync('ed25519'));
const X25519 = publicKeyOf(generateKeyPairSync('x25519'));
const SMALL_RSA = publicKeyOf(generateKeyPairSync('rsa', { modulusLength: 1024 }));
const E3_RSA = publicKeyOf(generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 }));

const SOUND: readonly (readonly [name: string, jwk: JsonWebKey])[] = [
  ['RSA', RSA],
  ['RSA with its names', { ...RSA, kid: 'k', use: 'sig', alg: 'PS256', key_ops: ['verify'] }],
  ['RSA to encrypt', { ...RSA, use: 'enc', alg: 'RSA-OAEP-256', key_ops: ['encrypt', 'wrapKey'] }],
  ['P-256', { ...EC, alg: 'ES256' }],
  ['P-521 to encrypt', { ...EC_521, use: 'enc', alg: 'ECDH-ES+A256KW' }],
  ['Ed25519', { ...ED25519, use: 'sig', alg: 'EdDSA' }],
  ['X25519', { ...X25519, use: 'enc', alg: 'ECDH-ES' }],
  ['a key type of the future with its alg', { kty: 'AKP', alg: 'ML-DSA-44', pub: 'x' }],
  ['a key type of the future', { kty: 'AKP', pub: 'x' }],
  ['members of the future', { ...RSA, 'urn:example:x': { a: 1 } }],
];

for (const [name, jwk] of SOUND) {
  test(`a client may register ${name} (RFC 7517 §4 and §5)`, () => {
    assert.equal(clientJwkProblem(jwk), undefined);
  });
}

function withModulus(change: (modulus: bigint) => bigint): JsonWebKey {
  const modulus = BigInt(`0x${Buffer.from(String(RSA['n']), 'base64url').toString('hex')}`);
  const hex = change(modulus).toString(16);
  return { ...RSA, n: Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url') };
}

/** The square of an odd number of 1024 bits: Fermat's method finds it at once. */
const CLOSE = ((1n << 1024n) - 105n) ** 2n;

const UNSOUND: readonly (readonly [name: string, jwk: unknown, problem: RegExp])[] = [
  ['nothing', null, /not a JSON object/],
  ['an array', [], /not a JSON object/],
  ['no kty', {}, /no key type/],
  ['a symmetric key', { kty: 'oct', k: 'x' }, /private or symmetric/],
  ['oct without k', { kty: 'oct' }, /private or symmetric/],
  ['an empty d', { ...RSA, d: '' }, /private or symmetric/],
  ['a prime', { ...RSA, p: 'x' }, /private or symmetric/],
  ['a private key of an unknown type', { kty: 'AKP', d: 'x' }, /private or symmetric/],
  ['a kid that is a number', { ...RSA, kid: 1 }, /kid/],
  ['an empty kid', { ...RSA, kid: '' }, /kid/],
  ['a long kid', { ...RSA, kid: 'k'.repeat(257) }, /kid/],
  ['x5u', { ...RSA, x5u: 'https://client.example/x' }, /x5u/],
  ['another use', { ...RSA, use: 'tls' }, /use other than/],
  ['key_ops that contradict the use', { ...RSA, use: 'sig', key_ops: ['encrypt'] }, /key_ops/],
  ['key_ops of a private key', { ...RSA, key_ops: ['sign'] }, /key_ops/],
  ['key_ops that are a string', { ...RSA, key_ops: 'verify' }, /key_ops/],
  ['an alg of another type', { ...RSA, alg: 'ES256' }, /alg/],
  ['an alg of another curve', { ...EC, alg: 'ES384' }, /alg/],
  ['an alg of another curve of its type', { ...ED25519, alg: 'ECDH-ES' }, /alg/],
  ['a signing alg on a key that cannot sign', { ...X25519, alg: 'EdDSA' }, /alg/],
  ['an alg for signing and a use for encryption', { ...RSA, use: 'enc', alg: 'RS256' }, /alg/],
  ['an alg for encryption and a use for signing', { ...EC, use: 'sig', alg: 'ECDH-ES' }, /alg/],
  ['an alg that is not a string', { ...RSA, alg: ['RS256'] }, /alg/],
  ['alg none', { ...RSA, alg: 'none' }, /alg/],
  ['RSA1_5', { ...RSA, use: 'enc', alg: 'RSA1_5' }, /alg/],
  ['a signature with X25519', { ...X25519, use: 'sig' }, /another use/],
  ['exponent 3', E3_RSA, /exponent/],
  ['exponent 1', { ...RSA, e: 'AQ' }, /exponent/],
  ['65537 with a leading zero', { ...RSA, e: 'AAEAAQ' }, /exponent/],
  ['1024 bits', SMALL_RSA, /fewer than 2048 bits/],
  ['no modulus', { kty: 'RSA', e: 'AQAB' }, /Base64urlUInt/],
  ['a modulus with padding', { ...RSA, n: `${String(RSA['n'])}==` }, /Base64urlUInt/],
  [
    'a modulus with a leading zero',
    {
      ...RSA,
      n: Buffer.concat([Buffer.alloc(1), Buffer.from(String(RSA['n']), 'base64url')]).toString('base64url'),
    },
    /Base64urlUInt/,
  ],
  ['8192 bits', { ...RSA, n: Buffer.alloc(1024, 0xff).toString('base64url') }, /more than 4096 bits/],
  ['an even modulus', withModulus((modulus) => modulus + 1n), /even modulus/],
  ['a small factor', withModulus((modulus) => modulus - (modulus % 6n) + 3n), /small factor/],
  ['close primes', withModulus(() => CLOSE), /close to each other/],
  ['secp256k1', SECP256K1, /curve other than/],
  ['a point that is not on the curve', { ...EC, y: EC['x'] }, /not on its curve/],
  ['a short coordinate', { ...EC, x: 'AA' }, /wrong size/],
  ['coordinates of another curve', { ...EC, x: EC_521['x'], y: EC_521['y'] }, /wrong size/],
  ['a short Ed25519 key', { ...ED25519, x: 'AA' }, /wrong size/],
  ['Ed448', { kty: 'OKP', crv: 'Ed448', x: 'A'.repeat(76) }, /curve other than/],
  ['x5c that is a string', { ...RSA, x5c: 'x' }, /x5c/],
  ['x5c that is no certificate', { ...RSA, x5c: ['AAAA'] }, /cannot be read/],
];

for (const [name, jwk, problem] of UNSOUND) {
  test(`a client may not register a key with ${name} (RFC 7517 §4, RFC 7518 §6)`, () => {
    assert.match(clientJwkProblem(jwk) ?? 'sound', problem);
  });
}

test('kids of one use are distinct; a kid may name a key to sign and one to encrypt (RFC 7517 §4.5)', () => {
  assert.equal(duplicateKeyId([{ kid: 'a' }, { kid: 'a' }]), true);
  assert.equal(
    duplicateKeyId([
      { kid: 'a', use: 'sig' },
      { kid: 'a', use: 'sig' },
    ]),
    true,
  );
  assert.equal(
    duplicateKeyId([
      { kid: 'a', use: 'sig' },
      { kid: 'a', use: 'enc' },
    ]),
    false,
  );
  assert.equal(duplicateKeyId([{}, {}, { kid: 'a' }, { kid: 'b' }]), false);
});

const PRINTED = new URL('../../test/vectors/jose-cookbook/jwk/', import.meta.url);

for (const [file, problem] of [
  ['3_1.ec_public_key', undefined],
  ['3_2.ec_private_key', 'holds a private or symmetric key'],
  ['3_3.rsa_public_key', undefined],
  ['3_4.rsa_private_key', 'holds a private or symmetric key'],
  ['3_5.symmetric_key_mac_computation', 'holds a private or symmetric key'],
  ['3_6.symmetric_key_encryption', 'holds a private or symmetric key'],
] as const) {
  const verdict = problem === undefined ? 'a client may register it' : 'a client may not register it';
  test(`${file}, a key that RFC 7520 §3 prints: ${verdict} (RFC 7517 §9.2)`, () => {
    const jwk = JSON.parse(readFileSync(new URL(`${file}.json`, PRINTED), 'utf8')) as JsonWebKey;
    assert.equal(clientJwkProblem(jwk), problem);
  });
}
