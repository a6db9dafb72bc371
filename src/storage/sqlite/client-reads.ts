import type { DatabaseSync } from 'node:sqlite';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { ClientId, Digest, Sealed, TenantId } from '../../spec/identifiers.ts';

export interface ClientReads {
  find(tenant: TenantId, client_id: ClientId): StoredClient | undefined;
  hasRegistrationToken(tenant: TenantId, digest: Digest): boolean;
  findShared(tenant: TenantId, digest: Digest): StoredClient | undefined;
}

/** A row as an array, in the order of `CLIENT_COLUMNS`: it costs two thirds of an object, which would be copied besides. */
export type ClientRow = readonly [
  client_id: ClientId,
  instance: StoredClient['instance'],
  version: number,
  issued_at: number,
  registration_token_digest: Digest,
  registration_token_sealed: Sealed,
  registered_via: string,
  secrets: string,
  privileges: string,
  metadata: string,
  data: string | null,
  shared_digest: Digest | null,
  entity_id: string | null,
  expires_at: number | null,
];

export const CLIENT_COLUMNS = `client_id, instance, version, issued_at, registration_token_digest, registration_token_sealed,
  registered_via, secrets, privileges, metadata, data, shared_digest, entity_id, expires_at`;

export function clientReads(database: DatabaseSync): ClientReads {
  const find = database.prepare(`SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = ? AND client_id = ?`);
  const hasToken = database.prepare(
    'SELECT 1 FROM client WHERE tenant = ? AND registration_token_digest = ?',
  );
  const findShared = database.prepare(`
    SELECT ${CLIENT_COLUMNS} FROM client INDEXED BY client_shared WHERE tenant = ? AND shared_digest = ?`);
  for (const statement of [find, findShared]) statement.setReturnArrays(true);
  const one = (row: unknown): StoredClient | undefined =>
    row === undefined ? undefined : storedClient(row as ClientRow);
  return {
    find: (tenant, client_id) => one(find.get(tenant, client_id)),
    findShared: (tenant, digest) => one(findShared.get(tenant, digest)),
    hasRegistrationToken: (tenant, digest) => hasToken.get(tenant, digest) !== undefined,
  };
}

type ClientPage = (tenant: TenantId, after: ClientId | undefined, limit: number) => readonly StoredClient[];

export function clientPage(database: DatabaseSync): ClientPage {
  // SQLite orders by UTF-8 bytes, which is code-unit order for every client id that RFC 6749 Appendix A.1 allows (VSCHAR).
  const page = database.prepare(`
    SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = ? AND client_id > ? ORDER BY client_id LIMIT ?`);
  page.setReturnArrays(true);
  return (tenant, after, limit) =>
    page.all(tenant, after ?? '', limit).map((row) => storedClient(row as unknown as ClientRow));
}

export const storedClient = (row: ClientRow): StoredClient => ({
  client_id: row[0],
  instance: row[1],
  version: row[2],
  issued_at: row[3],
  registration_token_digest: row[4],
  registration_token_sealed: row[5],
  registered_via: row[6],
  secrets: row[7] === '[]' ? [] : (JSON.parse(row[7]) as StoredSecret[]),
  privileges: row[8],
  metadata: row[9],
  data: row[10],
  shared_digest: row[11],
  entity_id: row[12],
  expires_at: row[13],
});
