import type { BackupManifest, TableDigest } from '../ports/backup-store.ts';
import { StorageUnavailable } from '../ports/storage.ts';
import type { TableReader } from '../ports/table-dump.ts';
import type { Sealed } from '../spec/identifiers.ts';
import { digestOf } from './copy-table.ts';
import { DUMPED_TABLES } from './dumped-tables.ts';

const FINGERPRINT_LENGTH = 8;

export async function tableDigests(reader: TableReader): Promise<BackupManifest['tables']> {
  const tenants = await reader.tenants();
  const digests: Record<string, TableDigest> = {};
  for (const table of DUMPED_TABLES) digests[table.name] = await digestOf(reader, table, tenants);
  return digests;
}

/** Returns the sealed text that reveals a wrong encryption key; undefined if no server ever started on the database. */
export async function sealedCanary(reader: TableReader): Promise<Sealed | undefined> {
  const table = DUMPED_TABLES.find(({ name }) => name === 'seal_canary');
  const rows = table === undefined ? [] : await reader.page({ table, tenant: undefined }, undefined, 1);
  return rows[0] === undefined ? undefined : (String(rows[0][1]) as Sealed);
}

/** Returns the name of the key that sealed a text: the text begins with it. */
export const keyNameOf = (canary: string | undefined): string | null =>
  canary === undefined ? null : canary.slice(0, FINGERPRINT_LENGTH);

/** Returns the names of the tables that differ from the manifest. */
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
