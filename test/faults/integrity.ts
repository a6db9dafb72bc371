import { DatabaseSync } from 'node:sqlite';
import { brokenCounts } from '../../src/storage/postgres/test-integrity.ts';

/** `ok`, or what is wrong with the database at a `storage.url`. */
export async function integrityOf(url: string): Promise<string> {
  if (!url.startsWith('sqlite:')) return (await brokenCounts(url)).join('; ') || 'ok';
  const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
  try {
    const rows = database.prepare('PRAGMA integrity_check').all();
    return rows.map((row) => String(row['integrity_check'])).join('; ');
  } finally {
    database.close();
  }
}
