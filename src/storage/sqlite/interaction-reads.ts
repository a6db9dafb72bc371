import type { DatabaseSync } from 'node:sqlite';
import type { StoredInteraction } from '../../ports/interaction-store.ts';
import type { Reads } from '../tenant-storage.ts';

export function interactionReads(database: DatabaseSync): Reads['interactions'] {
  const select = database.prepare(`
    SELECT key, kind, browser, version, content, created_at, expires_at FROM interaction
    WHERE tenant = ? AND key = ?`);
  return {
    find(tenant, key) {
      const row = select.get(tenant, key);
      return row === undefined ? undefined : ({ ...row } as unknown as StoredInteraction);
    },
  };
}
