import type { DatabaseSync } from 'node:sqlite';
import type { StoredServerKey } from '../../ports/server-key-store.ts';
import type { Sealed, TenantId } from '../../spec/identifiers.ts';

type ServerKeyRow = readonly [StoredServerKey['kid'], StoredServerKey['use'], number, string | null, Sealed];

/** In the order they were added. */
export function serverKeyRows(database: DatabaseSync): (tenant: TenantId) => readonly StoredServerKey[] {
  const select = database.prepare(`
    SELECT kid, use, created_at, public_jwk, sealed_jwk FROM server_key WHERE tenant = ? ORDER BY position`);
  select.setReturnArrays(true);
  return (tenant) =>
    (select.all(tenant) as unknown as ServerKeyRow[]).map(
      ([kid, use, created_at, public_jwk, sealed_jwk]) => ({ kid, use, created_at, public_jwk, sealed_jwk }),
    );
}
