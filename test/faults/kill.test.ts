import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE_VARIABLE } from '../program/storage-place.ts';
import { faultsOf, runExperiment } from './experiment.ts';
import { kill } from './experiments/kill.ts';
import { openStand } from './stand.ts';

/** One round with hundreds of writes at once is among them. */
const ROUNDS = 4;

test('kill -9 under mixed load, again and again: nothing acknowledged is lost, half-written, used twice or active again (F1, L1 to L8)', async (context) => {
  const engine = process.env[ENGINE_VARIABLE] === 'postgres' ? 'postgres' : 'sqlite';
  const stand = await openStand(engine, { shared: true });
  try {
    const outcome = await runExperiment(kill, stand, { rounds: ROUNDS, minutes: 0, say: () => undefined });
    assert.ok(!('skipped' in outcome));
    context.diagnostic(
      JSON.stringify({ acked: outcome.acked, unknown: outcome.unknown, ...outcome.figures }),
    );
    assert.deepEqual(faultsOf(outcome), []);
    assert.ok(Number(outcome.figures['introspections']) > 0);
    assert.ok(outcome.unknown > 0, 'kills fell into requests');
  } finally {
    await stand.close();
  }
});
