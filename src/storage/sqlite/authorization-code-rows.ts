import type { DatabaseSync } from 'node:sqlite';
import type { StoredAuthorizationCode } from '../../ports/authorization-code-store.ts';
import type { ClientId, ClientInstance, Digest, GrantId, TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit-writes.ts';
import { grantEnding, grantInsertion } from './grant-writes.ts';
import type { WriteHandlers } from './write-handlers.ts';

export function authorizationCodeReads(
  database: DatabaseSync,
): (tenant: TenantId, key: Digest) => StoredAuthorizationCode | undefined {
  const find = database.prepare(`
    SELECT client_id, client_instance, content, expires_at, kept_until FROM authorization_code AS code
    WHERE tenant = ?1 AND key = ?2 AND EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1 AND client.client_id = code.client_id
        AND client.instance = code.client_instance)`);
  return (tenant, key) => {
    const row = find.get(tenant, key);
    if (row === undefined) return undefined;
    return {
      key,
      client_id: String(row['client_id']) as ClientId,
      client_instance: String(row['client_instance']) as ClientInstance,
      content: String(row['content']),
      expires_at: Number(row['expires_at']),
      kept_until: Number(row['kept_until']),
    };
  };
}

type CodeWrites = Pick<
  WriteHandlers,
  'issueAuthorizationCode' | 'redeemAuthorizationCode' | 'sweepAuthorizationCodes'
>;

export function authorizationCodeWrites(database: DatabaseSync): CodeWrites {
  const insert = database.prepare(`
    INSERT INTO authorization_code (tenant, key, client_id, client_instance, content, expires_at, kept_until)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const find = authorizationCodeReads(database);
  const given = database.prepare('SELECT grant_id FROM authorization_code WHERE tenant = ? AND key = ?');
  const use = database.prepare('UPDATE authorization_code SET grant_id = ? WHERE tenant = ? AND key = ?');
  const sweep = database.prepare(`
    DELETE FROM authorization_code WHERE tenant = ?1 AND key IN
      (SELECT key FROM authorization_code WHERE tenant = ?1 AND kept_until < ?2 ORDER BY kept_until LIMIT ?3)`);
  const session = database.prepare('SELECT 1 FROM session WHERE tenant = ? AND sid = ?');
  const create = grantInsertion(database);
  const end = grantEnding(database);
  const record = eventRecording(database);
  return {
    issueAuthorizationCode({ tenant, code }) {
      const { key, client_id, client_instance, content, expires_at, kept_until } = code;
      insert.run(tenant, key, client_id, client_instance, content, expires_at, kept_until);
      return undefined;
    },
    redeemAuthorizationCode({ tenant, key, grant, token, onReuse }) {
      if (find(tenant, key) === undefined) return 'absent';
      const grant_id = given.get(tenant, key)?.['grant_id'];
      if (typeof grant_id === 'string') {
        if (end(tenant, grant_id as GrantId) && onReuse !== undefined) record(tenant, onReuse);
        return 'used';
      }
      if (grant.sid !== undefined && session.get(tenant, grant.sid) === undefined) return 'absent';
      use.run(grant.grant_id, tenant, key);
      create(tenant, grant, token);
      return 'redeemed';
    },
    sweepAuthorizationCodes: ({ tenant, now, limit }) => Number(sweep.run(tenant, now, limit).changes),
  };
}
