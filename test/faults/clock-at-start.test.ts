import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE_VARIABLE } from '../program/storage-place.ts';
import { faultsOf } from './experiment.ts';
import { clockAtStart } from './experiments/clock-at-start.ts';
import { openStand } from './stand.ts';

test('a server starts 400 days ahead, then one 400 days behind: nothing used is good again, nothing is lost, no key rotates (F36)', async () => {
  const engine = process.env[ENGINE_VARIABLE] === 'postgres' ? 'postgres' : 'sqlite';
  const stand = await openStand(engine, { shared: true });
  try {
    const outcome = await clockAtStart.run(stand, { rounds: 2, minutes: 0, say: () => undefined });
    assert.ok(!('skipped' in outcome), JSON.stringify(outcome));
    assert.deepEqual(faultsOf(outcome), []);
  } finally {
    await stand.close();
  }
});
