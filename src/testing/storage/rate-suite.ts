import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RateBucket, RateStore } from '../../ports/rate-store.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { NOW, occurrences, times } from './stored-examples.ts';

const SECOND = 1_000_000;
const START = NOW * SECOND;
/** Three at once, then one a second. */
const aBucket = (name: string, changes: Partial<RateBucket> = {}): RateBucket => ({
  name,
  capacity: 3,
  interval_us: SECOND,
  ...changes,
});

/** The longest wait. */
async function taken(rates: RateStore, buckets: readonly RateBucket[], now: number): Promise<number> {
  return Math.max(0, ...(await rates.take(buckets, now)));
}

export function rateContract(make: MakeEngine): void {
  test(
    'a bucket gives what it holds, then one each time it has filled by one; each tenant has its own',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const bucket = aBucket('a');
      const take = (now: number, from = tenant): Promise<number> => taken(from.rates, [bucket], now);
      for (const _ of times(3, () => undefined)) assert.equal(await take(START), 0);
      assert.equal(await take(START), SECOND);
      assert.equal(await take(START + 400_000), 600_000);
      assert.equal(await take(START + SECOND - 1), 1);
      assert.equal(await take(START + SECOND), 0);
      assert.equal(await take(START + SECOND), SECOND);
      assert.equal(await take(START, other), 0);
      for (const _ of times(3, () => undefined)) assert.equal(await take(START + 60 * SECOND), 0);
      assert.equal(await take(START + 60 * SECOND), SECOND);
    }),
  );

  test(
    'of several buckets all give, or none does; how long each has to fill is told',
    onEmptyStorage(make, async ({ tenant: { rates } }) => {
      const small = aBucket('small', { capacity: 1, interval_us: 10 * SECOND });
      const large = aBucket('large');
      const whole = aBucket('whole', { capacity: 100 });
      assert.equal(await taken(rates, [small, large, whole], START), 0);
      for (const _ of times(5, () => undefined)) {
        assert.equal(await taken(rates, [large, small, whole], START), 10 * SECOND);
      }
      assert.equal(await taken(rates, [large], START), 0);
      assert.equal(await taken(rates, [large], START), 0);
      assert.deepEqual(await rates.take([large, small], START + 100), [SECOND - 100, 10 * SECOND - 100]);
      assert.deepEqual(await rates.take([], START), []);
    }),
  );

  test(
    'what is given back can be taken again; a full bucket takes nothing back',
    onEmptyStorage(make, async ({ tenant: { rates } }) => {
      const buckets = [aBucket('a'), aBucket('b', { capacity: 1 })];
      assert.equal(await taken(rates, buckets, START), 0);
      assert.equal(await taken(rates, buckets, START), SECOND);
      await rates.giveBack(buckets, START);
      await rates.giveBack(buckets, START);
      await rates.giveBack([aBucket('unknown')], START);
      assert.equal(await taken(rates, buckets, START), 0);
      assert.equal(await taken(rates, buckets, START), SECOND);
    }),
  );

  test(
    'of sixty at once, over two views of the data, as many get one as the bucket holds',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const views = [tenant, second];
        const buckets = [aBucket('raced', { capacity: 7 }), aBucket('wide', { capacity: 50 })];
        const answers = await Promise.all(
          times(60, (index) => taken((views[index % 2] ?? tenant).rates, buckets, START)),
        );
        assert.equal(occurrences(answers, 0), 7);
        assert.equal(occurrences(answers, SECOND), 53);
      });
    }),
  );

  timesOfBuckets(make);
}

function timesOfBuckets(make: MakeEngine): void {
  test(
    'a clock that was set back, or another one that is behind, finds a bucket empty at most',
    onEmptyStorage(make, async ({ tenant: { rates } }) => {
      const take = (now: number): Promise<number> => taken(rates, [aBucket('a')], now);
      for (const _ of times(3, () => undefined)) assert.equal(await take(START), 0);
      const behind = START - 90 * SECOND;
      assert.equal(await take(behind), SECOND);
      assert.equal(await take(behind + SECOND), SECOND, 'two clocks do not fill it twice');
      assert.equal(await take(START), SECOND);
      const set = START - 86_400 * SECOND;
      assert.equal(await take(set), SECOND);
      assert.equal(await take(set + SECOND), 0, 'no caller waits for a day');
      assert.equal(await take(set + SECOND), SECOND);
    }),
  );

  test(
    'a bucket is kept through a restart',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      for (const _ of times(3, () => undefined)) await tenant.rates.take([aBucket('a')], START);
      await storage.close();
      await onSecondView(engine, async (after) => {
        assert.equal(await taken(after.rates, [aBucket('a')], START), SECOND);
      });
    }),
  );

  test(
    'sweeping removes full buckets of its own tenant, at most the limit at a time, and no bucket that is not full',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const index of times(5, (at) => at)) await tenant.rates.take([aBucket(`old ${index}`)], START);
      await other.rates.take([aBucket('old 0')], START);
      await tenant.rates.take([aBucket('new', { interval_us: 60 * SECOND })], START);
      assert.equal(await tenant.rates.sweepExpired(NOW, 3), 0);
      assert.equal(await tenant.rates.sweepExpired(NOW + 2, 3), 3);
      assert.equal(await tenant.rates.sweepExpired(NOW + 2, 3), 2);
      assert.equal(await tenant.rates.sweepExpired(NOW + 2, 3), 0);
      assert.equal(await other.rates.sweepExpired(NOW + 2, 3), 1);
      assert.equal(await tenant.rates.sweepExpired(NOW + 61, 3), 1);
    }),
  );
}
