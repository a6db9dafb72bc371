import { sqlitePathOf, tablesAt } from '../../src/process/storage.ts';
import { checkTables } from '../../src/storage/check-tables.ts';
import { sqliteDamage } from '../../src/storage/sqlite/database-file.ts';
import { brokenCounts } from '../../src/testing/postgres/integrity.ts';

/** `ok`, or what is wrong with the database at a `storage.url`: what `storage check` finds, and gaps in the audit. */
export async function integrityOf(url: string): Promise<string> {
  const path = sqlitePathOf(url);
  const damage = path === undefined ? await brokenCounts(url) : sqliteDamage(path);
  const reader = await (await tablesAt(url)).snapshot();
  try {
    const { findings } = await checkTables(reader);
    return [...damage, ...findings].join('; ') || 'ok';
  } finally {
    await reader.close();
  }
}
