import type { DumpColumn, DumpRow, DumpTable, TableDump, TableWriter } from '../../ports/table-dump.ts';
import { DUMPED_TABLES, sectionsOf } from '../../storage/dumped-tables.ts';
import { HARD_TEXTS, times } from './stored-examples.ts';

/** Tenants whose order is another one by UTF-16 than by bytes. */
export const TENANTS: readonly string[] = ['default', 'z', '\uff5e', '😀'];

/** Whatever order a table is read in, these differ by bytes, by case, by numbers and by code units. */
const KEYS: readonly string[] = ['', 'A', 'a', 'aa', '10', '9', 'é', '\uff5e', '😀', "'", '"\\', '%_'];
const SHORT = HARD_TEXTS.filter(({ length }) => length < 100);
const LONG = HARD_TEXTS.find(({ length }) => length > 100_000) ?? '';
const PLAIN: ReadonlySet<string> = new Set(['issuer', 'login_name', 'sid', 'shared_digest', 'entity_id']);

/** Returns rows for every table. `mark` tells registries apart. */
export async function fillTables(dump: TableDump, mark: string, rows = KEYS.length): Promise<void> {
  const writer = await dump.writer();
  try {
    for (const table of DUMPED_TABLES) {
      for (const section of sectionsOf(table, TENANTS)) {
        await writer.change(
          section,
          await keysThere(writer, section.table),
          rowsOf(table, section.tenant, mark, rows),
        );
      }
    }
  } finally {
    await writer.close();
  }
}

/** A new schema has one row already. */
async function keysThere(writer: TableWriter, table: DumpTable): Promise<readonly DumpRow[]> {
  if (table.name !== 'tenant_list') return [];
  return (await writer.page({ table, tenant: undefined }, undefined, 1)).map((row) => row.slice(0, 1));
}

function rowsOf(
  table: DumpTable,
  tenant: string | undefined,
  mark: string,
  rows: number,
): readonly DumpRow[] {
  const { name, keyLength } = table;
  if (name === 'tenant') return TENANTS.slice(1).map((id) => [id, 1, '{}', 1, null, null, null, 'platform']);
  if (name === 'tenant_issuer') return TENANTS.slice(1).map((id) => [id, 0, `https://${id}.example`]);
  if (name === 'tenant_list') return [[1, 7]];
  if (name === 'seal_canary') return [[1, `sealed-${mark}`]];
  if (name === 'counters') return [[tenant ?? '', rows, rows + 1000]];
  if (keyLength === 1) return [[tenant ?? '', 3].slice(0, table.columns.length)];
  return times(rows, (index) =>
    table.columns.map((column, position) => {
      if (position === 0) return tenant ?? '';
      return position < keyLength ? keyValue(column, index, position) : value(column, index);
    }),
  );
}

function keyValue({ type }: DumpColumn, index: number, position: number): string | number {
  if (type === 'integer') return index + 1;
  // The first columns repeat themselves, so that the later ones decide the order.
  return position === 1 ? (KEYS[index % KEYS.length] ?? '') + Math.floor(index / KEYS.length) : `${index}`;
}

function value({ name, type }: DumpColumn, index: number): string | number {
  if (type === 'integer') return index % 2 === 0 ? 0 : Number.MAX_SAFE_INTEGER - index;
  if (name === 'metadata' && index === 0) return LONG;
  return PLAIN.has(name) ? `${name} ${index}` : (SHORT[index % SHORT.length] ?? '');
}
