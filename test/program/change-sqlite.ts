import { DatabaseSync } from 'node:sqlite';

/** Executes a statement on a database file beside every program of ours. */
export function changeSqlite(path: string, sql: string): void {
  const database = new DatabaseSync(path, { timeout: 5000 });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}
