import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { KeyMaker } from '../ports/key-maker.ts';
import { unhurriedKeyMaker } from './key-making.ts';

test('H-303: keys of tenants are made one at a time, and at half speed after two seconds of work', async () => {
  let now = 0;
  let atOnce = 0;
  const begun: number[] = [];
  const made: number[] = [];
  const timers: { readonly at: number; readonly act: () => void }[] = [];
  const maker: KeyMaker = {
    thumbprint: async () => await Promise.resolve(''),
    async makePrivateKey() {
      begun.push(now);
      atOnce += 1;
      assert.equal(atOnce, 1);
      await turn();
      now += 1;
      atOnce -= 1;
      made.push(now);
      return {};
    },
  };
  const later = (seconds: number, act: () => void): void => void timers.push({ at: now + seconds, act });
  const unhurried = unhurriedKeyMaker(maker, { seconds: () => now, later });
  const making = Promise.all(
    Array.from({ length: 8 }, async () => await unhurried.makePrivateKey('RSA-2048')),
  );
  while (made.length < 8) {
    await turn();
    const [timer] = timers.splice(0, 1);
    if (timer === undefined) continue;
    now = Math.max(now, timer.at);
    timer.act();
  }
  await making;
  assert.deepEqual(begun, [0, 1, 2, 3, 5, 7, 9, 11]);
});

test('a key that cannot be made does not stop the next one', async () => {
  let calls = 0;
  const maker: KeyMaker = {
    thumbprint: async () => await Promise.resolve(''),
    async makePrivateKey() {
      calls += 1;
      await Promise.resolve();
      if (calls === 1) throw new Error('no entropy');
      return {};
    },
  };
  const unhurried = unhurriedKeyMaker(maker, { seconds: () => 0, later: (_, act) => act() });
  await assert.rejects(unhurried.makePrivateKey('P-256'), /no entropy/u);
  assert.deepEqual(await unhurried.makePrivateKey('P-256'), {});
});
