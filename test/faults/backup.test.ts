import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, runExperiment } from './experiment.ts';
import { backup } from './experiments/backup.ts';
import { openStand } from './stand.ts';

test('a backup beside a loaded server, restored: everything that was acknowledged before it began is there, and nothing is half-written (F31)', async (context) => {
  const stand = await openStand('sqlite');
  try {
    const outcome = await runExperiment(backup, stand, {
      rounds: 1,
      minutes: 0,
      say: (line) => context.diagnostic(line),
    });
    assert.ok(!('skipped' in outcome));
    assert.deepEqual(faultsOf(outcome), []);
    assert.ok(outcome.acked > 50, `${outcome.acked} acknowledged`);
    assert.notEqual(outcome.figures['entries meanwhile'], '0');
  } finally {
    await stand.close();
  }
});
