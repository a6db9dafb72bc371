import type { DeletedTenant, TenantStore } from '../../ports/tenant-store.ts';
import { DEFAULT_TENANT } from '../../spec/identifiers.ts';
import { CLEARED_TABLES, type ClearedTable, clearing, counting, tablesFrom } from '../cleared-tables.ts';
import { nameOfDeleted } from '../tenant-changes.ts';
import { eventRecording } from './audit.ts';
import type { SqliteStore } from './noun.ts';
import { CHANGE_LIST, NEXT_VERSION } from './tenant-list.ts';

/** Counters follow from the other tables here, but for the number of the last event that was swept. */
const TABLES: readonly ClearedTable[] = CLEARED_TABLES.map(({ name, columns, keyLength }) =>
  name === 'counters' ? { name: 'audit_swept', key: [] } : { name, key: columns.slice(1, keyLength) },
);

type Deletion = Pick<TenantStore, 'deleted' | 'contents' | 'beginDeletion' | 'clear' | 'endDeletion'>;

/** The verbs of `TenantStore` about deletion. */
export const tenantDeletion: SqliteStore<Deletion, 'deleted' | 'contents'> = {
  reads: {
    deleted({ lookUps }) {
      const deleted = lookUps.prepare(`
        SELECT tenant AS id, deleted_at, cleared_at FROM tenant WHERE deleted_at IS NOT NULL ORDER BY tenant`);
      return () => deleted.all().map((row) => ({ ...row }) as unknown as DeletedTenant);
    },
    contents({ scans }) {
      const count = scans.prepare(counting(TABLES, '?1', '?2'));
      return (id, max) =>
        count
          .all(id, max)
          .map((row) => ({ table: String(row['name']), rows: Number(row['rows_there']) }))
          .filter(({ rows }) => rows > 0);
    },
  },
  writes: {
    beginDeletion(database) {
      const close = database.prepare(`
        UPDATE tenant SET version = version + 1, disabled_at = coalesce(disabled_at, ?1), deleted_at = ?1, listed = ${NEXT_VERSION}
        WHERE tenant = ?2 AND version = ?3 AND deleted_at IS NULL`);
      const changeList = database.prepare(CHANGE_LIST);
      const record = eventRecording(database);
      return (id, expectedVersion, at, event) => {
        if (close.run(at, id, expectedVersion).changes === 0) return 'conflict';
        changeList.run();
        record(DEFAULT_TENANT, event);
        return 'begun';
      };
    },
    clear(database) {
      const tables = TABLES.map((table) => {
        const { last, remove } = clearing(table, {
          tenant: '?1',
          limit: '?2',
          of: (_, index) => `?${index + 2}`,
        });
        const found = last === undefined ? undefined : database.prepare(last);
        found?.setReturnArrays(true);
        return { ...table, found, remove: database.prepare(remove) };
      });
      return (id, limit, from) => {
        for (const { name, found, remove } of tablesFrom(tables, from)) {
          const last = (found?.get(id, limit) ?? []) as unknown as readonly (string | number)[];
          if (found !== undefined && last.length === 0) continue;
          const removed = Number(remove.run(id, ...last).changes);
          if (removed > 0) return { table: name, rows: removed };
        }
        return undefined;
      };
    },
    endDeletion(database) {
      const end = database.prepare(`
        UPDATE tenant SET version = version + 1, settings = '{}', cleared_at = ?1, listed = ${NEXT_VERSION}
        WHERE tenant = ?2 AND deleted_at IS NOT NULL AND cleared_at IS NULL`);
      const freeNames = database.prepare('DELETE FROM tenant_issuer WHERE tenant = ?');
      const keepName = database.prepare(
        'INSERT INTO tenant_issuer (tenant, position, issuer) VALUES (?, 0, ?)',
      );
      const changeList = database.prepare(CHANGE_LIST);
      const record = eventRecording(database);
      return (id, at, event) => {
        if (end.run(at, id).changes === 0) return false;
        freeNames.run(id);
        keepName.run(id, nameOfDeleted(id));
        changeList.run();
        record(DEFAULT_TENANT, event);
        return true;
      };
    },
  },
};
