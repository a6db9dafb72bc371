import type { DatabaseSync } from 'node:sqlite';
import type { Change, ChangeJournal } from '../../ports/change-journal.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { CHANGE_COLUMNS, type ChangeRow, changeOf, changeRow } from '../change-rows.ts';
import type { TenantNoun } from './noun.ts';

/** The newest changes are kept for processes that have not read them yet. A process further behind drops its whole cache. */
const KEPT = 10_000;
/** A process that missed more changes than this drops its whole cache. */
const REPLAYED_MAX = 1000;
/** How many old changes are removed at once: each removal changes another page. */
const TRIMMED_AT_ONCE = 100;

const AFTER = `
  SELECT sequence, ${CHANGE_COLUMNS} FROM change_journal
  WHERE tenant = ? AND sequence > ? ORDER BY sequence LIMIT ?`;

type Row = ChangeRow & { readonly sequence: number };

export const journal: TenantNoun<ChangeJournal, 'head' | 'since' | 'page'> = {
  reads: {
    head({ lookUps, snapshot }) {
      const version = dataVersion(lookUps);
      const last = lookUps.prepare('SELECT max(sequence) FROM change_journal WHERE tenant = ?');
      last.setReturnArrays(true);
      const heads = new Map<TenantId, number>();
      let readAt: number | undefined;
      return (tenant) => {
        snapshot();
        const now = version();
        if (now !== readAt) {
          heads.clear();
          readAt = now;
        }
        let head = heads.get(tenant);
        if (head === undefined) {
          head = (last.get(tenant) as unknown as [number | null])[0] ?? 0;
          heads.set(tenant, head);
        }
        return head;
      };
    },
    since({ lookUps }) {
      const after = lookUps.prepare(AFTER);
      return (tenant, sequence) => {
        const rows = after.all(tenant, sequence, REPLAYED_MAX + 1) as unknown as readonly Row[];
        const complete = rows.length === 0 || rows[0]?.sequence === sequence + 1;
        return complete && rows.length <= REPLAYED_MAX ? rows.map(changeOf) : undefined;
      };
    },
    page({ lookUps }) {
      const after = lookUps.prepare(AFTER);
      return (tenant, sequence, limit) => {
        const rows = after.all(tenant, sequence, limit) as unknown as readonly Row[];
        return rows.map((row) => ({ sequence: row.sequence, change: changeOf(row) }));
      };
    },
  },
  writes: {},
};

/**
 * Returns a number that changes when another connection, in any process, has committed. Reading it costs less than a
 * look-up (https://www.sqlite.org/pragma.html#pragma_data_version).
 */
export function dataVersion(database: DatabaseSync): () => number {
  const version = database.prepare('PRAGMA data_version');
  version.setReturnArrays(true);
  return () => (version.get() as unknown as [number])[0];
}

/** Appends to the journal in the transaction of the change itself, so that a reader sees both or neither. */
export function journalling(database: DatabaseSync): (tenant: TenantId, change: Change) => void {
  const append = database.prepare(`
    INSERT INTO change_journal (tenant, sequence, ${CHANGE_COLUMNS})
    SELECT ?1, 1 + coalesce(max(sequence), 0), ?2, ?3, ?4, ?5, ?6, ?7, ?8 FROM change_journal WHERE tenant = ?1
    RETURNING sequence`);
  append.setReturnArrays(true);
  const trim = database.prepare('DELETE FROM change_journal WHERE tenant = ? AND sequence <= ?');
  return (tenant, change) => {
    const { kind, subject, instance, ended, client_id, sub, expires_at } = changeRow(change);
    const row = append.get(tenant, kind, subject, instance, ended, client_id, sub, expires_at);
    const [sequence] = row as unknown as [number];
    if (sequence % TRIMMED_AT_ONCE === 0) trim.run(tenant, sequence - KEPT);
  };
}
