import type { DatabaseSync } from 'node:sqlite';
import { CLOCKS_APART_US, type RateBucket } from '../../ports/rate-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteHandlers } from './write-handlers.ts';

/** A bucket is known by the time at which it will be full; one that is full has no row. */
export const RATE_SCHEMA = `
  CREATE TABLE rate_bucket (
    tenant TEXT NOT NULL,
    bucket TEXT NOT NULL,
    full_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, bucket)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rate_bucket_full ON rate_bucket (tenant, full_at);`;

type RateWrites = Pick<WriteHandlers, 'takeFromBuckets' | 'giveBackToBuckets' | 'sweepFullBuckets'>;

export function rateWrites(database: DatabaseSync): RateWrites {
  const select = database.prepare('SELECT full_at FROM rate_bucket WHERE tenant = ? AND bucket = ?');
  const put = database.prepare(`
    INSERT INTO rate_bucket (tenant, bucket, full_at) VALUES (?1, ?2, ?3)
    ON CONFLICT DO UPDATE SET full_at = excluded.full_at`);
  const giveBack = database.prepare(
    'UPDATE rate_bucket SET full_at = full_at - ?3 WHERE tenant = ?1 AND bucket = ?2',
  );
  const sweep = database.prepare(`
    DELETE FROM rate_bucket WHERE tenant = ?1 AND bucket IN
      (SELECT bucket FROM rate_bucket WHERE tenant = ?1 AND full_at < ?2 ORDER BY full_at LIMIT ?3)`);

  /** When the bucket will be full. */
  const fullAt = (tenant: TenantId, { name, capacity, interval_us }: RateBucket, now: number): number => {
    const full_at = Number(select.get(tenant, name)?.['full_at'] ?? 0);
    const emptyNow = now + capacity * interval_us;
    if (full_at > emptyNow + CLOCKS_APART_US) put.run(tenant, name, emptyNow);
    return Math.min(Math.max(full_at, now), emptyNow);
  };

  return {
    takeFromBuckets({ tenant, buckets, now }) {
      const asked = buckets.map((bucket) => {
        const full_at = fullAt(tenant, bucket, now) + bucket.interval_us;
        return {
          name: bucket.name,
          full_at,
          wait: Math.max(0, full_at - now - bucket.capacity * bucket.interval_us),
        };
      });
      const waits = asked.map(({ wait }) => wait);
      if (waits.every((wait) => wait === 0))
        for (const { name, full_at } of asked) put.run(tenant, name, full_at);
      return waits;
    },
    giveBackToBuckets({ tenant, buckets }) {
      for (const { name, interval_us } of buckets) giveBack.run(tenant, name, interval_us);
      return undefined;
    },
    sweepFullBuckets: ({ tenant, now, limit }) => Number(sweep.run(tenant, now * 1_000_000, limit).changes),
  };
}
