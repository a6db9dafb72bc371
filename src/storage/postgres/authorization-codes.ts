import type { AuthorizationCodeStore } from '../../ports/authorization-code-store.ts';
import type { GrantId } from '../../spec/identifiers.ts';
import { AUTHORIZATION_CODE } from '../rows.ts';
import { TOKEN_COLUMNS, TOKEN_VALUES } from './access-tokens.ts';
import { endToldGrant, GRANT_COLUMNS, GRANT_VALUES, grantValues } from './grants.ts';
import { changed, GO_INTERACTIVE, one, type TenantNoun } from './noun.ts';
import { statement } from './statement.ts';

/** Whether the client of the code still exists. */
const LIVES = `(SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = code.client_id
  AND client.instance = code.client_instance) = 1`;

const FIND = statement(
  'authorization_code_find',
  `SELECT ${AUTHORIZATION_CODE.columns} FROM authorization_code AS code WHERE tenant = :tenant AND key = ANY(:keys) AND ${LIVES}`,
);
export const ISSUE = statement(
  'authorization_code_issue',
  `INSERT INTO authorization_code (tenant, ${AUTHORIZATION_CODE.columns})
   VALUES (:tenant, :key, :client_id, :client_instance, :content, :expires_at, :kept_until)`,
);
const REDEEM = statement(
  'authorization_code_redeem',
  `WITH found AS (SELECT grant_id FROM authorization_code AS code
     WHERE tenant = :tenant AND key = :code_key AND ${LIVES}),
   redeemed AS (UPDATE authorization_code SET grant_id = :grant_id
     WHERE tenant = :tenant AND key = :code_key AND EXISTS (SELECT 1 FROM found WHERE grant_id IS NULL)
       AND (:session::text IS NULL
         OR EXISTS (SELECT 1 FROM session WHERE session.tenant = :tenant AND session.sid = :session))
     RETURNING key),
   granted AS (INSERT INTO authorization_grant (${GRANT_COLUMNS}) SELECT ${GRANT_VALUES} FROM redeemed),
   issued AS (INSERT INTO access_token (${TOKEN_COLUMNS}) SELECT ${TOKEN_VALUES} FROM redeemed)
   SELECT grant_id, EXISTS (SELECT 1 FROM redeemed) AS done FROM found`,
);
const GIVEN = statement(
  'authorization_code_given',
  `SELECT grant_id FROM authorization_code AS code WHERE tenant = :tenant AND key = :code_key AND ${LIVES}`,
);
const SWEEP = statement(
  'authorization_code_sweep',
  `DELETE FROM authorization_code WHERE tenant = :tenant AND key IN
    (SELECT key FROM authorization_code WHERE tenant = :tenant AND kept_until < :now ORDER BY kept_until LIMIT :limit)`,
);

export const authorizationCodes: TenantNoun<AuthorizationCodeStore, 'find'> = {
  reads: {
    find:
      ({ primary }) =>
      async (tenant, key) =>
        AUTHORIZATION_CODE.readOptional(await primary.lookUp(tenant, FIND, key)),
  },
  writes: {
    issue: {
      locksTenant: false,
      async pipelined(transaction, tenant, code) {
        await transaction.query(ISSUE, { tenant, ...code });
      },
    },
    redeem: {
      locksTenant: true,
      async pipelined(transaction, tenant, key, { grant, token, sid }) {
        const values = { ...grantValues(tenant, grant, token), code_key: key, session: sid ?? null };
        const found = await one(transaction.query(REDEEM, values));
        if (found === undefined) return 'absent';
        if (found['done'] === true) return 'redeemed';
        return found['grant_id'] === null ? 'signed-out' : GO_INTERACTIVE;
      },
      async interactive(transaction, tenant, key, { onReuse }) {
        const found = await one(transaction.query(GIVEN, { tenant, code_key: key }));
        if (typeof found?.['grant_id'] !== 'string') return 'absent';
        await endToldGrant(transaction, tenant, found['grant_id'] as GrantId, onReuse);
        return 'used';
      },
    },
    sweepExpired: {
      locksTenant: false,
      pipelined: (transaction, tenant, now, limit) =>
        changed(transaction.query(SWEEP, { tenant, now, limit })),
    },
  },
};
