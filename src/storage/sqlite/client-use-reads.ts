import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ClientUse, StoredClient } from '../../ports/client-store.ts';
import type { ClientId, TenantId } from '../../spec/identifiers.ts';
import { CLIENT_COLUMNS, type ClientRow, storedClient } from './client-reads.ts';

/** So many clients are looked at in one event-loop turn, however few of them are idle: about a millisecond. */
const SCANNED_MAX = 1000;
/** Greater than every client id. */
const BEYOND_ALL = '\u{10ffff}';

export interface ClientUseReads {
  uses(tenant: TenantId, client: Pick<StoredClient, 'client_id' | 'instance'>): readonly ClientUse[];
  idle(
    tenant: TenantId,
    before: number,
    after: ClientId | undefined,
    limit: number,
  ): Promise<readonly StoredClient[]>;
  expired(tenant: TenantId, now: number, limit: number): readonly StoredClient[];
  countOpen(tenant: TenantId): number;
}

export function clientUseReads(database: DatabaseSync): ClientUseReads {
  const uses = database.prepare(`
    SELECT client_id, instance, nullif(secret_digest, '') AS secret_digest, last_used_at FROM client_use
    WHERE tenant = ? AND client_id = ? AND instance = ? ORDER BY client_use.secret_digest`);
  const expired = database.prepare(`
    SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_end WHERE tenant = ? AND expires_at <= ?
    ORDER BY expires_at LIMIT ?`);
  expired.setReturnArrays(true);
  const countOpen = database.prepare('SELECT clients FROM open_client_count WHERE tenant = ?');
  return {
    uses: (tenant, { client_id, instance }) =>
      uses.all(tenant, client_id, instance).map((row) => ({ ...row }) as unknown as ClientUse),
    idle: idleClients(database),
    expired: (tenant, now, limit) =>
      expired.all(tenant, now, limit).map((row) => storedClient(row as unknown as ClientRow)),
    countOpen: (tenant) => Number(countOpen.get(tenant)?.['clients'] ?? 0),
  };
}

function idleClients(database: DatabaseSync): ClientUseReads['idle'] {
  // The index holds all that is asked of a client that is not idle.
  const endOfScan = database.prepare(`
    SELECT client_id FROM client INDEXED BY client_instance
    WHERE tenant = ? AND client_id > ? ORDER BY client_id LIMIT 1 OFFSET ?`);
  const scan = database.prepare(`
    SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_instance
    WHERE tenant = ?1 AND client_id > ?2 AND client_id <= ?3 AND registered_via = 'open' AND issued_at < ?4
      AND NOT EXISTS (SELECT 1 FROM client_use AS use WHERE use.tenant = ?1 AND use.client_id = client.client_id
        AND use.instance = client.instance AND use.last_used_at >= ?4)
    ORDER BY client_id LIMIT ?5`);
  scan.setReturnArrays(true);

  return async (tenant, before, after, limit) => {
    const found: StoredClient[] = [];
    let start: string = after ?? '';
    for (;;) {
      const end = endOfScan.get(tenant, start, SCANNED_MAX - 1)?.['client_id'];
      const until = String(end ?? BEYOND_ALL);
      const rows = scan.all(tenant, start, until, before, limit - found.length) as unknown as ClientRow[];
      found.push(...rows.map(storedClient));
      if (end === undefined || found.length >= limit) return found;
      start = until;
      await nextTurn();
    }
  };
}
