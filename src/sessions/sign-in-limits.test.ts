import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Digest, Subject } from '../spec/identifiers.ts';
import { testRates } from '../testing/rates.ts';
import { testSettings } from '../testing/settings.ts';
import { type SignInAttempt, signInLimits } from './sign-in-limits.ts';

const RATES = testSettings({
  'sign-in.attempts-per-account-and-network': 3,
  'sign-in.attempts-per-account': 5,
  'sign-in.attempts-per-network': 8,
});
const HERE: SignInAttempt = { name: 'ada', remoteAddress: '192.0.2.1', knownBrowser: undefined };
const knownBrowser = { sub: 'a' as Subject, browser: 'b' as Digest };

/** Makes failed attempts; returns how many of them were admitted. */
async function failures(
  limits: ReturnType<typeof signInLimits>,
  count: number,
  attempt: Partial<SignInAttempt>,
): Promise<number> {
  let admitted = 0;
  for (let made = 0; made < count; made += 1) {
    if ((await limits.admit({ ...HERE, ...attempt })).admitted) admitted += 1;
  }
  return admitted;
}

test('one network has a limited number of attempts at one account, then one per refill', async () => {
  let now = 0;
  const limits = signInLimits(
    RATES,
    testRates(() => now),
  );
  assert.equal(await failures(limits, 10, {}), 3);
  const refusal = await limits.admit(HERE);
  assert.deepEqual(refusal, { admitted: false, retry_after: 1200 });
  now = 1199 * 1000;
  assert.equal(await failures(limits, 1, {}), 0);
  now = 1200 * 1000;
  assert.equal(await failures(limits, 2, {}), 1);
});

test('all networks share a limit for one account; another account has its own', async () => {
  const limits = signInLimits(
    RATES,
    testRates(() => 0),
  );
  const networks = [1, 2, 3, 4].map((network) => `192.0.2.${network}`);
  const admitted = [];
  for (const remoteAddress of networks) admitted.push(await failures(limits, 3, { remoteAddress }));
  assert.deepEqual(admitted, [3, 2, 0, 0]);
  assert.equal(await failures(limits, 3, { name: 'bob', remoteAddress: '192.0.2.9' }), 3);
});

test('one network has one limit for all accounts together', async () => {
  const limits = signInLimits(
    RATES,
    testRates(() => 0),
  );
  const admitted = [];
  for (const name of ['a', 'b', 'c', 'd']) admitted.push(await failures(limits, 3, { name }));
  assert.deepEqual(admitted, [3, 3, 2, 0]);
});

test('the owner’s browser is not locked out by strangers, and has its own limit', async () => {
  const limits = signInLimits(
    RATES,
    testRates(() => 0),
  );
  for (const network of [1, 2, 3]) {
    await failures(limits, 5, { remoteAddress: `192.0.2.${network}` });
  }
  assert.equal((await limits.admit(HERE)).admitted, false);
  assert.equal(await failures(limits, 10, { knownBrowser }), 3);
  const another = { ...knownBrowser, browser: 'c' as Digest };
  assert.equal(await failures(limits, 10, { knownBrowser: another }), 3);
});

test('the addresses of one IPv6 /64, and the spellings of one address, are one network', async () => {
  const limits = signInLimits(
    RATES,
    testRates(() => 0),
  );
  const spellings = ['2001:db8::1', '2001:DB8:0:0::ffff', '2001:db8::2', '2001:db8::3'];
  const admitted = [];
  for (const remoteAddress of spellings) admitted.push(await failures(limits, 1, { remoteAddress }));
  assert.deepEqual(admitted, [1, 1, 1, 0]);
});

test('successful attempts do not count; parallel attempts count before they are checked', async () => {
  const limits = signInLimits(
    RATES,
    testRates(() => 0),
  );
  for (let round = 0; round < 20; round += 1) {
    const admissions = await Promise.all([limits.admit(HERE), limits.admit(HERE), limits.admit(HERE)]);
    assert.equal((await limits.admit(HERE)).admitted, false);
    for (const admission of admissions) if (admission.admitted) admission.release();
  }
});

test('no choice of names and networks makes two of them share a counter', async () => {
  const limits = signInLimits(
    { ...RATES, 'sign-in.attempts-per-account': 0, 'sign-in.attempts-per-network': 0 },
    testRates(() => 0),
  );
  await failures(limits, 3, { name: 'ada', remoteAddress: '192.0.2.1' });
  assert.equal(await failures(limits, 3, { name: 'ada","192.0.2.1', remoteAddress: '' }), 3);
  assert.equal(await failures(limits, 3, { name: 'ad', remoteAddress: 'a192.0.2.1' }), 3);
});

test('0 is no limit', async () => {
  const limits = signInLimits(
    testSettings({
      'sign-in.attempts-per-account-and-network': 0,
      'sign-in.attempts-per-account': 0,
      'sign-in.attempts-per-network': 0,
    }),
    testRates(() => 0),
  );
  assert.equal(await failures(limits, 1000, {}), 1000);
});

test('a refusal costs no write within the same second, and a clock set back does not prolong it', async () => {
  let now = 10_000_000;
  const needs = testRates(() => now);
  let asked = 0;
  const take: typeof needs.store.take = (buckets, at) => {
    asked += 1;
    return needs.store.take(buckets, at);
  };
  const limits = signInLimits(RATES, { ...needs, store: { ...needs.store, take } });
  assert.equal(await failures(limits, 100, {}), 3);
  assert.equal(asked, 4);
  now -= 5_000_000;
  assert.equal(await failures(limits, 100, {}), 0);
  assert.equal(asked, 5);
});

test('all processes share the counters', async () => {
  const needs = testRates(() => 0);
  const processes = [signInLimits(RATES, needs), signInLimits(RATES, needs)];
  const [one = 0, other = 0] = await Promise.all(processes.map((limits) => failures(limits, 3, {})));
  assert.equal(one + other, 3);
});
