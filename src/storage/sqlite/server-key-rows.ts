import type { DatabaseSync } from 'node:sqlite';
import type { RemovedServerKey, StoredServerKey } from '../../ports/server-key-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';

const COLUMNS = 'kid, use, created_at, active_at, retired_at, succeeds, public_jwk';

/** In the order they were added. */
export function serverKeyRows(database: DatabaseSync): (tenant: TenantId) => readonly StoredServerKey[] {
  const select = database.prepare(`
    SELECT ${COLUMNS}, sealed_jwk FROM server_key
    WHERE tenant = ? AND removed_at IS NULL ORDER BY position`);
  return (tenant) => select.all(tenant).map((row) => ({ ...row }) as unknown as StoredServerKey);
}

/** Oldest removal first. */
export function removedServerKeyRows(
  database: DatabaseSync,
): (tenant: TenantId) => readonly RemovedServerKey[] {
  const select = database.prepare(`
    SELECT ${COLUMNS}, removed_at, reason FROM server_key
    WHERE tenant = ? AND removed_at IS NOT NULL ORDER BY removed_at, position`);
  return (tenant) => select.all(tenant).map((row) => ({ ...row }) as unknown as RemovedServerKey);
}
