import { createHash, type Hash } from 'node:crypto';
import type {
  DumpKey,
  DumpRow,
  DumpSection,
  DumpTable,
  TableReader,
  TableWriter,
} from '../ports/table-dump.ts';
import { sectionsOf } from './dumped-tables.ts';

/** Rows that are held in memory at once, and written in one act; the largest rows are about 128 KiB. */
const PAGE = 250;

/** How often a table is gone through again because a row was in the way of another one. */
const ATTEMPTS_MAX = 4;

/** SHA-256 over the rows in the order of their keys, each as a JSON array in a line: the same for every engine. */
class RowDigest {
  readonly #hash: Hash = createHash('sha256');
  rows = 0;

  add(rows: readonly DumpRow[]): void {
    if (rows.length === 0) return;
    this.#hash.update(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    this.rows += rows.length;
  }

  result(): TableDigest {
    return { rows: this.rows, digest: this.#hash.digest('hex') };
  }
}

export interface TableDigest {
  readonly rows: number;
  /** SHA-256, hexadecimal. */
  readonly digest: string;
}

export interface CopiedTable extends TableDigest {
  readonly put: number;
  readonly removed: number;
}

/** Is told how many rows of the table were gone through. */
export type Advance = (rows: number) => void;

export async function digestOf(
  reader: TableReader,
  table: DumpTable,
  tenants: readonly string[],
  advance: Advance = () => undefined,
): Promise<TableDigest> {
  const digest = new RowDigest();
  for (const section of sectionsOf(table, tenants)) {
    for await (const rows of pages(reader, section)) {
      digest.add(rows);
      advance(digest.rows);
    }
  }
  return digest.result();
}

/** All rows of a section in the order of their keys. */
export async function* pages(reader: TableReader, section: DumpSection): AsyncGenerator<readonly DumpRow[]> {
  let after: DumpKey | undefined;
  while (true) {
    const rows = await reader.page(section, after, PAGE);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.slice(0, section.table.keyLength);
  }
}

/**
 * Makes the target's table what the source's is, by what differs alone: after an interruption, or after the source
 * went on, the same call brings the rest. The digest is that of the source.
 */
export async function copyTable(
  source: TableReader,
  target: TableWriter,
  table: DumpTable,
  tenants: readonly string[],
  advance: Advance,
): Promise<CopiedTable> {
  let [put, removed] = [0, 0];
  for (let attempt = 1; ; attempt += 1) {
    const digest = new RowDigest();
    let inTheWay = 0;
    for (const section of sectionsOf(table, tenants)) {
      const merged = await mergeSection(source, target, section, (rows) => {
        digest.add(rows);
        advance(digest.rows);
      });
      put += merged.put;
      removed += merged.removed;
      inTheWay += merged.inTheWay;
    }
    // A row with the same unique name that is gone at the source, and had its turn later, is out of the way now.
    if (inTheWay === 0 || attempt === ATTEMPTS_MAX) return { ...digest.result(), put, removed };
  }
}

interface Merged {
  readonly put: number;
  readonly removed: number;
  /** Rows that were not put because another one was in their way. */
  readonly inTheWay: number;
}

async function mergeSection(
  source: TableReader,
  target: TableWriter,
  section: DumpSection,
  read: (rows: readonly DumpRow[]) => void,
): Promise<Merged> {
  const { keyLength } = section.table;
  const there = new Cursor(target, section);
  let [put, removed, inTheWay] = [0, 0, 0];
  const change = async (gone: readonly DumpKey[], missing: readonly DumpRow[]): Promise<void> => {
    if (gone.length === 0 && missing.length === 0) return;
    const done = await target.change(section, gone, missing);
    put += done;
    removed += gone.length;
    inTheWay += missing.length - done;
  };
  for await (const rows of pages(source, section)) {
    read(rows);
    const [gone, missing]: [DumpKey[], DumpRow[]] = [[], []];
    for (const row of rows) {
      let found = await there.row();
      while (found !== undefined && compareKeys(found, row, keyLength) < 0) {
        gone.push(found.slice(0, keyLength));
        if (gone.length >= PAGE) await change(gone.splice(0), []);
        there.next();
        found = await there.row();
      }
      if (found !== undefined && compareKeys(found, row, keyLength) === 0) {
        there.next();
        if (sameRow(found, row)) continue;
        gone.push(row.slice(0, keyLength));
      }
      missing.push(row);
    }
    await change(gone, missing);
  }
  const rest: DumpKey[] = [];
  for (let found = await there.row(); found !== undefined; found = await there.row()) {
    rest.push(found.slice(0, keyLength));
    there.next();
    if (rest.length >= PAGE) await change(rest.splice(0), []);
  }
  await change(rest, []);
  return { put, removed, inTheWay };
}

/** One row after the other, read by pages so that what was read may be changed meanwhile. */
class Cursor {
  readonly #reader: TableReader;
  readonly #section: DumpSection;
  #rows: readonly DumpRow[] = [];
  #at = 0;
  #isEnd = false;

  constructor(reader: TableReader, section: DumpSection) {
    this.#reader = reader;
    this.#section = section;
  }

  /** The row at which it stands; undefined behind the last one. */
  async row(): Promise<DumpRow | undefined> {
    if (this.#at >= this.#rows.length && !this.#isEnd) {
      const after = this.#rows.at(-1)?.slice(0, this.#section.table.keyLength);
      this.#rows = await this.#reader.page(this.#section, after, PAGE);
      this.#at = 0;
      this.#isEnd = this.#rows.length < PAGE;
    }
    return this.#rows[this.#at];
  }

  next(): void {
    this.#at += 1;
  }
}

const sameRow = (one: DumpRow, other: DumpRow): boolean =>
  one.every((value, index) => value === other[index]);

/** Negative where `one` comes first, in the order of `TableReader.page`. */
export function compareKeys(one: DumpRow, other: DumpRow, keyLength: number): number {
  for (let index = 0; index < keyLength; index += 1) {
    const [left, right] = [one[index], other[index]];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  }
  return 0;
}
