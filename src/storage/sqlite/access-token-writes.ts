import type { DatabaseSync } from 'node:sqlite';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit-writes.ts';
import { journalling } from './journal-writes.ts';
import type { WriteHandlers } from './write-handlers.ts';

type AccessTokenWrites = Pick<
  WriteHandlers,
  | 'issueAccessToken'
  | 'issueInitialAccessToken'
  | 'revokeInitialAccessToken'
  | 'revokeAccessToken'
  | 'sweepExpired'
>;

/** Stores the record of a token as a part of the act that is under way. */
export function accessTokenInsertion(
  database: DatabaseSync,
): (tenant: TenantId, token: StoredAccessToken) => void {
  const insert = database.prepare(`
    INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, grant_id, introspection)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  return (tenant, { key, expires_at, client_id, client_instance, grant_id, introspection }) => {
    insert.run(tenant, key, expires_at, client_id, client_instance, grant_id, introspection);
  };
}

export function accessTokenWrites(database: DatabaseSync): AccessTokenWrites {
  const issue = accessTokenInsertion(database);
  const insertInitial = database.prepare(`
    INSERT INTO initial_access_token (tenant, key, label, issued_at, scope, redirect_hosts, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const revokeInitial = database.prepare(`
    UPDATE initial_access_token SET revoked_at = ?3
    WHERE tenant = ?1 AND key = ?2 AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?3`);
  const remove = database.prepare('DELETE FROM access_token WHERE tenant = ? AND key = ?');
  const sweep = database.prepare(`
    DELETE FROM access_token WHERE tenant = ?1 AND key IN
      (SELECT key FROM access_token WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
  // Used ones stay: they say from which token a client descends.
  const sweepInitial = database.prepare(`
    DELETE FROM initial_access_token WHERE tenant = ?1 AND key IN
      (SELECT key FROM initial_access_token
       WHERE tenant = ?1 AND used_at IS NULL AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
  const record = eventRecording(database);
  const journal = journalling(database);

  return {
    issueAccessToken({ tenant, token }) {
      if (token.grant_id !== null) throw new Error('a token of a grant is issued with its grant');
      issue(tenant, token);
      return undefined;
    },
    issueInitialAccessToken({ tenant, token, label: { label, issued_at, scope, redirect_hosts }, event }) {
      issue(tenant, token);
      const hosts = redirect_hosts === null ? null : JSON.stringify(redirect_hosts);
      insertInitial.run(tenant, token.key, label, issued_at, scope, hosts, token.expires_at);
      record(tenant, event);
      return undefined;
    },
    revokeInitialAccessToken({ tenant, key, event }) {
      if (revokeInitial.run(tenant, key, event.at).changes === 0) return false;
      remove.run(tenant, key);
      journal(tenant, { kind: 'access-token-ended', key });
      record(tenant, event);
      return true;
    },
    revokeAccessToken({ tenant, key, now, event }) {
      revokeInitial.run(tenant, key, now);
      if (remove.run(tenant, key).changes === 0) return false;
      journal(tenant, { kind: 'access-token-ended', key });
      if (event !== undefined) record(tenant, event);
      return true;
    },
    sweepExpired({ tenant, now, limit }) {
      sweepInitial.run(tenant, now, limit);
      return Number(sweep.run(tenant, now, limit).changes);
    },
  };
}
