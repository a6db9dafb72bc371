import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { oneATurn } from './one-a-turn.ts';

test('of all who wait one goes on in a turn, in the order in which they came, and whoever comes later too', async () => {
  const turn = oneATurn();
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
