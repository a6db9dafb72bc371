import type { DatabaseSync } from 'node:sqlite';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteHandlers } from './write.ts';

type AccessTokenWrites = Pick<WriteHandlers, 'issueAccessToken' | 'issueInitialAccessToken' | 'sweepExpired'>;

export function accessTokenWrites(database: DatabaseSync): AccessTokenWrites {
  const insert = database.prepare(`
    INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, introspection)
    VALUES (?, ?, ?, ?, ?, ?)`);
  const insertInitial = database.prepare(`
    INSERT INTO initial_access_token (tenant, key, label, issued_at, expires_at) VALUES (?, ?, ?, ?, ?)`);
  const sweep = database.prepare(`
    DELETE FROM access_token WHERE tenant = ?1 AND key IN
      (SELECT key FROM access_token WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
  // Used ones stay: they say from which token a client descends.
  const sweepInitial = database.prepare(`
    DELETE FROM initial_access_token WHERE tenant = ?1 AND key IN
      (SELECT key FROM initial_access_token
       WHERE tenant = ?1 AND used_at IS NULL AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);

  const issue = (tenant: TenantId, token: StoredAccessToken): void => {
    insert.run(
      tenant,
      token.key,
      token.expires_at,
      token.client_id,
      token.client_instance,
      token.introspection,
    );
  };

  return {
    issueAccessToken({ tenant, token }) {
      issue(tenant, token);
      return undefined;
    },
    issueInitialAccessToken({ tenant, token, label }) {
      issue(tenant, token);
      insertInitial.run(tenant, token.key, label.label, label.issued_at, token.expires_at);
      return undefined;
    },
    sweepExpired({ tenant, now, limit }) {
      sweepInitial.run(tenant, now, limit);
      return Number(sweep.run(tenant, now, limit).changes);
    },
  };
}
