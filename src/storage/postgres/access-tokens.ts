import type { AccessTokenStore, StoredAccessToken } from '../../ports/access-token-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { ACCESS_TOKEN_LIST, originsLive, originsOf } from '../people-listings.ts';
import { INITIAL_ACCESS_TOKEN, INITIAL_LABEL } from '../rows.ts';
import { RECORDING, record, recorded } from './audit.ts';
import { ENDED_TOKEN, JOURNALLING_REMOVED, JOURNALLING_TOKEN, trimJournal } from './journal.ts';
import { listing } from './listing.ts';
import { changed, type TenantNoun, type Values } from './noun.ts';
import {
  columnNames,
  type ListedColumns,
  listed,
  Refused,
  type Row,
  statement,
  unnested,
} from './statement.ts';

/** For statements of other stores that also issue a token. */
export const TOKEN_COLUMNS =
  'tenant, key, expires_at, client_id, client_instance, grant_id, introspection, sub';
export const TOKEN_VALUES = `:tenant::text, :token_key::text, :token_expires_at::bigint, :token_client_id::text,
  :token_client_instance::text, :token_grant_id::text, :introspection::text, :token_sub::text`;

export const tokenValues = (tenant: TenantId, token: StoredAccessToken): Values => ({
  tenant,
  token_key: token.key,
  token_expires_at: token.expires_at,
  token_client_id: token.client_id,
  token_client_instance: token.client_instance,
  token_grant_id: token.grant_id,
  introspection: token.introspection,
  token_sub: token.sub ?? null,
});

/**
 * Holds for a token whose client, and those of its origins, exist. A deleted client's tokens stay and are not found, so that deleting
 * a client costs the same for any number of tokens. The subquery looks the client up for each token found. The planner may turn
 * `EXISTS` into a read of all clients.
 */
const CLIENTS_LIVE = `(client_instance IS NULL OR (
  SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = token.client_id
    AND client.instance = token.client_instance) = 1) AND ${originsLive('token', ':tenant')}`;
const FIND = statement(
  'access_token_find',
  `SELECT key, expires_at, client_id, client_instance, grant_id, introspection, ${originsOf('token', ':tenant')}
   FROM access_token AS token
   WHERE tenant = :tenant AND key = ANY(:keys) AND ${CLIENTS_LIVE}`,
  ([key, expires_at, client_id, client_instance, grant_id, introspection, via]) => {
    const token = {
      key,
      expires_at: Number(expires_at),
      client_id,
      client_instance,
      grant_id,
      introspection,
    };
    return (via === null ? token : { ...token, via }) as Row;
  },
);
/** Written so that no planner chooses the partial index of unused tokens, which orders them by expiry. */
const UNUSED = 'coalesce(used_at, revoked_at) IS NULL';
const FIND_INITIAL = statement(
  'initial_access_token_find',
  `SELECT key, ${INITIAL_LABEL.columns} FROM initial_access_token
   WHERE tenant = :tenant AND key = ANY(:keys) AND ${UNUSED}`,
);
const PAGE_INITIAL = statement(
  'initial_access_token_page',
  `SELECT ${INITIAL_ACCESS_TOKEN.columns} FROM initial_access_token
   WHERE tenant = :tenant AND key > :after ORDER BY key LIMIT :limit`,
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
  token_sub: 'text',
};
const ISSUE_ALL = statement(
  'access_token_issue_all',
  `INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, introspection, sub)
   SELECT :tenant::text, ${columnNames(TOKEN)} FROM ${unnested(TOKEN)}`,
);
const INSERT_INITIAL = statement(
  'initial_access_token_insert',
  `INSERT INTO initial_access_token (tenant, key, label, issued_at, scope, redirect_hosts, expires_at)
   VALUES (:tenant, :key, :label, :issued_at, :scope, :redirect_hosts, :expires_at)`,
);
const REVOKE_INITIAL = statement(
  'initial_access_token_revoke',
  `WITH revoked AS (
     UPDATE initial_access_token SET revoked_at = :at WHERE tenant = :tenant AND key = :ended_key
       AND ${UNUSED} AND expires_at > :at RETURNING key),
   removed AS (
     DELETE FROM access_token WHERE tenant = :tenant AND key = :ended_key AND EXISTS (SELECT 1 FROM revoked)
     RETURNING ${ENDED_TOKEN}),
   counters AS (
     UPDATE tenant_counter SET audit = audit + 1, journal = journal + 1
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM revoked) RETURNING audit, journal),
   journalled AS (${JOURNALLING_TOKEN}),
   recorded AS (${RECORDING})
   SELECT key FROM revoked`,
);
/** Removes a token with all that was exchanged from it, and journals each end. `removed` has their keys. */
const removing = (audit: string): string => `
   revoked AS (
     UPDATE initial_access_token SET revoked_at = :now WHERE tenant = :tenant AND key = :ended_key
       AND ${UNUSED} AND expires_at > :now),
   removed AS (DELETE FROM access_token WHERE tenant = :tenant AND (key = :ended_key OR key = ANY(ARRAY(
       SELECT origin.key FROM token_origin AS origin WHERE origin.tenant = :tenant AND origin.origin_key = :ended_key)))
     RETURNING ${ENDED_TOKEN}),
   counters AS (
     UPDATE tenant_counter SET journal = journal + (SELECT count(*) FROM removed)${audit}
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM removed) RETURNING audit, journal),
   journalled AS (${JOURNALLING_REMOVED})`;
const REVOKE = statement(
  'access_token_revoke',
  `WITH ${removing('')} SELECT key FROM removed WHERE key = :ended_key`,
);
const REVOKE_RECORDED = statement(
  'access_token_revoke_recorded',
  `WITH ${removing(', audit = audit + 1')}, recorded AS (${RECORDING}) SELECT key FROM removed WHERE key = :ended_key`,
);
const EXCHANGE = statement(
  'access_token_exchange',
  `WITH issued AS (
     INSERT INTO access_token (${TOKEN_COLUMNS}, exchanged) SELECT ${TOKEN_VALUES}, 1
     WHERE (SELECT count(*) FROM access_token AS token
       WHERE tenant = :tenant AND key = ANY(:origins::text[]) AND ${CLIENTS_LIVE}) = :count::bigint
     RETURNING key),
   descended AS (
     INSERT INTO token_origin (tenant, key, origin_key, client_id, client_instance, expires_at)
     SELECT :tenant::text, :token_key::text, found.origin_key, found.client_id, found.client_instance, :token_expires_at::bigint
     FROM (
       SELECT origin_key, client_id, client_instance FROM token_origin WHERE tenant = :tenant AND key = ANY(:origins::text[])
       UNION SELECT key, client_id, client_instance FROM access_token WHERE tenant = :tenant AND key = ANY(:origins::text[])
     ) AS found WHERE EXISTS (SELECT 1 FROM issued)),
   counters AS (
     UPDATE tenant_counter SET audit = audit + 1 WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM issued) RETURNING audit),
   recorded AS (${RECORDING})
   SELECT key FROM issued`,
);
const SWEEP = statement(
  'access_token_sweep',
  `DELETE FROM access_token WHERE tenant = :tenant AND key IN
    (SELECT key FROM access_token WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)`,
);
const SWEEP_ORIGINS = statement(
  'token_origin_sweep',
  `DELETE FROM token_origin WHERE tenant = :tenant AND (key, origin_key) IN
    (SELECT key, origin_key FROM token_origin WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)`,
);
// Used tokens stay: they tell from which token a client descends.
const SWEEP_INITIAL = statement(
  'initial_access_token_sweep',
  `DELETE FROM initial_access_token WHERE tenant = :tenant AND coalesce(used_at, 0) = 0 AND key = ANY(ARRAY(
     SELECT key FROM initial_access_token
     WHERE tenant = :tenant AND used_at IS NULL AND expires_at < :now ORDER BY expires_at LIMIT :limit))`,
);

export const accessTokens: TenantNoun<AccessTokenStore, 'find' | 'findInitial' | 'pageInitial' | 'list'> = {
  reads: {
    list: listing(ACCESS_TOKEN_LIST),
    find:
      ({ primary }) =>
      (tenant, key) =>
        primary.lookUp<StoredAccessToken>(tenant, FIND, key),
    findInitial:
      ({ primary }) =>
      async (tenant, key) =>
        INITIAL_LABEL.readOptional(await primary.lookUp(tenant, FIND_INITIAL, key)),
    pageInitial:
      ({ primary }) =>
      async (tenant, after, limit) =>
        (await primary.slowRows(tenant, PAGE_INITIAL, { after: after ?? '', limit })).map(
          INITIAL_ACCESS_TOKEN.read,
        ),
  },
  writes: {
    issue: {
      locksTenant: false,
      bulk: {
        fits: (writes) => writes.every(([, token]) => token.grant_id === null),
        async try(transaction, tenant, writes) {
          const rows = writes.map(([, token]) => tokenValues(tenant, token));
          await transaction.query(ISSUE_ALL, { tenant, ...listed(TOKEN, rows) });
          return writes.map(() => undefined);
        },
      },
      async pipelined(transaction, tenant, token) {
        if (token.grant_id !== null) throw new Refused('a token of a grant is issued with its grant');
        await transaction.query(ISSUE, tokenValues(tenant, token));
      },
    },
    exchange: {
      // Without the lock it could be committed beside the end of a token that it was exchanged from, and neither would see the other.
      locksTenant: true,
      async pipelined(transaction, tenant, token, origins, event) {
        const values = { ...tokenValues(tenant, token), ...recorded(event) };
        const keys = [...new Set(origins)];
        return (
          (await changed(transaction.query(EXCHANGE, { ...values, origins: keys, count: keys.length }))) === 1
        );
      },
    },
    issueInitial: {
      locksTenant: true,
      async pipelined(transaction, tenant, token, label, event) {
        const { key, expires_at } = token;
        await Promise.all([
          transaction.query(ISSUE, tokenValues(tenant, token)),
          transaction.query(INSERT_INITIAL, { tenant, key, expires_at, ...INITIAL_LABEL.writeNamed(label) }),
          record(transaction, tenant, event),
        ]);
      },
    },
    revokeInitial: {
      locksTenant: true,
      async pipelined(transaction, tenant, key, event) {
        const revoked = transaction.query(REVOKE_INITIAL, { tenant, ended_key: key, ...recorded(event) });
        await trimJournal(transaction, tenant);
        return (await revoked).rows.length === 1;
      },
    },
    revoke: {
      locksTenant: true,
      async pipelined(transaction, tenant, key, now, event) {
        const removed =
          event === undefined
            ? transaction.query(REVOKE, { tenant, ended_key: key, now })
            : transaction.query(REVOKE_RECORDED, { tenant, ended_key: key, now, ...recorded(event) });
        await trimJournal(transaction, tenant);
        return (await removed).rows.length === 1;
      },
    },
    sweepExpired: {
      locksTenant: false,
      async pipelined(transaction, tenant, now, limit) {
        const initial = transaction.query(SWEEP_INITIAL, { tenant, now, limit });
        const origins = changed(transaction.query(SWEEP_ORIGINS, { tenant, now, limit }));
        const swept = await changed(transaction.query(SWEEP, { tenant, now, limit }));
        await initial;
        return Math.max(swept, await origins);
      },
    },
  },
};
