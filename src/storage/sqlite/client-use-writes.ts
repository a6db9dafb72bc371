import type { DatabaseSync } from 'node:sqlite';
import type { WriteHandlers } from './write-handlers.ts';

export function clientUseWrites(database: DatabaseSync): Pick<WriteHandlers, 'recordClientUses'> {
  // What is not later than the time that is kept writes nothing.
  const record = database.prepare(`
    INSERT INTO client_use (tenant, client_id, instance, secret_digest, last_used_at)
    SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3)
    ON CONFLICT (tenant, client_id, instance, secret_digest) DO UPDATE SET last_used_at = excluded.last_used_at
    WHERE excluded.last_used_at > last_used_at`);
  return {
    recordClientUses({ tenant, uses }) {
      for (const { client_id, instance, secret_digest, last_used_at } of uses) {
        record.run(tenant, client_id, instance, secret_digest ?? '', last_used_at);
      }
      return undefined;
    },
  };
}
