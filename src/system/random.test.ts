import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from './random.ts';

test('random texts have the length asked for and the alphabet [A-Za-z0-9] (decision 15)', () => {
  for (const length of [0, 1, 16, 43, 5000]) {
    assert.match(systemRandom.alphanumeric(length), new RegExp(`^[A-Za-z0-9]{${length}}$`));
  }
});

test('every character of the alphabet comes up about as often: 248 of 256 bytes are used, 4 for each', () => {
  const counts = new Map<string, number>();
  const total = 620_000;
  for (const character of systemRandom.alphanumeric(total)) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  assert.equal(counts.size, 62);
  // A modulo bias would give eight characters 25 % more. Ten standard deviations are 10 %.
  for (const [character, count] of counts) {
    assert.ok(Math.abs(count - total / 62) < total / 620, `${character}: ${count}`);
  }
});

test('no two of many identifiers are the same, across the pool’s edges', () => {
  const made = Array.from({ length: 5000 }, () => systemRandom.alphanumeric(43));
  assert.equal(new Set(made).size, 5000);
});

test('random bytes are as many as asked for, and other ones each time', () => {
  assert.equal(systemRandom.bytes(32).length, 32);
  assert.notDeepEqual(systemRandom.bytes(32), systemRandom.bytes(32));
});
