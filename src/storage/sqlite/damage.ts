import { DatabaseSync } from 'node:sqlite';
import { inspect, unavailable } from './database-file.ts';

const FINDINGS_MAX = 100;

/** What SQLite finds when it reads every page and compares every index with its table; nothing where all is well. */
export function sqliteDamage(path: string): readonly string[] {
  try {
    inspect(path);
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = database.prepare(`PRAGMA integrity_check(${FINDINGS_MAX})`).all();
      const findings = rows.map((row) => String(row['integrity_check']).replaceAll(/\s+/gu, ' '));
      return findings.length === 1 && findings[0] === 'ok' ? [] : findings;
    } finally {
      database.close();
    }
  } catch (error) {
    throw unavailable(path, error);
  }
}
