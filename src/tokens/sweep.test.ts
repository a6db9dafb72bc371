import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sweepExpired } from './sweep.ts';

interface Swept {
  readonly removed: number;
  readonly limits: readonly number[];
  readonly logged: readonly unknown[];
}

async function sweepOver(
  counts: readonly (number | Error)[],
  batches_max = Number.POSITIVE_INFINITY,
): Promise<Swept> {
  const limits: number[] = [];
  const logged: unknown[] = [];
  const unused = (): never => assert.fail('not used here');
  const removed = await sweepExpired({
    store: {
      async sweepExpired(now, limit) {
        assert.equal(now, 1000);
        const count = counts[limits.push(limit) - 1] ?? 0;
        if (count instanceof Error) throw count;
        return count;
      },
    },
    what: 'tokens',
    clock: { now: () => 1000, milliseconds: () => 1_000_000 },
    log: { info: unused, warn: unused, error: (members) => void logged.push(members) },
    batch: 10,
    goOn: async () => limits.length < batches_max,
  });
  return { removed, limits, logged };
}

test('a sweep deletes small batches until one is not full', async () => {
  assert.deepEqual(await sweepOver([10, 10, 3]), { removed: 23, limits: [10, 10, 10], logged: [] });
  assert.deepEqual(await sweepOver([10, 0]), { removed: 10, limits: [10, 10], logged: [] });
  assert.deepEqual(await sweepOver([0]), { removed: 0, limits: [10], logged: [] });
});

test('a failure ends the sweep and is logged; the deleted rows are counted', async () => {
  const cause = new Error('busy');
  assert.deepEqual(await sweepOver([10, cause, 10]), { removed: 10, limits: [10, 10], logged: [{ cause }] });
});

test('a sweep that may not go on ends after its batch', async () => {
  assert.deepEqual(await sweepOver([10, 10, 10], 2), { removed: 20, limits: [10, 10], logged: [] });
});
