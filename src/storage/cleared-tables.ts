import type { DumpTable } from '../ports/table-dump.ts';
import { DERIVED_TABLES, DUMPED_TABLES } from './dumped-tables.ts';

/** A table of tenants as an engine has it. */
export interface ClearedTable {
  readonly name: string;
  /** The columns of the primary key, the tenant first. */
  readonly key: readonly string[];
}

/** The audit and the journal go last, with their numbers: a process that still reads them must not see a number twice. */
const LAST: readonly string[] = ['audit_event', 'change_journal', 'counters'];

/**
 * The tables whose rows go with their tenant, in the order of deletion: rows that belong to another row go before it.
 */
export const CLEARED_TABLES: readonly DumpTable[] = [
  ...DERIVED_TABLES,
  ...DUMPED_TABLES.filter(({ name, ofTenants }) => ofTenants && !LAST.includes(name)).toReversed(),
  ...LAST.flatMap((last) => DUMPED_TABLES.filter(({ name }) => name === last)),
];

/** Deletes at most `limit` rows of a tenant whose deletion has begun. `tenant` and `limit` are how the engine writes values. */
export function clearing({ name, key }: ClearedTable, tenant: string, limit: string): string {
  const [, ...rest] = key;
  const columns = rest.join(', ');
  const place = rest.length === 1 ? columns : `(${columns})`;
  const some =
    rest.length === 0
      ? ''
      : `AND ${place} IN (SELECT ${columns} FROM ${name} WHERE tenant = ${tenant} LIMIT ${limit})`;
  return `DELETE FROM ${name} WHERE tenant = ${tenant} ${some}
    AND EXISTS (SELECT 1 FROM tenant AS gone WHERE gone.tenant = ${tenant} AND gone.deleted_at IS NOT NULL)`;
}

/** Counts the rows of a tenant in each table, up to `limit` in each: rows of `name` and `rows_there`. */
export function counting(tables: readonly ClearedTable[], tenant: string, limit: string): string {
  return tables
    .map(
      ({ name }) =>
        `SELECT '${name}' AS name, count(*) AS rows_there FROM (
           SELECT 1 AS one FROM ${name} WHERE tenant = ${tenant} LIMIT ${limit}) AS some_of_${name}`,
    )
    .join(' UNION ALL ');
}

/** Returns the tables from `from` on; all without `from`. */
export function tablesFrom<Table extends ClearedTable>(
  tables: readonly Table[],
  from: string | undefined,
): readonly Table[] {
  return tables.slice(
    Math.max(
      0,
      tables.findIndex(({ name }) => name === from),
    ),
  );
}
