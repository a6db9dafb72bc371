import type { DumpTable } from '../../ports/table-dump.ts';

/** Tables and columns whose names differ from `DUMPED_TABLES`. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  counters: 'tenant_counter',
  'authorization_grant.authorization': 'authorization_text',
};

/** Returns the name and the columns of a table in this engine. */
export function ownTable({ name, columns }: DumpTable): {
  readonly name: string;
  readonly columns: readonly string[];
} {
  return {
    name: OWN_NAMES[name] ?? name,
    columns: columns.map((column) => OWN_NAMES[`${name}.${column.name}`] ?? column.name),
  };
}
