import type { DatabaseSync } from 'node:sqlite';
import type { Change } from '../../ports/change-journal.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { changeOf } from '../change-row.ts';

interface JournalReads {
  head(tenant: TenantId): number;
  since(tenant: TenantId, sequence: number): readonly Change[] | undefined;
}

/** More changes than this are not replayed one by one. */
const REPLAYED_MAX = 1000;

type Row = readonly [sequence: number, kind: Change['kind'], subject: string, instance: string | null];

/** @param snapshot called before each reading of the head (`callbackSnapshot`) */
export function journalReads(database: DatabaseSync, snapshot: () => void): JournalReads {
  // Changes when any other connection, in any process, has committed anything; asking costs less than a look-up.
  const dataVersion = database.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const last = database.prepare('SELECT max(sequence) FROM change_journal WHERE tenant = ?');
  last.setReturnArrays(true);
  const after = database.prepare(`
    SELECT sequence, kind, subject, instance FROM change_journal
    WHERE tenant = ? AND sequence > ? ORDER BY sequence LIMIT ${REPLAYED_MAX + 1}`);
  after.setReturnArrays(true);
  const version = (): number => (dataVersion.get() as unknown as [number])[0];
  const heads = new Map<TenantId, number>();
  let readAt: number | undefined;

  return {
    head(tenant) {
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
    },
    since(tenant, sequence) {
      const rows = after.all(tenant, sequence) as unknown as readonly Row[];
      const complete = rows.length === 0 || rows[0]?.[0] === sequence + 1;
      return complete && rows.length <= REPLAYED_MAX
        ? rows.map(([, kind, subject, instance]) => changeOf({ kind, subject, instance }))
        : undefined;
    },
  };
}
