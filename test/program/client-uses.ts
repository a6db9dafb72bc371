import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Program } from './start.ts';

export interface UseRow {
  /** Empty for a use without a secret. */
  readonly secret_digest: string;
  readonly last_used_at: number;
}

/** When a client and its secrets were last used, as it is in the database of a running program. */
export function usesOf({ folder }: Pick<Program, 'folder'>, client_id: string): readonly UseRow[] {
  const database = new DatabaseSync(join(folder, 'chancery.db'), { readOnly: true });
  try {
    const select = 'SELECT secret_digest, last_used_at FROM client_use WHERE client_id = ?';
    return database.prepare(select).all(client_id) as unknown as readonly UseRow[];
  } finally {
    database.close();
  }
}
