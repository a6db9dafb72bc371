import type { DatabaseSync } from 'node:sqlite';
import { CLOCKS_APART_US, type RateBucket, type RateStore } from '../../ports/rate-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { TenantNoun } from './noun.ts';

const PUT = `
  INSERT INTO rate_bucket (tenant, bucket, full_at) VALUES (?1, ?2, ?3)
  ON CONFLICT DO UPDATE SET full_at = excluded.full_at`;

/** A bucket is stored as the time at which it will be full. A full bucket has no row. */
export const rates: TenantNoun<RateStore> = {
  reads: {},
  writes: {
    take(database) {
      const fullAt = fillingTime(database);
      const put = database.prepare(PUT);
      return (tenant, buckets, now) => {
        const asked = buckets.map((bucket) => {
          const full_at = fullAt(tenant, bucket, now) + bucket.interval_us;
          const wait = Math.max(0, full_at - now - bucket.capacity * bucket.interval_us);
          return { name: bucket.name, full_at, wait };
        });
        const waits = asked.map(({ wait }) => wait);
        if (waits.every((wait) => wait === 0))
          for (const { name, full_at } of asked) put.run(tenant, name, full_at);
        return waits;
      };
    },
    giveBack(database) {
      const giveBack = database.prepare(
        'UPDATE rate_bucket SET full_at = full_at - ?3 WHERE tenant = ?1 AND bucket = ?2',
      );
      return (tenant, buckets) => {
        for (const { name, interval_us } of buckets) giveBack.run(tenant, name, interval_us);
      };
    },
    sweepExpired(database) {
      const sweep = database.prepare(`
        DELETE FROM rate_bucket WHERE tenant = ?1 AND bucket IN
          (SELECT bucket FROM rate_bucket WHERE tenant = ?1 AND full_at < ?2 ORDER BY full_at LIMIT ?3)`);
      return (tenant, now, limit) => Number(sweep.run(tenant, now * 1_000_000, limit).changes);
    },
  },
};

/** Returns the time at which a bucket will be full. Corrects a row that a clock far ahead has written. */
function fillingTime(database: DatabaseSync): (tenant: TenantId, bucket: RateBucket, now: number) => number {
  const select = database.prepare('SELECT full_at FROM rate_bucket WHERE tenant = ? AND bucket = ?');
  const put = database.prepare(PUT);
  return (tenant, { name, capacity, interval_us }, now) => {
    const full_at = Number(select.get(tenant, name)?.['full_at'] ?? 0);
    const emptyNow = now + capacity * interval_us;
    if (full_at > emptyNow + CLOCKS_APART_US) put.run(tenant, name, emptyNow);
    return Math.min(Math.max(full_at, now), emptyNow);
  };
}
