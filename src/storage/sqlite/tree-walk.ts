import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';

/** A table or an index of the database, as statements read it in the order of its keys. */
export interface Tree {
  readonly name: string;
  /** The source of a SELECT, which reads no other tree. */
  readonly from: string;
  /** The WHERE of a partial index. */
  readonly where: string;
  /** The columns of the key, as SQL. Together they are unique. */
  readonly key: readonly string[];
  /** SQL that reads every column, and so every overflow page. */
  readonly content: string;
}

/** Says that rows are out of order: an index or a table no longer finds them. */
export class OutOfOrder extends Error {
  override readonly name = 'OutOfOrder';
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const text = (value: SQLOutputValue | undefined): string => String(value);

/** Returns every table and index that has pages of its own. */
export function treesOf(database: DatabaseSync): readonly Tree[] {
  const tables = database
    .prepare("SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name")
    .all();
  return tables.flatMap((table) => {
    const name = text(table['name']);
    const withoutRowid = Number(table['wr']) === 1;
    return [tableTree(database, name, withoutRowid), ...indexTrees(database, name, withoutRowid)];
  });
}

function tableTree(database: DatabaseSync, name: string, withoutRowid: boolean): Tree {
  const columns = database.prepare('SELECT name, pk FROM pragma_table_info(?)').all(name);
  const key = columns
    .filter(({ pk }) => Number(pk) > 0)
    .sort((one, other) => Number(one['pk']) - Number(other['pk']))
    .map((column) => quoted(text(column['name'])));
  return {
    name,
    from: quoted(name),
    where: 'TRUE',
    key: withoutRowid ? key : ['rowid'],
    content: columns.map((column) => `ifnull(length(${quoted(text(column['name']))}), 0)`).join(' + '),
  };
}

function indexTrees(database: DatabaseSync, table: string, withoutRowid: boolean): readonly Tree[] {
  const indexes = database.prepare('SELECT name, origin FROM pragma_index_list(?)').all(table);
  // The key of a table without rowid is the table itself.
  const others = indexes.filter(({ origin }) => !(withoutRowid && origin === 'pk'));
  return others.map(({ name: found }) => {
    const name = text(found);
    const columns = database.prepare('SELECT cid, name FROM pragma_index_xinfo(?)').all(name);
    const key = columns.map(({ cid, name: column }) => (Number(cid) === -1 ? 'rowid' : quoted(text(column))));
    const sql = database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name)?.['sql'];
    return {
      name,
      from: `${quoted(table)} INDEXED BY ${quoted(name)}`,
      where: typeof sql === 'string' ? (/\bWHERE\b(.+)$/su.exec(sql)?.[1] ?? 'TRUE') : 'TRUE',
      key,
      content: '0',
    };
  });
}

/** Rows of one step. Each step is a transaction of its own, so that a check does not keep the log from being emptied. */
const STEP_ROWS = 1000;

type Key = readonly SQLOutputValue[];

/**
 * Reads one tree from its beginning to its end. Yields the number of rows of each step. Throws SQLite's error for a page
 * that is damaged or cannot be read, and `OutOfOrder`. Rows that others write meanwhile may be read or not.
 */
export function* walk(database: DatabaseSync, tree: Tree): Generator<number, void, undefined> {
  const columns = tree.key.join(', ');
  const rowsOf = (condition: string, values: Key): readonly Key[] => {
    const statement = database.prepare(
      `SELECT ${columns}, ${tree.content} FROM ${tree.from} WHERE ${tree.where} AND ${condition} ORDER BY ${columns} LIMIT ${STEP_ROWS}`,
    );
    statement.setReturnArrays(true);
    return (statement.all(...(values as SQLInputValue[])) as unknown as readonly Key[]).map((row) =>
      row.slice(0, tree.key.length),
    );
  };
  let last: Key | undefined;
  for (;;) {
    const rows: readonly Key[] = last === undefined ? rowsOf('TRUE', []) : rowsAfter(tree.key, last, rowsOf);
    if (rows.length === 0) return;
    requireOrder(tree, last, rows);
    last = rows.at(-1);
    yield rows.length;
  }
}

/**
 * Returns the next rows behind `last`: first those that share all columns but the last one with it, then those that share
 * one column less, and so on. Each is one range of the tree; a NULL comes before every value.
 */
function rowsAfter(
  key: readonly string[],
  last: Key,
  rowsOf: (condition: string, values: Key) => readonly Key[],
): readonly Key[] {
  for (let shared = key.length - 1; shared >= 0; shared -= 1) {
    const equal = key.slice(0, shared).map((column) => `${column} IS ?`);
    const bound = last[shared] ?? null;
    const column = key[shared] ?? '';
    const behind = bound === null ? `${column} IS NOT NULL` : `${column} > ?`;
    const values = [...last.slice(0, shared), ...(bound === null ? [] : [bound])];
    const rows = rowsOf([...equal, behind].join(' AND '), values);
    if (rows.length > 0) return rows;
  }
  return [];
}

function requireOrder({ name }: Tree, last: Key | undefined, rows: readonly Key[]): void {
  let before = last;
  for (const row of rows) {
    if (before !== undefined && compare(before, row) >= 0)
      throw new OutOfOrder(`rows of ${name} are out of order`);
    before = row;
  }
}

function compare(one: Key, other: Key): number {
  for (const [index, value] of one.entries()) {
    const order = compareValues(value, other[index] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares as SQLite does: NULL, then numbers, then texts by their bytes (https://www.sqlite.org/datatype3.html). */
function compareValues(one: SQLOutputValue, other: SQLOutputValue): number {
  if (one === other) return 0;
  const [first, second] = [rank(one), rank(other)];
  if (first !== second) return first - second;
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return Number(one) - Number(other);
}

const rank = (value: SQLOutputValue): number => (value === null ? 0 : typeof value === 'string' ? 2 : 1);
