import { CLOCKS_APART_US, type RateBucket, type RateStore } from '../../ports/rate-store.ts';
import { changed, type TenantNoun, type Values } from './noun.ts';
import { Refused, statement } from './statement.ts';

const BUCKETS_MAX = 3;
const PLACES = [0, 1, 2];

/** Computes when each bucket would be full after this request. A full bucket has no row. */
const TAKE = statement(
  'rate_take',
  `WITH asked AS (${PLACES.map(
    (place) =>
      `SELECT :bucket_${place}::text AS bucket, :interval_${place}::bigint AS interval_us, :burst_${place}::bigint AS burst_us`,
  ).join(' UNION ALL ')}),
   kept AS (SELECT bucket, interval_us, :now::bigint + burst_us AS empty_now, coalesce((SELECT full_at FROM rate_bucket
       WHERE tenant = :tenant AND rate_bucket.bucket = asked.bucket), 0) AS full_at
     FROM asked WHERE bucket IS NOT NULL),
   seen AS (SELECT bucket, interval_us, empty_now, full_at > empty_now + ${CLOCKS_APART_US} AS set_back,
       least(greatest(full_at, :now::bigint), empty_now) AS full_at FROM kept),
   verdict AS (SELECT max(full_at + interval_us - empty_now) <= 0 AS given FROM seen),
   taken AS (INSERT INTO rate_bucket (tenant, bucket, full_at)
     SELECT :tenant::text, bucket, CASE WHEN given THEN full_at + interval_us ELSE full_at END FROM seen, verdict
     WHERE given OR set_back
     ON CONFLICT (tenant, bucket) DO UPDATE SET full_at = excluded.full_at)
   SELECT bucket, greatest(full_at + interval_us - empty_now, 0) AS wait FROM seen`,
);
const GIVE_BACK = statement(
  'rate_give_back',
  'UPDATE rate_bucket SET full_at = full_at - :interval_us WHERE tenant = :tenant AND bucket = :bucket',
);
const SWEEP = statement(
  'rate_sweep',
  `DELETE FROM rate_bucket WHERE tenant = :tenant AND bucket IN
    (SELECT bucket FROM rate_bucket WHERE tenant = :tenant AND full_at < :now ORDER BY full_at LIMIT :limit)`,
);

/** Both writes lock the tenant: whether one bucket gives depends on all of them. */
export const rates: TenantNoun<RateStore> = {
  reads: {},
  writes: {
    take: {
      locksTenant: true,
      async pipelined(transaction, tenant, buckets, now) {
        const { rows } = await transaction.query(TAKE, { tenant, now, ...bucketValues(buckets) });
        const waits = new Map(rows.map(({ bucket, wait }) => [bucket, Number(wait)]));
        return buckets.map(({ name }) => waits.get(name) ?? Number.NaN);
      },
    },
    giveBack: {
      locksTenant: true,
      async pipelined(transaction, tenant, buckets) {
        await Promise.all(
          buckets.map(({ name, interval_us }) =>
            transaction.query(GIVE_BACK, { tenant, bucket: name, interval_us }),
          ),
        );
      },
    },
    sweepExpired: {
      locksTenant: false,
      pipelined: (transaction, tenant, now, limit) =>
        changed(transaction.query(SWEEP, { tenant, now: now * 1_000_000, limit })),
    },
  },
};

function bucketValues(buckets: readonly RateBucket[]): Values {
  if (buckets.length > BUCKETS_MAX)
    throw new Refused(`at most ${BUCKETS_MAX} buckets are taken from at once`);
  return Object.fromEntries(
    PLACES.flatMap((place) => {
      const { name = null, capacity = 0, interval_us = 0 } = buckets[place] ?? {};
      return [
        [`bucket_${place}`, name],
        [`interval_${place}`, interval_us],
        [`burst_${place}`, capacity * interval_us],
      ];
    }),
  ) as Values;
}
