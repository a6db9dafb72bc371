import type { DatabaseSync } from 'node:sqlite';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { ClientVersion } from '../../ports/client-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { KEPT_OF_CLIENT, versionEnd } from '../rows.ts';

type Registration = Omit<ClientVersion, 'version'>;

/** Adds the stored row of a client to its former versions; both functions below run before it changes. */
function rowKeeping(
  database: DatabaseSync,
): (tenant: TenantId, client: Registration, event: AuditEvent, deleted_at: number | null) => void {
  const insert = database.prepare(`
    INSERT INTO client_version (tenant, client_id, instance, version, ended_at, deleted_at, action, actor, request_id, reason,
      ${KEPT_OF_CLIENT})
    SELECT tenant, client_id, instance, version, ?3, ?4, ?5, ?6, ?7, ?8, ${KEPT_OF_CLIENT} FROM client
    WHERE tenant = ?1 AND client_id = ?2`);
  return (tenant, { client_id }, event, deleted_at) => {
    const { ended_at, action, actor, request_id, reason } = versionEnd(event);
    insert.run(tenant, client_id, ended_at, deleted_at, action, actor, request_id, reason);
  };
}

/** Keeps the version of a client that a change ends, and at most `versionsMax` in all. */
export function versionKeeping(
  database: DatabaseSync,
): (tenant: TenantId, client: Registration, event: AuditEvent, versionsMax: number) => void {
  const keep = rowKeeping(database);
  const trim = database.prepare(`
    DELETE FROM client_version WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3 AND version <= (
      SELECT version FROM client_version WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3
      ORDER BY version DESC LIMIT 1 OFFSET ?4)`);
  return (tenant, client, event, versionsMax) => {
    if (versionsMax === 0) return;
    keep(tenant, client, event, null);
    trim.run(tenant, client.client_id, client.instance, versionsMax);
  };
}

/**
 * Ends the history of a client that is deleted, or lets it wait for a restoration. If several clients had one identifier, only
 * the last one that was deleted can be restored.
 */
export function historyEnding(
  database: DatabaseSync,
): (tenant: TenantId, client: Registration, kept: AuditEvent | undefined) => void {
  const keep = rowKeeping(database);
  const remove = database.prepare('DELETE FROM client_version WHERE tenant = ? AND client_id = ?');
  const removeOthers = database.prepare(
    'DELETE FROM client_version WHERE tenant = ? AND client_id = ? AND instance <> ?',
  );
  return (tenant, client, kept) => {
    const { client_id, instance } = client;
    if (kept === undefined) {
      remove.run(tenant, client_id);
      return;
    }
    removeOthers.run(tenant, client_id, instance);
    keep(tenant, client, kept, kept.at);
  };
}
