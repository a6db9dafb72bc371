import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SweepPace } from './sweep-pace.ts';

const INTERVAL_S = 60;

/** A pace whose batches take these times, one after the other; returns its rests. */
async function restsAfter(batches_ms: readonly number[]): Promise<readonly number[]> {
  let now = 5_000;
  const rests: number[] = [];
  const pace = new SweepPace(INTERVAL_S, {
    now_ms: () => now,
    rest: async (milliseconds) => {
      rests.push(milliseconds);
      now += milliseconds;
    },
  });
  pace.begin();
  for (const took of batches_ms) {
    now += took;
    assert.equal(await pace.goOn(), true);
  }
  return rests;
}

test('a sweep rests three times as long as its batch took, and a second at most', async () => {
  assert.deepEqual(await restsAfter([10, 40, 400]), [30, 120, 1_000]);
});

test('after half of the interval a sweep rests no more, so that it ends', async () => {
  const rests = await restsAfter(Array.from({ length: 100 }, () => 500));
  assert.equal(rests.length, 20);
});

test('a stop ends the rest of a sweep, and the sweep after it', async () => {
  const pace = new SweepPace(INTERVAL_S, {
    now_ms: () => 0,
    rest: async (_, signal) => await new Promise((resolve) => signal.addEventListener('abort', resolve)),
  });
  pace.begin();
  const going = pace.goOn();
  pace.stop();
  assert.equal(await going, false);
  assert.equal(await pace.goOn(), false, 'and there is no further rest');
});

test('a stop ends the rest of a sweep that waits by the clock', async () => {
  const pace = new SweepPace(INTERVAL_S);
  pace.begin();
  await new Promise((resolve) => setTimeout(resolve, 1));
  const going = pace.goOn();
  pace.stop();
  assert.equal(await going, false);
});
