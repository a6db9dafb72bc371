import type { DatabaseSync } from 'node:sqlite';
import type { WriteHandlers } from './write-handlers.ts';

export function replayWrites(
  database: DatabaseSync,
): Pick<WriteHandlers, 'rememberOnce' | 'sweepRememberedOnce'> {
  const insert = database.prepare(`
    INSERT INTO remembered_once (tenant, kind, owner, value, expires_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const sweep = database.prepare(`
    DELETE FROM remembered_once WHERE tenant = ?1 AND (kind, owner, value) IN
      (SELECT kind, owner, value FROM remembered_once
       WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
  return {
    rememberOnce({ tenant, kind, owner, value, expires_at }) {
      return insert.run(tenant, kind, owner, value, expires_at).changes === 1;
    },
    sweepRememberedOnce({ tenant, now, limit }) {
      return Number(sweep.run(tenant, now, limit).changes);
    },
  };
}
