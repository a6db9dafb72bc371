import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rests } from './rests.ts';

test('long work rests after each 2 ms for as long as it worked, and 20 ms at most', async () => {
  let total = 100;
  const slept: number[] = [];
  const rest = rests({
    worked_ms: () => total,
    sleep_ms: async (ms) => {
      slept.push(ms);
      // Other threads of the process may work meanwhile.
      total += 5;
    },
  });
  for (const worked of [0.5, 1, 0.4, 0.2, 1.9, 7.2, 1, 5000, 1.5]) {
    total += worked;
    await rest();
  }
  assert.deepEqual(slept, [2, 9, 20]);
});
