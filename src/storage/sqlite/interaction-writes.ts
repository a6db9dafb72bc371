import type { DatabaseSync } from 'node:sqlite';
import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { Digest, TenantId } from '../../spec/identifiers.ts';
import type { WriteHandlers } from './write-handlers.ts';

type InteractionWrites = Pick<
  WriteHandlers,
  'beginInteraction' | 'changeInteraction' | 'completeInteraction' | 'sweepInteractions'
>;

export function interactionWrites(database: DatabaseSync): InteractionWrites {
  const insert = database.prepare(`
    INSERT INTO interaction (tenant, key, kind, browser, version, content, created_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const exists = database.prepare('SELECT 1 FROM interaction WHERE tenant = ? AND key = ?');
  const change = database.prepare(`
    UPDATE interaction SET content = ?, version = version + 1 WHERE tenant = ? AND key = ? AND version = ?`);
  const remove = database.prepare('DELETE FROM interaction WHERE tenant = ? AND key = ? AND version = ?');
  const sweep = database.prepare(`
    DELETE FROM interaction WHERE tenant = ?1 AND key IN
      (SELECT key FROM interaction WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
  const outcome = (tenant: TenantId, key: Digest, changes: number | bigint): ChangeOutcome => {
    if (changes === 1) return 'done';
    return exists.get(tenant, key) === undefined ? 'absent' : 'changed_meanwhile';
  };
  return {
    beginInteraction({ tenant, interaction }) {
      const { key, kind, browser, version, content, created_at, expires_at } = interaction;
      insert.run(tenant, key, kind, browser, version, content, created_at, expires_at);
      return undefined;
    },
    changeInteraction: ({ tenant, interaction: { key, version }, content }) =>
      outcome(tenant, key, change.run(content, tenant, key, version).changes),
    completeInteraction: ({ tenant, interaction: { key, version } }) =>
      outcome(tenant, key, remove.run(tenant, key, version).changes),
    sweepInteractions: ({ tenant, now, limit }) => Number(sweep.run(tenant, now, limit).changes),
  };
}
