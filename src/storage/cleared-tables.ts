import type { DumpColumn, DumpTable } from '../ports/table-dump.ts';
import { DERIVED_TABLES, DUMPED_TABLES } from './dumped-tables.ts';

/** A table of tenants as an engine has it. */
export interface ClearedTable {
  readonly name: string;
  /** The columns of the primary key behind the tenant. */
  readonly key: readonly DumpColumn[];
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

/** How an engine writes a value of a statement: by name, or by the column that it is compared with. */
export interface ClearingValues {
  readonly tenant: string;
  readonly limit: string;
  readonly of: (column: DumpColumn, index: number) => string;
}

/**
 * Returns the two statements that remove a batch: one finds the key of the last row of the batch, the other deletes up to that
 * key. Both walk the primary key, whatever a planner knows about the table. A join with the keys of a batch would not.
 */
export function clearing(
  { name, key }: ClearedTable,
  { tenant, limit, of }: ClearingValues,
): { readonly last: string | undefined; readonly remove: string } {
  const columns = key.map((column) => column.name);
  const remove = `DELETE FROM ${name} WHERE tenant = ${tenant}
    AND EXISTS (SELECT 1 FROM tenant AS gone WHERE gone.tenant = ${tenant} AND gone.deleted_at IS NOT NULL)`;
  if (key.length === 0) return { last: undefined, remove };
  const list = columns.join(', ');
  return {
    last: `SELECT ${list} FROM (
        SELECT ${list} FROM ${name} WHERE tenant = ${tenant} ORDER BY tenant, ${list} LIMIT ${limit}) AS batch
      ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')} LIMIT 1`,
    remove: `${remove} AND ${rowOf(columns)} <= ${rowOf(key.map(of))}`,
  };
}

const rowOf = (values: readonly string[]): string =>
  values.length === 1 ? values.join('') : `(${values.join(', ')})`;

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
