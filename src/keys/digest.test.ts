import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Digest } from '../spec/identifiers.ts';
import { digestFromHex, digestOf, sameDigest } from './digest.ts';

const ABC_HEX = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

test('a digest is SHA-256 in base64url without padding (FIPS 180-4, the example "abc")', () => {
  assert.equal(digestOf('abc'), Buffer.from(ABC_HEX, 'hex').toString('base64url'));
  assert.equal(digestOf('').length, 43);
  assert.notEqual(digestOf('é'), digestOf('e\u0301'));
});

test('a configured digest in hexadecimal is the same, in either case', () => {
  assert.equal(digestFromHex(ABC_HEX), digestOf('abc'));
  assert.equal(digestFromHex(ABC_HEX.toUpperCase()), digestOf('abc'));
});

test('sameDigest is true for equal digests only, and other lengths are no error', () => {
  const digest = digestOf('abc');
  assert.equal(sameDigest(digest, digestOf('abc')), true);
  for (const other of [digestOf('abd'), '', digest.slice(0, -1), `${digest}A`, digest.toLowerCase()]) {
    assert.equal(sameDigest(digest, other as Digest), false, other);
  }
});
