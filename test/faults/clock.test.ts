import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE_VARIABLE } from '../program/storage-place.ts';
import { faultsOf, runExperiment } from './experiment.ts';
import { clockJumps } from './experiments/clock.ts';
import { openStand } from './stand.ts';

test('the clock jumps ahead by an hour, the server sweeps, and it is set right: nothing used is good again (F16)', async () => {
  const engine = process.env[ENGINE_VARIABLE] === 'postgres' ? 'postgres' : 'sqlite';
  const stand = await openStand(engine, { shared: true });
  try {
    const outcome = await runExperiment(clockJumps, stand, { rounds: 1, minutes: 0, say: () => undefined });
    assert.ok(!('skipped' in outcome), JSON.stringify(outcome));
    assert.deepEqual(faultsOf(outcome), []);
  } finally {
    await stand.close();
  }
});
