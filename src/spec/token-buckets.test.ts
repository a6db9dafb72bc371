import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterSeconds, TokenBuckets } from './token-buckets.ts';

test('a bucket gives its capacity at once, then one at a time at its rate', () => {
  let now = 0;
  const buckets = new TokenBuckets({ capacity: 3, perMinute: 1 }, () => now, 10);
  for (let taken = 0; taken < 3; taken += 1) {
    assert.equal(buckets.waitMs('a'), 0);
    buckets.take('a');
  }
  assert.equal(buckets.waitMs('a'), 60_000);
  assert.equal(buckets.waitMs('b'), 0);
  now = 59_000;
  assert.equal(retryAfterSeconds(buckets.waitMs('a')), 1);
  now = 60_000;
  assert.equal(buckets.waitMs('a'), 0);
});

test('what is given back fills no bucket beyond its capacity', () => {
  const buckets = new TokenBuckets({ capacity: 1, perMinute: 1 }, () => 0, 10);
  buckets.giveBack('a');
  buckets.take('a');
  buckets.giveBack('a');
  buckets.giveBack('a');
  buckets.take('a');
  assert.equal(buckets.waitMs('a'), 60_000);
});

test('of more names than are kept the one quiet for longest is forgotten', () => {
  const buckets = new TokenBuckets({ capacity: 1, perMinute: 1 }, () => 0, 2);
  buckets.take('a');
  buckets.take('b');
  buckets.take('a');
  buckets.take('c');
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => buckets.waitMs(name) > 0),
    [true, false, true],
  );
});
