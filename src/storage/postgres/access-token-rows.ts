import type {
  InitialAccessToken,
  InitialAccessTokenLabel,
  StoredAccessToken,
} from '../../ports/access-token-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import { type Acts, changed, type Values } from './act.ts';
import { RECORDING, record, recorded } from './audit-rows.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { JOURNALLING_TOKEN, trimJournal } from './journal-rows.ts';
import { columnNames, type ListedColumns, listed, unnested } from './row-lists.ts';
import { Refused, type Row, statement } from './statement.ts';

/** For statements that issue a token as a part of something else. */
export const TOKEN_COLUMNS = 'tenant, key, expires_at, client_id, client_instance, grant_id, introspection';
export const TOKEN_VALUES = `:tenant::text, :token_key::text, :token_expires_at::bigint, :token_client_id::text,
  :token_client_instance::text, :token_grant_id::text, :introspection::text`;

export const tokenValues = (tenant: TenantId, token: StoredAccessToken): Values => ({
  tenant,
  token_key: token.key,
  token_expires_at: token.expires_at,
  token_client_id: token.client_id,
  token_client_instance: token.client_instance,
  token_grant_id: token.grant_id,
  introspection: token.introspection,
});

// The token of a dead instance is not removed with it, it is not found: deleting a client costs the same for any number of tokens.
// Its client is looked up for each token found: `EXISTS` may be planned as reading all clients once.
const FIND = statement(
  'access_token_find',
  `SELECT key, expires_at, client_id, client_instance, grant_id, introspection FROM access_token AS token
   WHERE tenant = :tenant AND key = ANY(:keys) AND (client_instance IS NULL OR (
     SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = token.client_id
       AND client.instance = token.client_instance) = 1)`,
);
/** Said so that no planner takes the index of those that are not used for it, which has them by the time of their end. */
const UNUSED = 'coalesce(used_at, revoked_at) IS NULL';
const FIND_INITIAL = statement(
  'initial_access_token_find',
  `SELECT key, label, issued_at, scope, redirect_hosts FROM initial_access_token
   WHERE tenant = :tenant AND key = ANY(:keys) AND ${UNUSED}`,
);
const PAGE_INITIAL = statement(
  'initial_access_token_page',
  `SELECT key, label, issued_at, scope, redirect_hosts, expires_at, used_at, used_by_client_id, used_by_instance,
     revoked_at FROM initial_access_token WHERE tenant = :tenant AND key > :after ORDER BY key LIMIT :limit`,
);
const ISSUE = statement(
  'access_token_issue',
  `INSERT INTO access_token (${TOKEN_COLUMNS}) VALUES (${TOKEN_VALUES})`,
);
const TOKEN: ListedColumns = {
  token_key: 'text',
  token_expires_at: 'bigint',
  token_client_id: 'text',
  token_client_instance: 'text',
  introspection: 'text',
};
const ISSUE_ALL = statement(
  'access_token_issue_all',
  `INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, introspection)
   SELECT :tenant::text, ${columnNames(TOKEN)} FROM ${unnested(TOKEN)}`,
);
const INSERT_INITIAL = statement(
  'initial_access_token_insert',
  `INSERT INTO initial_access_token (tenant, key, label, issued_at, scope, redirect_hosts, expires_at)
   VALUES (:tenant, :key, :label, :issued_at, :scope, :hosts, :expires_at)`,
);
const REVOKE_INITIAL = statement(
  'initial_access_token_revoke',
  `WITH revoked AS (
     UPDATE initial_access_token SET revoked_at = :at WHERE tenant = :tenant AND key = :ended_key
       AND ${UNUSED} AND expires_at > :at RETURNING key),
   removed AS (
     DELETE FROM access_token WHERE tenant = :tenant AND key = :ended_key AND EXISTS (SELECT 1 FROM revoked)),
   counters AS (
     UPDATE tenant_counter SET audit = audit + 1, journal = journal + 1
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM revoked) RETURNING audit, journal),
   journalled AS (${JOURNALLING_TOKEN}),
   recorded AS (${RECORDING})
   SELECT key FROM revoked`,
);
const REVOKE = statement(
  'access_token_revoke',
  `WITH revoked AS (
     UPDATE initial_access_token SET revoked_at = :now WHERE tenant = :tenant AND key = :ended_key
       AND ${UNUSED} AND expires_at > :now),
   removed AS (DELETE FROM access_token WHERE tenant = :tenant AND key = :ended_key RETURNING key),
   counters AS (
     UPDATE tenant_counter SET journal = journal + 1
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM removed) RETURNING journal),
   journalled AS (${JOURNALLING_TOKEN})
   SELECT key FROM removed`,
);
const REVOKE_RECORDED = statement(
  'access_token_revoke_recorded',
  `WITH revoked AS (
     UPDATE initial_access_token SET revoked_at = :now WHERE tenant = :tenant AND key = :ended_key AND used_at IS NULL
       AND revoked_at IS NULL AND expires_at > :now),
   removed AS (DELETE FROM access_token WHERE tenant = :tenant AND key = :ended_key RETURNING key),
   counters AS (
     UPDATE tenant_counter SET audit = audit + 1, journal = journal + 1
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM removed) RETURNING audit, journal),
   journalled AS (${JOURNALLING_TOKEN}),
   recorded AS (${RECORDING})
   SELECT key FROM removed`,
);
const SWEEP = statement(
  'access_token_sweep',
  `DELETE FROM access_token WHERE tenant = :tenant AND key IN
    (SELECT key FROM access_token WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)`,
);
// Used ones stay: they say from which token a client descends.
const SWEEP_INITIAL = statement(
  'initial_access_token_sweep',
  `DELETE FROM initial_access_token WHERE tenant = :tenant AND coalesce(used_at, 0) = 0 AND key = ANY(ARRAY(
     SELECT key FROM initial_access_token
     WHERE tenant = :tenant AND used_at IS NULL AND expires_at < :now ORDER BY expires_at LIMIT :limit))`,
);

export function accessTokenReads(reads: GatheredReads): Reads['accessTokens'] {
  return {
    async find(tenant, key) {
      return (await reads.lookUp(tenant, FIND, key)) as unknown as StoredAccessToken | undefined;
    },
    async findInitial(tenant, key) {
      const row = await reads.lookUp(tenant, FIND_INITIAL, key);
      if (row === undefined) return undefined;
      const { key: _key, ...label } = row;
      return labelled(label) as unknown as InitialAccessTokenLabel;
    },
    async pageInitial(tenant, after, limit) {
      const rows = await reads.slowRows(tenant, PAGE_INITIAL, { after: after ?? '', limit });
      return rows.map(labelled) as unknown as readonly InitialAccessToken[];
    },
  };
}

const labelled = (row: Row): object => ({
  ...row,
  redirect_hosts: row['redirect_hosts'] === null ? null : JSON.parse(String(row['redirect_hosts'])),
});

type Names =
  | 'issueAccessToken'
  | 'issueInitialAccessToken'
  | 'revokeInitialAccessToken'
  | 'revokeAccessToken'
  | 'sweepExpired';

export const ACCESS_TOKEN_ACTS: Acts<Names> = {
  issueAccessToken: {
    turn: false,
    together: {
      fits: (writes) => writes.every(({ token }) => token.grant_id === null),
      async try(transaction, tenant, writes) {
        const rows = writes.map(({ token }) => tokenValues(tenant, token));
        await transaction.ask(ISSUE_ALL, { tenant, ...listed(TOKEN, rows) });
        return writes.map(() => undefined);
      },
    },
    async quick(transaction, { tenant, token }) {
      if (token.grant_id !== null) throw new Refused('a token of a grant is issued with its grant');
      await transaction.ask(ISSUE, tokenValues(tenant, token));
      return undefined;
    },
  },
  issueInitialAccessToken: {
    turn: true,
    async quick(transaction, { tenant, token, label, event }) {
      const { redirect_hosts, ...labelled } = label;
      const hosts = redirect_hosts === null ? null : JSON.stringify(redirect_hosts);
      const { key, expires_at } = token;
      await Promise.all([
        transaction.ask(ISSUE, tokenValues(tenant, token)),
        transaction.ask(INSERT_INITIAL, { tenant, key, ...labelled, hosts, expires_at }),
        record(transaction, tenant, event),
      ]);
      return undefined;
    },
  },
  revokeInitialAccessToken: {
    turn: true,
    async quick(transaction, { tenant, key, event }) {
      const revoked = transaction.ask(REVOKE_INITIAL, { tenant, ended_key: key, ...recorded(event) });
      await trimJournal(transaction, tenant);
      return (await revoked).rows.length === 1;
    },
  },
  revokeAccessToken: {
    turn: true,
    async quick(transaction, { tenant, key, now, event }) {
      const removed =
        event === undefined
          ? transaction.ask(REVOKE, { tenant, ended_key: key, now })
          : transaction.ask(REVOKE_RECORDED, { tenant, ended_key: key, now, ...recorded(event) });
      await trimJournal(transaction, tenant);
      return (await removed).rows.length === 1;
    },
  },
  sweepExpired: {
    turn: false,
    async quick(transaction, { tenant, now, limit }) {
      const initial = transaction.ask(SWEEP_INITIAL, { tenant, now, limit });
      const swept = await changed(transaction.ask(SWEEP, { tenant, now, limit }));
      await initial;
      return swept;
    },
  },
};
