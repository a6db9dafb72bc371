import { sqlitePathOf, tablesAt } from '../../src/opened-storage.ts';
import { checkTables } from '../../src/storage/check-tables.ts';
import { brokenCounts } from '../../src/storage/postgres/test-integrity.ts';
import { sqliteDamage } from '../../src/storage/sqlite/damage.ts';

/** `ok`, or what is wrong with the database at a `storage.url`: what `storage check` finds, and gaps in the audit. */
export async function integrityOf(url: string): Promise<string> {
  const path = sqlitePathOf(url);
  const damage = path === undefined ? await brokenCounts(url) : sqliteDamage(path);
  const reader = await tablesAt(url).snapshot();
  try {
    const { findings } = await checkTables(reader);
    return [...damage, ...findings].join('; ') || 'ok';
  } finally {
    await reader.close();
  }
}
