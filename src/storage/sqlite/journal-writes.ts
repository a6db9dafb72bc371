import type { DatabaseSync } from 'node:sqlite';
import type { Change } from '../../ports/change-journal.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { changeRow } from '../change-row.ts';

/** Changes that are kept for processes that have not read them yet; one that is further behind forgets everything. */
const KEPT = 10_000;

/** Appends to the journal in the transaction of the change itself: neither is ever seen without the other. */
export function journalling(database: DatabaseSync): (tenant: TenantId, change: Change) => void {
  const append = database.prepare(`
    INSERT INTO change_journal (tenant, sequence, kind, subject, instance)
    SELECT ?1, 1 + coalesce(max(sequence), 0), ?2, ?3, ?4 FROM change_journal WHERE tenant = ?1`);
  const trim = database.prepare(`
    DELETE FROM change_journal WHERE tenant = ?1 AND sequence <=
      (SELECT max(sequence) FROM change_journal WHERE tenant = ?1) - ${KEPT}`);
  return (tenant, change) => {
    const { kind, subject, instance } = changeRow(change);
    append.run(tenant, kind, subject, instance);
    trim.run(tenant);
  };
}
