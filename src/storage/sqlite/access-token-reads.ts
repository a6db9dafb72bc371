import type { DatabaseSync } from 'node:sqlite';
import type {
  InitialAccessToken,
  InitialAccessTokenLabel,
  StoredAccessToken,
} from '../../ports/access-token-store.ts';
import type { AccessTokenKey, ClientId, ClientInstance, GrantId, TenantId } from '../../spec/identifiers.ts';

export interface AccessTokenReads {
  find(tenant: TenantId, key: AccessTokenKey): StoredAccessToken | undefined;
  findInitial(tenant: TenantId, key: AccessTokenKey): InitialAccessTokenLabel | undefined;
  pageInitial(
    tenant: TenantId,
    after: AccessTokenKey | undefined,
    limit: number,
  ): readonly InitialAccessToken[];
}

type AccessTokenRow = readonly [number, ClientId, ClientInstance | null, GrantId | null, string];

/** @param snapshot called before each look-up (`callbackSnapshot`) */
export function accessTokenReads(database: DatabaseSync, snapshot: () => void): AccessTokenReads {
  // The token of a dead instance is not removed with it, it is not found: deleting a client costs the same for any number of tokens.
  const find = database.prepare(`
    SELECT expires_at, client_id, client_instance, grant_id, introspection FROM access_token AS token
    WHERE tenant = ?1 AND key = ?2 AND (client_instance IS NULL OR EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1 AND client.client_id = token.client_id
        AND client.instance = token.client_instance))`);
  // SQLite would choose the primary key and read the large row; the index holds all that is asked.
  // An array per row is cheaper than an object with named members; this is the hottest read.
  find.setReturnArrays(true);
  const findInitial = database.prepare(`
    SELECT label, issued_at, scope, redirect_hosts FROM initial_access_token
    WHERE tenant = ? AND key = ? AND used_at IS NULL AND revoked_at IS NULL`);
  const pageInitial = database.prepare(`
    SELECT key, label, issued_at, scope, redirect_hosts, expires_at, used_at, used_by_client_id, used_by_instance,
      revoked_at FROM initial_access_token WHERE tenant = ? AND key > ? ORDER BY key LIMIT ?`);
  return {
    find(tenant, key) {
      snapshot();
      const row = find.get(tenant, key) as unknown as AccessTokenRow | undefined;
      if (row === undefined) return undefined;
      const [expires_at, client_id, client_instance, grant_id, introspection] = row;
      return { key, expires_at, client_id, client_instance, grant_id, introspection };
    },
    findInitial(tenant, key) {
      const row = findInitial.get(tenant, key);
      return row === undefined ? undefined : labelled(row as unknown as Unparsed<InitialAccessTokenLabel>);
    },
    pageInitial: (tenant, after, limit) =>
      pageInitial
        .all(tenant, after ?? '', limit)
        .map((row) => labelled(row as unknown as Unparsed<InitialAccessToken>)),
  };
}

type Unparsed<Label extends InitialAccessTokenLabel> = Omit<Label, 'redirect_hosts'> & {
  readonly redirect_hosts: string | null;
};

const labelled = <Row extends { readonly redirect_hosts: string | null }>(
  row: Row,
): Omit<Row, 'redirect_hosts'> & Pick<InitialAccessTokenLabel, 'redirect_hosts'> => ({
  ...row,
  redirect_hosts: row.redirect_hosts === null ? null : (JSON.parse(row.redirect_hosts) as string[]),
});
