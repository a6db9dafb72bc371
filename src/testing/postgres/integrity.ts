import { Client } from 'pg';

/** Invariants between the tables: each counter matches the rows that it counts. */
const BROKEN = [
  `SELECT 'the journal has a gap' AS broken FROM change_journal
   HAVING count(*) <> coalesce(max(sequence) - min(sequence) + 1, 0)`,
  // A restored backup continues with much higher numbers, and its first event there says so. Sweeping goes by time, and
  // the order of times can differ from the order of numbers for concurrent requests.
  `SELECT 'the audit has a gap' AS broken FROM (
     SELECT sequence, action, at, lag(sequence) OVER (ORDER BY sequence) AS before,
       min(sequence) OVER () > 1 AS swept, min(at) OVER () AS oldest FROM audit_event) AS numbered
   WHERE before IS NOT NULL AND sequence <> before + 1 AND action <> 'storage.restore'
     AND NOT (swept AND at <= oldest + 5)
   LIMIT 1`,
  `SELECT 'the journal is not counted' AS broken FROM tenant_counter
   WHERE journal <> (SELECT coalesce(max(sequence), 0) FROM change_journal)`,
  `SELECT 'the audit is not counted' AS broken FROM tenant_counter
   WHERE audit <> (SELECT coalesce(max(sequence), 0) FROM audit_event)`,
  `SELECT 'open clients are not counted' AS broken FROM open_client_count
   WHERE clients <> (SELECT count(*) FROM client WHERE registered_via = 'open')`,
];

/** Returns the violations in the default tenant of a database at rest. */
export async function brokenCounts(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT set_config('chancery.tenant', 'default', false)");
    const broken: string[] = [];
    for (const asked of BROKEN) {
      const { rows } = await client.query<{ broken: string }>(asked);
      broken.push(...rows.map((row) => row.broken));
    }
    return broken;
  } finally {
    await client.end();
  }
}
