import type { DatabaseSync } from 'node:sqlite';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { ClientId, Digest, TenantId } from '../../spec/identifiers.ts';

export interface ClientReads {
  find(tenant: TenantId, client_id: ClientId): StoredClient | undefined;
  hasRegistrationToken(tenant: TenantId, digest: Digest): boolean;
  page(tenant: TenantId, after: ClientId | undefined, limit: number): readonly StoredClient[];
}

type ClientRow = Omit<StoredClient, 'secrets'> & { readonly secrets: string };

const COLUMNS = `client_id, instance, version, issued_at, registration_token_digest, registration_token_sealed,
  registered_via, secrets, privileges, metadata, data`;

export function clientReads(database: DatabaseSync): ClientReads {
  const find = database.prepare(`SELECT ${COLUMNS} FROM client WHERE tenant = ? AND client_id = ?`);
  const hasToken = database.prepare(
    'SELECT 1 FROM client WHERE tenant = ? AND registration_token_digest = ?',
  );
  // SQLite orders by UTF-8 bytes, which is code-unit order for every client id that RFC 6749 Appendix A.1 allows (VSCHAR).
  const page = database.prepare(`
    SELECT ${COLUMNS} FROM client WHERE tenant = ? AND client_id > ? ORDER BY client_id LIMIT ?`);
  return {
    find(tenant, client_id) {
      const row = find.get(tenant, client_id);
      return row === undefined ? undefined : storedClient(row as unknown as ClientRow);
    },
    hasRegistrationToken: (tenant, digest) => hasToken.get(tenant, digest) !== undefined,
    page: (tenant, after, limit) =>
      page.all(tenant, after ?? '', limit).map((row) => storedClient(row as unknown as ClientRow)),
  };
}

const storedClient = (row: ClientRow): StoredClient => ({
  ...row,
  secrets: row.secrets === '[]' ? [] : (JSON.parse(row.secrets) as StoredSecret[]),
});
