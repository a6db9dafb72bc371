import { createHash, type Hash } from 'node:crypto';
import type { TableDigest } from '../ports/backup-store.ts';
import type {
  DumpKey,
  DumpRow,
  DumpSection,
  DumpTable,
  TableReader,
  TableWriter,
} from '../ports/table-dump.ts';
import { DUMPED_TABLES, sectionsOf } from './dumped-tables.ts';

/** The number of rows held in memory and written in one transaction. The largest rows are about 128 KiB. */
const PAGE = 250;

/** A table is scanned at most this often again because a row blocked another one. */
const ATTEMPTS_MAX = 4;

/** Computes SHA-256 over the rows in the order of their keys, each as a line with a JSON array. It is the same for every engine. */
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

export interface CopiedTable extends TableDigest {
  readonly put: number;
  readonly removed: number;
}

/** Called with the number of rows that were scanned. */
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

/** Yields all rows of a section in the order of their keys. */
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

/** Returns the tenants that are deleted, or are being deleted. */
export async function deletedTenants(reader: TableReader): Promise<ReadonlySet<string>> {
  const deleted = new Set<string>();
  const table = DUMPED_TABLES.find(({ name }) => name === 'tenant');
  if (table === undefined) throw new Error('there is no table of tenants');
  const at = table.columns.findIndex(({ name }) => name === 'deleted_at');
  for await (const rows of pages(reader, { table, tenant: undefined })) {
    for (const row of rows) if (row[at] !== null) deleted.add(String(row[0]));
  }
  return deleted;
}

/**
 * Makes the target's table equal to the source's by writing only the differences. After an interruption, or after the
 * source changed, the same call writes the rest. Returns the digest of the source.
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
    // A row that held the same unique name and is gone at the source was removed later in the scan: it blocks no longer.
    if (inTheWay === 0 || attempt === ATTEMPTS_MAX) return { ...digest.result(), put, removed };
  }
}

interface Merged {
  readonly put: number;
  readonly removed: number;
  /** The number of rows that were not written because another row blocked them. */
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

/** Reads one row after the other. It reads by pages, so that rows it has passed may change. */
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

  /** The current row; undefined after the last one. */
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

/** Compares keys in the order of `TableReader.page`; negative if `one` comes first. */
export function compareKeys(one: DumpRow, other: DumpRow, keyLength: number): number {
  for (let index = 0; index < keyLength; index += 1) {
    const [left, right] = [one[index], other[index]];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
  }
  return 0;
}
