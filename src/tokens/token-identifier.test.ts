import assert from 'node:assert/strict';
import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { hmacSha256, LOCATOR_LENGTH, locatorAt } from './token-identifier.ts';

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

test('a locator is eleven letters and digits, for any time of the next millennia', () => {
  for (const milliseconds of [0, 1, Date.UTC(2026, 0, 1), Date.UTC(5000, 0, 1)]) {
    assert.match(locatorAt(milliseconds), new RegExp(`^[0-9A-Za-z]{${LOCATOR_LENGTH}}$`));
  }
});

test('locators sort by time when compared by character codes', () => {
  const times = [
    0, 1, 9, 10, 61, 62, 63, 3843, 3844, 1_800_000_000_000, 1_800_000_000_001, 1_900_000_000_000,
  ];
  const stems = times.map((milliseconds) => locatorAt(milliseconds).slice(0, 8));
  assert.deepEqual(stems.toSorted(), stems);
  assert.equal(new Set(stems).size, times.length);
});

test('locators of one millisecond differ, as many as are made in it', () => {
  const made = Array.from({ length: 10_000 }, () => locatorAt(1));
  assert.equal(new Set(made).size, 10_000);
});
