import { Client } from 'pg';

/** What must hold between the tables whatever happened: each counter says what is there. */
const BROKEN = [
  `SELECT 'the journal has a gap' AS broken FROM change_journal
   HAVING count(*) <> coalesce(max(sequence) - min(sequence) + 1, 0)`,
  // A restored backup goes on with much higher numbers, and says so in the event that has the first of them. What has been
  // swept was swept by its time, which in requests at the same time is another order than that of the numbers.
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

/** What does not hold in the default tenant of a database at rest. */
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
