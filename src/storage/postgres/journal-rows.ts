import type { Change } from '../../ports/change-journal.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { type ChangeRow, changeOf, changeRow } from '../change-row.ts';
import type { Reads } from '../tenant-storage.ts';
import type { Transaction } from './act.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { statement } from './statement.ts';

/** Changes that are kept for processes that have not read them yet; one that is further behind forgets everything. */
const KEPT = 10_000;
/** More changes than this are not replayed one by one. */
const REPLAYED_MAX = 1000;

/** For a statement that has changed the counters (`counters`): the end of an access token. */
export const JOURNALLING_TOKEN = `
  INSERT INTO change_journal (tenant, sequence, kind, subject, instance)
  SELECT :tenant::text, journal, 'access-token-ended', :ended_key::text, NULL FROM counters
  WHERE :ended_key::text IS NOT NULL`;
export const JOURNALLING_CLIENT = `
  INSERT INTO change_journal (tenant, sequence, kind, subject, instance)
  SELECT :tenant::text, journal, 'client-changed', :client_id::text, NULL FROM counters`;

const APPEND = statement(
  'journal_append',
  `WITH counters AS (UPDATE tenant_counter SET journal = journal + 1 WHERE tenant = :tenant RETURNING journal)
   INSERT INTO change_journal (tenant, sequence, kind, subject, instance)
   SELECT :tenant::text, journal, :kind::text, :subject::text, :instance::text FROM counters`,
);
const TRIM = statement(
  'journal_trim',
  `DELETE FROM change_journal WHERE tenant = :tenant AND sequence <=
    (SELECT journal FROM tenant_counter WHERE tenant = :tenant) - ${KEPT}`,
);
const HEAD = statement('journal_head', 'SELECT journal FROM tenant_counter WHERE tenant = :tenant');
const SINCE = statement(
  'journal_since',
  `SELECT sequence, kind, subject, instance FROM change_journal
   WHERE tenant = :tenant AND sequence > :sequence ORDER BY sequence LIMIT ${REPLAYED_MAX + 1}`,
);

/** Appends to the journal in the transaction of the change itself, which has the tenant's turn. */
export async function journal(transaction: Transaction, tenant: TenantId, change: Change): Promise<void> {
  const appended = transaction.ask(APPEND, { tenant, ...changeRow(change) });
  await Promise.all([appended, trimJournal(transaction, tenant)]);
}

/** Forgets what is older than anyone may rely on. */
export async function trimJournal(transaction: Transaction, tenant: TenantId): Promise<void> {
  await transaction.ask(TRIM, { tenant });
}

export function journalReads(reads: GatheredReads): Reads['journal'] {
  return {
    async head(tenant) {
      const [row] = await reads.rows(tenant, HEAD, {});
      return Number(row?.['journal'] ?? 0);
    },
    async since(tenant, sequence) {
      const rows = await reads.rows(tenant, SINCE, { sequence });
      const complete = rows.length === 0 || rows[0]?.['sequence'] === sequence + 1;
      return complete && rows.length <= REPLAYED_MAX
        ? rows.map((row) => changeOf(row as unknown as ChangeRow))
        : undefined;
    },
  };
}
