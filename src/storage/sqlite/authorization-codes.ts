import type { DatabaseSync } from 'node:sqlite';
import type {
  AuthorizationCodeStore,
  StoredAuthorizationCode,
} from '../../ports/authorization-code-store.ts';
import type { GrantId, TenantId } from '../../spec/identifiers.ts';
import { AUTHORIZATION_CODE } from '../rows.ts';
import { grantOfLiveClient, toldGrantEnding } from './grants.ts';
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
  reads: {
    find({ lookUps, snapshot }) {
      const find = lookUps.prepare(`
        SELECT ${AUTHORIZATION_CODE.columns} FROM authorization_code AS code
        WHERE tenant = ?1 AND key = ?2 AND ${CLIENT_LIVES}`);
      return (tenant, key) => {
        snapshot();
        return AUTHORIZATION_CODE.readOptional(find.get(tenant, key));
      };
    },
  },
  writes: {
    issue: codeIssuing,
    redeem(database) {
      // One statement in the usual case: a call into SQLite costs about as much as a look-up.
      const use = database.prepare(`
        UPDATE authorization_code AS code SET grant_id = ?3
        WHERE tenant = ?1 AND key = ?2 AND grant_id IS NULL AND ${CLIENT_LIVES}
          AND (?4 IS NULL OR EXISTS (SELECT 1 FROM session WHERE session.tenant = ?1 AND session.sid = ?4))`);
      const look = database.prepare(
        `SELECT grant_id FROM authorization_code AS code WHERE tenant = ?1 AND key = ?2 AND ${CLIENT_LIVES}`,
      );
      const create = grantOfLiveClient(database);
      const end = toldGrantEnding(database);
      return (tenant, key, { grant, token, sid, onReuse }) => {
        if (use.run(tenant, key, grant.grant_id, sid ?? null).changes === 1) {
          create(tenant, grant, token);
          return 'redeemed';
        }
        const found = look.get(tenant, key) as { readonly grant_id: GrantId | null } | undefined;
        if (found === undefined) return 'absent';
        if (found.grant_id === null) return 'signed-out';
        end(tenant, found.grant_id, onReuse);
        return 'used';
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
