import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TooManyRequests } from '../spec/errors.ts';
import { testRates } from '../testing/rates.ts';
import { type NetworkLimits, networkLimits } from './rate-limits.ts';

/** Seconds to wait; 0 for one that is admitted. */
async function ask(limits: NetworkLimits, from = '192.0.2.1'): Promise<number> {
  try {
    await limits.admit(from);
    return 0;
  } catch (refusal) {
    assert.ok(refusal instanceof TooManyRequests);
    return refusal.retryAfterSeconds;
  }
}

for (const perNetwork of [1, 3, 7, 11, 59, 60, 61, 600, 9973]) {
  test(`${perNetwork} a minute: that many at once, then one after each Retry-After, and never more than the rate`, async () => {
    const start = 12_345_678;
    let now = start;
    let admitted = 0;
    const limits = networkLimits(
      { kind: 'test', perNetwork, overall: 0 },
      testRates(() => now),
    );
    for (; admitted < perNetwork; admitted += 1) assert.equal(await ask(limits), 0);
    for (let round = 0; round < 50; round += 1) {
      let wait = await ask(limits);
      for (; wait === 0; wait = await ask(limits)) admitted += 1;
      assert.ok(Number.isInteger(wait) && wait <= Math.ceil(60 / perNetwork), `${wait} s`);
      now += wait * 1000;
      assert.equal(await ask(limits), 0, `round ${round}`);
      admitted += 1;
    }
    const due = perNetwork + (perNetwork * (now - start)) / 60_000;
    assert.ok(admitted <= due + 0.01, `${admitted} of ${due}`);
  });
}

test('a request that comes too early does not prolong the wait', async () => {
  let now = 0;
  const limits = networkLimits(
    { kind: 'test', perNetwork: 1, overall: 0 },
    testRates(() => now),
  );
  assert.equal(await ask(limits), 0);
  for (let second = 0; second < 60; second += 1) {
    now = second * 1000;
    assert.equal(await ask(limits), 60 - second);
  }
  now = 60_000;
  assert.equal(await ask(limits), 0);
});

test('a registration that one limit refuses does not count for the other', async () => {
  const limits = networkLimits(
    { kind: 'test', perNetwork: 1, overall: 3 },
    testRates(() => 0),
  );
  assert.equal(await ask(limits, '192.0.2.1'), 0);
  for (let count = 0; count < 10; count += 1) assert.equal(await ask(limits, '192.0.2.1'), 60);
  assert.equal(await ask(limits, '192.0.2.2'), 0);
  assert.equal(await ask(limits, '192.0.2.3'), 0);
  assert.equal(await ask(limits, '192.0.2.4'), 20);
});

test('Retry-After is the longer of two waits', async () => {
  const limits = networkLimits(
    { kind: 'test', perNetwork: 1, overall: 2 },
    testRates(() => 0),
  );
  await ask(limits, '192.0.2.1');
  await ask(limits, '192.0.2.2');
  assert.equal(await ask(limits, '192.0.2.1'), 60);
  assert.equal(await ask(limits, '192.0.2.3'), 30);
});

test('the addresses of one IPv6 /64 share a bucket in every spelling; so do the two spellings of an IPv4 address', async () => {
  const limits = networkLimits(
    { kind: 'test', perNetwork: 1, overall: 0 },
    testRates(() => 0),
  );
  assert.equal(await ask(limits, '2001:db8:0:1::1'), 0);
  for (const same of ['2001:0DB8::1:ffff:0:0:1', '2001:db8:0:1:2:3:4:5%eth0'])
    assert.equal(await ask(limits, same), 60);
  assert.equal(await ask(limits, '2001:db8:0:2::1'), 0);
  assert.equal(await ask(limits, '192.0.2.1'), 0);
  for (const same of ['::ffff:192.0.2.1', '::ffff:c000:201']) assert.equal(await ask(limits, same), 60);
});
