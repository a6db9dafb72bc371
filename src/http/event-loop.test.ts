import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onePerTurn } from './event-loop.ts';

test('one waiting stream goes on in each turn of the event loop, in order, and so does a later one', async () => {
  const turn = onePerTurn();
  const gone: string[] = [];
  const counts: number[] = [];
  const go = async (name: string): Promise<void> => {
    await turn();
    gone.push(name);
  };
  const first = ['a', 'b', 'c'].map(go);
  for (let turns = 0; turns < 3; turns += 1) {
    counts.push(gone.length);
    await nextTurn();
  }
  await Promise.all(first);
  assert.ok(
    counts.every((count, turns) => count <= turns),
    String(counts),
  );
  await go('d');
  assert.deepEqual(gone, ['a', 'b', 'c', 'd']);
});
