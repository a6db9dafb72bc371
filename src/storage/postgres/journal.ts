import type { Change, ChangeJournal } from '../../ports/change-journal.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { CHANGE_COLUMNS, type ChangeRow, changeOf, changeRow } from '../change-rows.ts';
import type { TenantNoun, Transaction } from './noun.ts';
import { statement } from './statement.ts';

/** The newest changes are kept for processes that have not read them yet. A process further behind drops its whole cache. */
const KEPT = 10_000;
/** A process that missed more changes than this drops its whole cache. */
const REPLAYED_MAX = 1000;

/** For a statement that has raised the counters (in `counters`): journals the end of an access token (in `removed`). */
export const JOURNALLING_TOKEN = `
  INSERT INTO change_journal (tenant, sequence, kind, subject, client_id, sub, expires_at)
  SELECT :tenant::text, journal, 'access-token-ended', :ended_key::text, removed.client_id, removed.sub,
    removed.expires_at FROM counters LEFT JOIN removed ON removed.key = :ended_key
  WHERE :ended_key::text IS NOT NULL`;
/** For a statement that has raised the counters by the number of tokens in `removed`: journals the end of each. */
export const JOURNALLING_REMOVED = `
     INSERT INTO change_journal (tenant, sequence, kind, subject, client_id, sub, expires_at)
     SELECT :tenant::text, journal + 1 - row_number() OVER (), 'access-token-ended', key, client_id, sub, expires_at
     FROM counters, removed`;
/** The columns of an access token that `removed` returns. */
export const ENDED_TOKEN = 'key, expires_at, client_id, sub';
/** The same for a change of a client. */
export const JOURNALLING_CLIENT = `
  INSERT INTO change_journal (tenant, sequence, kind, subject, instance)
  SELECT :tenant::text, journal, 'client-changed', :client_id::text, NULL FROM counters`;

const APPEND = statement(
  'journal_append',
  `WITH counters AS (UPDATE tenant_counter SET journal = journal + 1 WHERE tenant = :tenant RETURNING journal)
   INSERT INTO change_journal (tenant, sequence, ${CHANGE_COLUMNS})
   SELECT :tenant::text, journal, :kind::text, :subject::text, :instance::text, :ended::text, :client_id::text,
     :sub::text, :expires_at::bigint FROM counters`,
);
const TRIM = statement(
  'journal_trim',
  `DELETE FROM change_journal WHERE tenant = :tenant AND sequence <=
    (SELECT journal FROM tenant_counter WHERE tenant = :tenant) - ${KEPT}`,
);
const HEAD = statement('journal_head', 'SELECT journal FROM tenant_counter WHERE tenant = :tenant');
const SINCE = statement(
  'journal_since',
  `SELECT sequence, ${CHANGE_COLUMNS} FROM change_journal
   WHERE tenant = :tenant AND sequence > :sequence ORDER BY sequence LIMIT :limit`,
);
type NumberedRow = ChangeRow & { readonly sequence: number };

export const journal: TenantNoun<ChangeJournal, 'head' | 'since' | 'page'> = {
  reads: {
    head:
      ({ primary }) =>
      async (tenant, atOnce = false) => {
        const asked = primary.rows(tenant, HEAD, {});
        if (atOnce) primary.sendSoon();
        const [row] = await asked;
        return Number(row?.['journal'] ?? 0);
      },
    since:
      ({ primary }) =>
      async (tenant, sequence) => {
        const rows = await primary.rows<NumberedRow>(tenant, SINCE, { sequence, limit: REPLAYED_MAX + 1 });
        const complete = rows.length === 0 || rows[0]?.sequence === sequence + 1;
        return complete && rows.length <= REPLAYED_MAX ? rows.map(changeOf) : undefined;
      },
    page:
      ({ primary }) =>
      async (tenant, sequence, limit) =>
        (await primary.rows<NumberedRow>(tenant, SINCE, { sequence, limit })).map((row) => ({
          sequence: row.sequence,
          change: changeOf(row),
        })),
  },
  writes: {},
};

/** Appends to the journal in the transaction of the change itself, which has locked the tenant. */
export async function appendToJournal(
  transaction: Transaction,
  tenant: TenantId,
  change: Change,
): Promise<void> {
  const appended = transaction.query(APPEND, { tenant, ...changeRow(change) });
  await Promise.all([appended, trimJournal(transaction, tenant)]);
}

/** Removes changes that are too old to be replayed. */
export async function trimJournal(transaction: Transaction, tenant: TenantId): Promise<void> {
  await transaction.query(TRIM, { tenant });
}
