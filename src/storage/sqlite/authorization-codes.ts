import type { DatabaseSync } from 'node:sqlite';
import type {
  AuthorizationCodeStore,
  StoredAuthorizationCode,
} from '../../ports/authorization-code-store.ts';
import type { Digest, GrantId, TenantId } from '../../spec/identifiers.ts';
import { AUTHORIZATION_CODE } from '../rows.ts';
import { grantInsertion, toldGrantEnding } from './grants.ts';
import type { TenantNoun } from './noun.ts';

/** Holds for a code whose client still exists. */
const CLIENT_LIVES = `EXISTS (
  SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1
    AND client.client_id = code.client_id AND client.instance = code.client_instance)`;

export function codeIssuing(
  database: DatabaseSync,
): (tenant: TenantId, code: StoredAuthorizationCode) => void {
  const insert = database.prepare(`
    INSERT INTO authorization_code (tenant, ${AUTHORIZATION_CODE.columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  return (tenant, code) => void insert.run(tenant, ...AUTHORIZATION_CODE.write(code));
}

export const authorizationCodes: TenantNoun<AuthorizationCodeStore, 'find'> = {
  reads: { find: ({ lookUps }) => codeFinding(lookUps) },
  writes: {
    issue: codeIssuing,
    redeem(database) {
      // One statement: a call into SQLite costs about as much as a look-up.
      const look = database.prepare(`
        SELECT grant_id, EXISTS (SELECT 1 FROM session WHERE tenant = ?1 AND sid = ?3)
        FROM authorization_code AS code WHERE tenant = ?1 AND key = ?2 AND ${CLIENT_LIVES}`);
      look.setReturnArrays(true);
      const use = database.prepare('UPDATE authorization_code SET grant_id = ? WHERE tenant = ? AND key = ?');
      const create = grantInsertion(database);
      const end = toldGrantEnding(database);
      return (tenant, key, grant, token, onReuse) => {
        const found = look.get(tenant, key, grant.sid ?? null);
        if (found === undefined) return 'absent';
        const [grant_id, hasSession] = found as unknown as readonly [GrantId | null, 0 | 1];
        if (grant_id !== null) {
          end(tenant, grant_id, onReuse);
          return 'used';
        }
        if (grant.sid !== undefined && hasSession === 0) return 'absent';
        use.run(grant.grant_id, tenant, key);
        create(tenant, grant, token);
        return 'redeemed';
      };
    },
    sweepExpired(database) {
      const sweep = database.prepare(`
        DELETE FROM authorization_code WHERE tenant = ?1 AND key IN
          (SELECT key FROM authorization_code
           WHERE tenant = ?1 AND kept_until < ?2 ORDER BY kept_until LIMIT ?3)`);
      return (tenant, now, limit) => Number(sweep.run(tenant, now, limit).changes);
    },
  },
};

function codeFinding(
  database: DatabaseSync,
): (tenant: TenantId, key: Digest) => StoredAuthorizationCode | undefined {
  const find = database.prepare(`
    SELECT ${AUTHORIZATION_CODE.columns} FROM authorization_code AS code
    WHERE tenant = ?1 AND key = ?2 AND ${CLIENT_LIVES}`);
  return (tenant, key) => AUTHORIZATION_CODE.readOptional(find.get(tenant, key));
}
