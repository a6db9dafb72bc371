import type { Scalar, Value } from './statement.ts';

/** Columns of many rows with their types; each is one parameter, a list with a value for each row. */
export type ListedColumns = Readonly<Record<string, 'text' | 'bigint'>>;

export const columnNames = (columns: ListedColumns): string => Object.keys(columns).join(', ');

/** For `FROM`: the rows under the name `asked`. */
export const unnested = (columns: ListedColumns): string => {
  const lists = Object.entries(columns).map(([name, type]) => `:${name}::${type}[]`);
  return `unnest(${lists.join(', ')}) AS asked (${columnNames(columns)})`;
};

/** The parameters of `unnested`. */
export function listed(
  columns: ListedColumns,
  rows: readonly Readonly<Record<string, Value | undefined>>[],
): Record<string, readonly (string | null)[]> {
  const lists: Record<string, readonly (string | null)[]> = {};
  for (const column of Object.keys(columns)) lists[column] = rows.map((row) => inText(row[column] as Scalar));
  return lists;
}

const inText = (value: Scalar | undefined): string | null =>
  value === null || value === undefined ? null : String(value);
