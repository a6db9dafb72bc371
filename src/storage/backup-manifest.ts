import { StorageUnavailable } from '../ports/storage.ts';
import type { TableReader } from '../ports/table-dump.ts';
import type { Sealed } from '../spec/identifiers.ts';
import { digestOf, type TableDigest } from './copy-table.ts';
import { DUMPED_TABLES } from './dumped-tables.ts';

/** What a backup says of itself: the mark `backup` in it. */
export interface BackupManifest {
  /** The version of the program that made it. */
  readonly program: string;
  /** The version of its schema. */
  readonly schema: number;
  /** Seconds since the epoch: nothing that was acknowledged later is in it. */
  readonly taken_at: number;
  /** Of the encryption key: the first eight hexadecimal digits of its SHA-256. Null where nothing was sealed yet. */
  readonly encryption_key: string | null;
  readonly tables: Readonly<Record<string, TableDigest>>;
}

const FINGERPRINT_LENGTH = 8;

export async function tableDigests(reader: TableReader): Promise<BackupManifest['tables']> {
  const tenants = await reader.tenants();
  const digests: Record<string, TableDigest> = {};
  for (const table of DUMPED_TABLES) digests[table.name] = await digestOf(reader, table, tenants);
  return digests;
}

/** The text by which a wrong encryption key is recognised; undefined where no server was ever started. */
export async function sealedCanary(reader: TableReader): Promise<Sealed | undefined> {
  const table = DUMPED_TABLES.find(({ name }) => name === 'seal_canary');
  const rows = table === undefined ? [] : await reader.page({ table, tenant: undefined }, undefined, 1);
  return rows[0] === undefined ? undefined : (String(rows[0][1]) as Sealed);
}

/** A sealed text begins with the name of the key that sealed it. */
export const keyNameOf = (canary: string | undefined): string | null =>
  canary === undefined ? null : canary.slice(0, FINGERPRINT_LENGTH);

/** The names of tables that are not as the manifest says. */
export function differingTables(
  manifest: BackupManifest,
  found: BackupManifest['tables'],
): readonly string[] {
  return DUMPED_TABLES.map(({ name }) => name).filter(
    (name) => manifest.tables[name]?.digest !== found[name]?.digest,
  );
}

export function parseManifest(content: string | undefined, file: string): BackupManifest {
  if (content === undefined) {
    throw new StorageUnavailable(`${file} is a database, but not a backup that chancery backup create made`);
  }
  return JSON.parse(content) as BackupManifest;
}

export const rowsIn = (tables: BackupManifest['tables']): number =>
  Object.values(tables).reduce((sum, { rows }) => sum + rows, 0);
