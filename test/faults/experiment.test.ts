import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Experiment, faultsOf, type Outcome, runExperiment } from './experiment.ts';
import { EXPERIMENTS } from './experiments.ts';
import { inject, noInjection } from './io-injection.ts';
import type { Stand } from './stand.ts';

const OPTIONS = { rounds: 8, minutes: 0, say: () => undefined };
/** They measure a server that nothing writes to. */
const WITHOUT_LOAD = ['restart'];
const NOTHING_FOUND = {
  lost: [],
  half_written: [],
  used_twice: [],
  revoked_active: [],
  broken: [],
  unknown: 0,
};
/** The experiments below do not use it. */
const STAND = {} as Stand;

async function faultsWith(acked: number, acked_min: Experiment['acked_min']): Promise<readonly string[]> {
  const outcome: Outcome = { ...NOTHING_FOUND, acked, figures: {} };
  const judged = await runExperiment(
    { acked_min, run: async () => await Promise.resolve(outcome) },
    STAND,
    OPTIONS,
  );
  assert.ok(!('skipped' in judged));
  return faultsOf(judged);
}

test('an experiment with fewer acknowledgements than it needs is not sound (F53)', async () => {
  assert.deepEqual(await faultsWith(160, (rounds) => 20 * rounds), []);
  assert.deepEqual(await faultsWith(159, (rounds) => 20 * rounds), [
    '159 acknowledgements prove nothing: the experiment needs 160',
  ]);
});

test('every experiment with a load needs at least eight acknowledgements (F53)', () => {
  const few = EXPERIMENTS.filter(({ acked_min }) => acked_min(1) < 8).map(({ name }) => name);
  assert.deepEqual(few, WITHOUT_LOAD);
});

test('an injection into calls that no process makes is counted as none (F53)', {
  skip: noInjection() ?? false,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-injection-'));
  try {
    const injected = await inject({ pid: process.pid }, folder, ['ftruncate:error=EIO'], async () => {
      await Promise.resolve();
    });
    assert.equal(injected, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
