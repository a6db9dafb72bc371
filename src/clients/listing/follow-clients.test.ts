import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followClients } from './follow-clients.ts';

interface Followed {
  /** Clients of each write. */
  readonly limits: readonly number[];
  /** Milliseconds of each pause. */
  readonly pauses: readonly number[];
}

/** @param took the milliseconds of each write; the last one finds nothing left to do */
async function followedIn(took: readonly number[], stopsAfter = Infinity): Promise<Followed> {
  let now = 0;
  const limits: number[] = [];
  const pauses: number[] = [];
  await followClients({
    clientLists: {
      isBehind: async () => await Promise.resolve(took.length > 0),
      catchUp: async (limit) => {
        now += took[limits.push(limit) - 1] ?? 0;
        return await Promise.resolve(limits.length < took.length);
      },
    },
    pause: async (milliseconds) => {
      now += milliseconds;
      pauses.push(milliseconds);
      await Promise.resolve();
    },
    isStopping: () => limits.length >= stopsAfter,
    milliseconds: () => now,
  });
  return { limits, pauses };
}

test('lists that are up to date cost one question', async () => {
  assert.deepEqual(await followedIn([]), { limits: [], pauses: [] });
});

test('writes that take little become larger, and a pause is as long as its write', async () => {
  const { limits, pauses } = await followedIn([1, 2, 4, 4, 3, 1]);
  assert.deepEqual(limits, [25, 50, 100, 200, 200, 200]);
  assert.deepEqual(pauses, [1, 2, 4, 4, 3]);
});

test('writes that take long become smaller, and stay above nothing', async () => {
  const { limits } = await followedIn([1, 2, 9, 8, 30, 30, 5, 1]);
  assert.deepEqual(limits, [25, 50, 100, 50, 50, 25, 25, 25]);
});

test('a process that ends makes no further write', async () => {
  assert.deepEqual((await followedIn([1, 1, 1, 1], 2)).limits, [25, 50]);
});
