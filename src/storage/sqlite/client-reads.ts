import type { DatabaseSync } from 'node:sqlite';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { ClientId, Digest, TenantId } from '../../spec/identifiers.ts';

export interface ClientReads {
  find(tenant: TenantId, client_id: ClientId): StoredClient | undefined;
  hasRegistrationToken(tenant: TenantId, digest: Digest): boolean;
  page(tenant: TenantId, after: ClientId | undefined, limit: number): readonly StoredClient[];
  findShared(tenant: TenantId, digest: Digest): StoredClient | undefined;
}

export type ClientRow = Omit<StoredClient, 'secrets'> & { readonly secrets: string };

export const CLIENT_COLUMNS = `client_id, instance, version, issued_at, registration_token_digest, registration_token_sealed,
  registered_via, secrets, privileges, metadata, data, shared_digest`;

export function clientReads(database: DatabaseSync): ClientReads {
  const find = database.prepare(`SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = ? AND client_id = ?`);
  const hasToken = database.prepare(
    'SELECT 1 FROM client WHERE tenant = ? AND registration_token_digest = ?',
  );
  // SQLite orders by UTF-8 bytes, which is code-unit order for every client id that RFC 6749 Appendix A.1 allows (VSCHAR).
  const page = database.prepare(`
    SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = ? AND client_id > ? ORDER BY client_id LIMIT ?`);
  const findShared = database.prepare(`
    SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_shared WHERE tenant = ? AND shared_digest = ?`);
  const one = (row: unknown): StoredClient | undefined =>
    row === undefined ? undefined : storedClient(row as ClientRow);
  return {
    find: (tenant, client_id) => one(find.get(tenant, client_id)),
    findShared: (tenant, digest) => one(findShared.get(tenant, digest)),
    hasRegistrationToken: (tenant, digest) => hasToken.get(tenant, digest) !== undefined,
    page: (tenant, after, limit) =>
      page.all(tenant, after ?? '', limit).map((row) => storedClient(row as unknown as ClientRow)),
  };
}

export const storedClient = (row: ClientRow): StoredClient => ({
  ...row,
  secrets: row.secrets === '[]' ? [] : (JSON.parse(row.secrets) as StoredSecret[]),
});
