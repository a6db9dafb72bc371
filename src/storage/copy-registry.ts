import { createHash } from 'node:crypto';
import type { TableDigest } from '../ports/backup-store.ts';
import { StorageUnavailable } from '../ports/storage.ts';
import type { DumpTable, TableDump, TableReader, TableWriter } from '../ports/table-dump.ts';
import { type CopiedTable, copyTable, digestOf } from './copy-table.ts';
import { countOf, DUMPED_TABLES, sectionsOf } from './dumped-tables.ts';
import { type CopyMark, parseCopyMark } from './marks.ts';

export interface CopyOptions {
  /** Whether this is the last pass: no server writes to the source, and the target may go into service. */
  readonly final: boolean;
  /** Seconds since the epoch. */
  readonly now: number;
  readonly progress: (progress: CopyProgress) => void;
}

export interface CopyProgress {
  /** `check`: the source is read again, to make sure that no server wrote to it. */
  readonly phase: 'copy' | 'verify' | 'check';
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

export interface CopyReport {
  readonly tables: readonly (CopiedTable & { readonly table: string })[];
  readonly rows: number;
  readonly put: number;
  readonly removed: number;
}

const NAMED_NUL_ROWS_MAX = 20;

/**
 * Makes the target's rows equal to those of the source at the moment of the call, and compares the digests of all tables.
 * A repeated call, after an interruption or after the source changed, writes only the differences. Without `final` the
 * target stays marked as unfinished, and no server starts on it. Rejects with `StorageUnavailable`, also if the target holds
 * other data.
 */
export async function copyRegistry(
  source: TableDump,
  target: TableDump,
  options: CopyOptions,
): Promise<CopyReport> {
  const writer = await target.writer();
  try {
    const snapshot = await source.snapshot();
    let copied: Copied;
    try {
      copied = await copySnapshot(snapshot, writer, options);
    } finally {
      await snapshot.close();
    }
    await verify(writer, copied, options);
    if (options.final) await finish(source, writer, copied, options);
    return reportOf(copied);
  } finally {
    await writer.close();
  }
}

interface Copied {
  readonly mark: CopyMark;
  readonly tenants: readonly string[];
  readonly tables: ReadonlyMap<DumpTable, CopiedTable>;
}

async function copySnapshot(
  snapshot: TableReader,
  writer: TableWriter,
  { now, progress }: CopyOptions,
): Promise<Copied> {
  const tenants = [...new Set([...(await snapshot.tenants()), ...(await writer.tenants())])].sort(byBytes);
  if (!writer.keepsNul) await refuseNul(snapshot, tenants);
  const mark = await beginCopy(snapshot, writer, tenants, now);
  const tables = new Map<DumpTable, CopiedTable>();
  for (const table of DUMPED_TABLES) {
    const total = await countOf(snapshot, table, tenants);
    const advance = (rows: number): void => progress({ phase: 'copy', table: table.name, rows, total });
    tables.set(table, await copyTable(snapshot, writer, table, tenants, advance));
  }
  for (const name of ['restored', 'issuer'] as const) await writer.putMark(name, await snapshot.mark(name));
  return { mark, tenants, tables };
}

async function beginCopy(
  snapshot: TableReader,
  writer: TableWriter,
  tenants: readonly string[],
  now: number,
): Promise<CopyMark> {
  if (parseCopyMark(await snapshot.mark('copy'))?.finished_at === null) {
    throw new StorageUnavailable('the source is an unfinished copy itself');
  }
  const source = await registryName(snapshot);
  const begun = parseCopyMark(await writer.mark('copy'));
  if (begun === undefined) {
    if (!(await isEmpty(writer, tenants))) {
      throw new StorageUnavailable(
        'the target is not empty, and not an unfinished copy: nothing was changed',
      );
    }
    const mark = { source, started_at: now, finished_at: null };
    await writer.putMark('copy', JSON.stringify(mark));
    return mark;
  }
  if (begun.finished_at !== null) {
    throw new StorageUnavailable(
      'the target is a finished copy, and servers may have written to it since: nothing was changed',
    );
  }
  if (begun.source !== source) {
    throw new StorageUnavailable(
      'the target is an unfinished copy of another registry, or encryption.key was changed meanwhile: nothing was changed',
    );
  }
  return begun;
}

/** Names the registry: each one seals its canary with a random nonce, so no two are equal. */
async function registryName(reader: TableReader): Promise<string> {
  const table = DUMPED_TABLES.find(({ name }) => name === 'seal_canary');
  const [row] = table === undefined ? [] : await reader.page({ table, tenant: undefined }, undefined, 1);
  if (row === undefined)
    throw new StorageUnavailable('no server was ever started on the source: there is nothing to copy');
  return createHash('sha256').update(String(row[1])).digest('hex');
}

async function isEmpty(writer: TableReader, tenants: readonly string[]): Promise<boolean> {
  // A new schema already has the row of the list of tenants.
  for (const table of DUMPED_TABLES.filter(({ name }) => name !== 'tenant_list')) {
    for (const section of sectionsOf(table, tenants)) {
      if ((await writer.page(section, undefined, 1)).length > 0) return false;
    }
  }
  return true;
}

async function refuseNul(snapshot: TableReader, tenants: readonly string[]): Promise<void> {
  const found: string[] = [];
  for (const table of DUMPED_TABLES) {
    for (const section of sectionsOf(table, tenants)) {
      const keys = await snapshot.withNul(section, NAMED_NUL_ROWS_MAX - found.length);
      found.push(...keys.map((key) => `${table.name} ${JSON.stringify(key)}`));
      if (found.length >= NAMED_NUL_ROWS_MAX) break;
    }
  }
  if (found.length === 0) return;
  throw new StorageUnavailable(
    `the target cannot keep a text with a NUL, and there are some (change or delete them first): ${found.join('; ')}`,
  );
}

/** Reads the target back and compares, instead of trusting its acknowledgements. */
async function verify(writer: TableReader, { tenants, tables }: Copied, options: CopyOptions): Promise<void> {
  const differing = await differences(writer, tenants, tables, options, 'verify');
  if (differing.length === 0) return;
  throw new StorageUnavailable(`the copy is not what was copied, in ${differing.join(', ')}: run it again`);
}

async function finish(
  source: TableDump,
  writer: TableWriter,
  { mark, tenants, tables }: Copied,
  options: CopyOptions,
): Promise<void> {
  const snapshot = await source.snapshot();
  try {
    const changed = await differences(snapshot, tenants, tables, options, 'check');
    if (changed.length > 0) {
      throw new StorageUnavailable(
        `something was written to the source while it was copied, in ${changed.join(', ')}: stop every server on it, and run this again`,
      );
    }
  } finally {
    await snapshot.close();
  }
  await writer.putMark('copy', JSON.stringify({ ...mark, finished_at: options.now } satisfies CopyMark));
}

/** Returns the tables that differ from the copy. */
async function differences(
  reader: TableReader,
  tenants: readonly string[],
  tables: ReadonlyMap<DumpTable, TableDigest>,
  { progress }: CopyOptions,
  phase: CopyProgress['phase'],
): Promise<readonly string[]> {
  const differing: string[] = [];
  for (const [table, { rows: total, digest }] of tables) {
    const found = await digestOf(reader, table, tenants, (rows) =>
      progress({ phase, table: table.name, rows, total }),
    );
    if (found.digest !== digest) differing.push(`${table.name} (${found.rows} rows instead of ${total})`);
  }
  return differing;
}

function reportOf({ tables }: Copied): CopyReport {
  const list = [...tables].map(([{ name }, copied]) => ({ table: name, ...copied }));
  const sum = (member: 'rows' | 'put' | 'removed'): number =>
    list.reduce((total, copied) => total + copied[member], 0);
  return { tables: list, rows: sum('rows'), put: sum('put'), removed: sum('removed') };
}

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
