import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { certificateAuthority, type KeyPair, selfSigned } from '../../test/tls/certificate.ts';
import { certificateKey } from './certificate.ts';

const authority = certificateAuthority();

function problemOf(keys: KeyPair): string | undefined {
  const read = certificateKey(authority.issue({ keys }).cert);
  return 'problem' in read ? read.problem : undefined;
}

test('certificateKey accepts RSA keys of 2048 bits and EC keys of the three curves', () => {
  assert.equal(problemOf(generateKeyPairSync('rsa', { modulusLength: 2048 })), undefined);
  for (const namedCurve of ['P-256', 'P-384', 'P-521']) {
    const keys = generateKeyPairSync('ec', { namedCurve });
    const read = certificateKey(authority.issue({ keys }).cert);
    assert.ok('key' in read && read.key.equals(keys.publicKey));
  }
});

test('certificateKey refuses weak RSA keys and keys of other kinds (H-075, H-076)', () => {
  const weak = /^has an RSA key of fewer than 2048 bits or with an exponent other than 65537$/;
  assert.match(problemOf(generateKeyPairSync('rsa', { modulusLength: 1024 })) ?? '', weak);
  assert.match(problemOf(generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 })) ?? '', weak);
  const other = /^has a key that is neither RSA nor of P-256, P-384 or P-521$/;
  assert.match(problemOf(generateKeyPairSync('ed25519')) ?? '', other);
  assert.match(problemOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })) ?? '', other);
});

test('certificateKey accepts an expired or self-signed certificate: only its key counts (ADR 13)', () => {
  const ended = selfSigned({ notAfter: new Date('2021-01-01T00:00:00Z') });
  const read = certificateKey(ended.cert);
  assert.ok('key' in read && read.key.equals(createPublicKey(ended.key)));
});

test('certificateKey refuses a text that is not a certificate', () => {
  for (const pem of ['', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----']) {
    assert.deepEqual(certificateKey(pem), { problem: 'is not a certificate that can be read' });
  }
});
