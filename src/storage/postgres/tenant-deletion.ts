import type { DeletedTenant, TenantStore } from '../../ports/tenant-store.ts';
import { DEFAULT_TENANT } from '../../spec/identifiers.ts';
import { CLEARED_TABLES, type ClearedTable, clearing, counting, tablesFrom } from '../cleared-tables.ts';
import { nameOfDeleted } from '../tenant-changes.ts';
import { record } from './audit.ts';
import { changed, one, type PostgresStore } from './noun.ts';
import { ownTable } from './own-table.ts';
import { statement } from './statement.ts';
import { CHANGE_LIST, INSERT_NAME, NEXT_VERSION, TAKE_LIST } from './tenant-list.ts';

const TABLES: readonly ClearedTable[] = [
  ...CLEARED_TABLES.map((table) => {
    const { name, columns } = ownTable(table);
    const key = columns.slice(1, table.keyLength).map((column, index) => ({
      name: column,
      type: table.columns[index + 1]?.type ?? 'text',
    }));
    return { name, key };
  }),
  { name: 'logout_waiting', key: [] },
];
const CLEARINGS = TABLES.map((table) => {
  const { last, remove } = clearing(table, {
    tenant: ':tenant',
    limit: ':limit',
    of: ({ name, type }) => `:${name}::${type === 'integer' ? 'bigint' : 'text'}`,
  });
  return {
    ...table,
    last: last === undefined ? undefined : statement(`tenant_batch_${table.name}`, last),
    remove: statement(`tenant_clear_${table.name}`, remove),
  };
});
const CONTENTS = statement('tenant_contents', counting(TABLES, ':tenant', ':limit'));
const DELETED = statement(
  'tenant_deleted',
  'SELECT tenant AS id, deleted_at, cleared_at FROM tenant WHERE deleted_at IS NOT NULL ORDER BY tenant',
);
const BEGIN = statement(
  'tenant_begin_deletion',
  `UPDATE tenant SET version = version + 1, disabled_at = coalesce(disabled_at, :at), deleted_at = :at, listed = ${NEXT_VERSION}
   WHERE tenant = :tenant AND version = :expected AND deleted_at IS NULL`,
);
const END = statement(
  'tenant_end_deletion',
  `UPDATE tenant SET version = version + 1, settings = '{}', cleared_at = :at, listed = ${NEXT_VERSION}
   WHERE tenant = :tenant AND deleted_at IS NOT NULL AND cleared_at IS NULL`,
);
const FREE_NAMES = statement('tenant_free_names', 'DELETE FROM tenant_issuer WHERE tenant = :tenant');

type Deletion = Pick<TenantStore, 'deleted' | 'contents' | 'beginDeletion' | 'clear' | 'endDeletion'>;

/**
 * The verbs of `TenantStore` about deletion. Those that record an event enter the default tenant, which has that event
 * (`tenantOf`). `clear` enters the tenant that goes, and takes no lock: the lock would make a row of it again.
 */
export const tenantDeletion: PostgresStore<Deletion, 'deleted' | 'contents'> = {
  reads: {
    deleted:
      ({ primary }) =>
      async () =>
        await primary.rows<DeletedTenant>(undefined, DELETED, {}),
    contents:
      ({ primary }) =>
      async (id, max) =>
        (await primary.slowRows(id, CONTENTS, { limit: max }))
          .map((row) => ({ table: String(row['name']), rows: Number(row['rows_there']) }))
          .filter(({ rows }) => rows > 0),
  },
  writes: {
    beginDeletion: {
      locksTenant: true,
      async interactive(transaction, tenant, expectedVersion, at, event) {
        await transaction.query(TAKE_LIST, {});
        const closing = transaction.query(BEGIN, { tenant, expected: expectedVersion, at });
        if ((await changed(closing)) === 0) return 'conflict';
        await transaction.query(CHANGE_LIST, {});
        await record(transaction, DEFAULT_TENANT, event);
        return 'begun';
      },
    },
    clear: {
      locksTenant: false,
      async interactive(transaction, tenant, limit, from) {
        for (const { name, last, remove } of tablesFrom(CLEARINGS, from)) {
          const end = last === undefined ? {} : await one(transaction.query(last, { tenant, limit }));
          if (end === undefined) continue;
          const removed = await changed(transaction.query(remove, { ...end, tenant }));
          if (removed > 0) return { table: name, rows: removed };
        }
        return undefined;
      },
    },
    endDeletion: {
      locksTenant: true,
      async interactive(transaction, tenant, at, event) {
        await transaction.query(TAKE_LIST, {});
        if ((await changed(transaction.query(END, { tenant, at }))) === 0) return false;
        await transaction.query(FREE_NAMES, { tenant });
        await transaction.query(INSERT_NAME, { tenant, position: 0, issuer: nameOfDeleted(tenant) });
        await transaction.query(CHANGE_LIST, {});
        await record(transaction, DEFAULT_TENANT, event);
        return true;
      },
    },
  },
};
