import assert from 'node:assert/strict';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmacSha256 } from './identifier-mac.ts';

test('HMAC by one-shot hashes is HMAC, for keys and texts of all lengths, in any order (RFC 2104 §2)', () => {
  const keys = [1, 31, 32, 63, 64, 65, 131, 200].map((bytes) => createSecretKey(randomBytes(bytes)));
  for (let round = 0; round < 3; round += 1) {
    for (const key of keys) {
      for (const length of [0, 1, 54, 70, 86, 119, 300]) {
        const text = randomBytes(length).toString('latin1');
        const expected = createHmac('sha256', key).update(text, 'latin1').digest('base64url');
        assert.equal(hmacSha256(key, text), expected, `${key.symmetricKeySize} bytes, ${length} characters`);
      }
    }
  }
});
