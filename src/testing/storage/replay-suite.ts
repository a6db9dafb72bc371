import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { NOW, occurrences, times } from './stored-examples.ts';

const KIND = 'client-assertion';
const LATER = NOW + 600;

export function replayContract(make: MakeEngine): void {
  test(
    'a value is new once for each owner and tenant',
    onEmptyStorage(make, async ({ tenant, other }) => {
      assert.equal(await tenant.replays.rememberOnce(KIND, 'one', 'a', LATER), true);
      assert.equal(await tenant.replays.rememberOnce(KIND, 'one', 'a', LATER), false);
      assert.equal(await tenant.replays.rememberOnce(KIND, 'one', 'a', LATER + 1), false);
      assert.equal(await tenant.replays.rememberOnce(KIND, 'one', 'A', LATER), true);
      assert.equal(await tenant.replays.rememberOnce(KIND, 'two', 'a', LATER), true);
      assert.equal(await other.replays.rememberOnce(KIND, 'one', 'a', LATER), true);
    }),
  );

  test(
    'of fifty at once, over two views of the data, exactly one is told that the value is new',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const views = [tenant, second];
        const answers = await Promise.all(
          times(50, (index) =>
            (views[index % 2] ?? tenant).replays.rememberOnce(KIND, 'one', 'raced', LATER),
          ),
        );
        assert.equal(occurrences(answers, true), 1);
        assert.equal(occurrences(answers, false), 49);
      });
    }),
  );

  test(
    'a value is remembered through a restart',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      await tenant.replays.rememberOnce(KIND, 'one', 'a', LATER);
      await storage.close();
      await onSecondView(engine, async (after) => {
        assert.equal(await after.replays.rememberOnce(KIND, 'one', 'a', LATER), false);
      });
    }),
  );

  test(
    'sweeping removes what has expired, the oldest first, of its own tenant, and nothing that has not',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const index of times(5, (at) => at)) {
        await tenant.replays.rememberOnce(KIND, 'one', `old ${index}`, NOW - 5 + index);
      }
      await tenant.replays.rememberOnce(KIND, 'one', 'now', NOW);
      await other.replays.rememberOnce(KIND, 'one', 'old 0', NOW - 5);
      assert.equal(await tenant.replays.sweepExpired(NOW, 3), 3);
      assert.equal(await tenant.replays.rememberOnce(KIND, 'one', 'old 4', LATER), false);
      assert.equal(await tenant.replays.sweepExpired(NOW, 3), 2);
      assert.equal(await tenant.replays.sweepExpired(NOW, 3), 0);
      assert.equal(await tenant.replays.rememberOnce(KIND, 'one', 'old 0', LATER), true);
      assert.equal(await tenant.replays.rememberOnce(KIND, 'one', 'now', LATER), false);
      assert.equal(await other.replays.rememberOnce(KIND, 'one', 'old 0', LATER), false);
    }),
  );
}
