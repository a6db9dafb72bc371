import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { Refreshing, RefreshOutcome, StoredGrant } from '../../ports/grant-store.ts';
import type { AccessTokenKey, GrantId, SessionId, TenantId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import { TOKEN_COLUMNS, TOKEN_VALUES, tokenValues } from './access-token-rows.ts';
import { type Acts, changed, one, TAKE_STEPS, type Transaction, type Values } from './act.ts';
import { record } from './audit-rows.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { journal } from './journal-rows.ts';
import { type Row, statement } from './statement.ts';

/** Whether the client instance that a grant is for is still there; looked up, where `EXISTS` may be planned as a join. */
const LIVES = `(SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = granted.client_id
  AND client.instance = granted.client_instance) = 1`;

/** For statements that store a grant with its first access token as a part of something else. */
export const GRANT_COLUMNS = `tenant, grant_id, client_id, client_instance, sub, authorization_text, created_at, expires_at,
  refresh_token_digest, refresh_token_expires_at, sid`;
export const GRANT_VALUES = `:tenant::text, :grant_id::text, :client_id::text, :client_instance::text, :sub::text,
  :authorization::text, :created_at::bigint, :expires_at::bigint, :refresh_token_digest::text,
  :refresh_token_expires_at::bigint, :sid::text`;

export function grantValues(tenant: TenantId, grant: StoredGrant, token: StoredAccessToken): Values {
  const { refresh_token, sid = null, ...columns } = grant;
  return {
    ...tokenValues(tenant, token),
    ...columns,
    refresh_token_digest: refresh_token?.digest ?? null,
    refresh_token_expires_at: refresh_token?.expires_at ?? null,
    sid,
  };
}

const COLUMNS = `grant_id, client_id, client_instance, sub, authorization_text, created_at, expires_at, refresh_token_digest,
  refresh_token_expires_at, sid`;
const FIND = statement(
  'grant_find',
  `SELECT grant_id AS key, ${COLUMNS} FROM authorization_grant AS granted
   WHERE tenant = :tenant AND grant_id = ANY(:keys) AND ${LIVES}`,
);
const FIND_ONE = statement(
  'grant_find_one',
  `SELECT refresh_token_digest, refresh_token_expires_at FROM authorization_grant AS granted
   WHERE tenant = :tenant AND grant_id = :grant_id AND ${LIVES}`,
);
// Its client may have been deleted meanwhile, and whoever sweeps must hear of what was left behind since.
const CREATE = statement(
  'grant_create',
  `WITH granted AS (INSERT INTO authorization_grant (${GRANT_COLUMNS}) VALUES (${GRANT_VALUES})),
   orphaned AS (INSERT INTO client_with_orphans (tenant, client_id, instance)
     SELECT :tenant::text, :client_id::text, :client_instance::text WHERE NOT EXISTS (SELECT 1 FROM client
       WHERE tenant = :tenant AND client_id = :client_id AND instance = :client_instance) ON CONFLICT DO NOTHING)
   INSERT INTO access_token (${TOKEN_COLUMNS}) VALUES (${TOKEN_VALUES})`,
);
const CREATE_IN_SESSION = statement(
  'grant_create_in_session',
  `WITH granted AS (INSERT INTO authorization_grant (${GRANT_COLUMNS}) SELECT ${GRANT_VALUES} FROM session
     WHERE session.tenant = :tenant AND session.sid = :sid RETURNING grant_id)
   INSERT INTO access_token (${TOKEN_COLUMNS}) SELECT ${TOKEN_VALUES} FROM granted`,
);
/** Of two at once with one refresh token one finds it changed by the other: PostgreSQL looks at the row again. */
const ROTATE = statement(
  'grant_rotate',
  `WITH rotated AS (
     UPDATE authorization_grant AS granted SET refresh_token_digest = :next_digest,
       refresh_token_expires_at = :next_expires_at, expires_at = CASE
         WHEN :expires_at::bigint IS NULL OR expires_at IS NULL THEN NULL
         ELSE greatest(expires_at, :expires_at::bigint) END
     WHERE tenant = :tenant AND grant_id = :grant_id AND refresh_token_digest = :presented
       AND (refresh_token_expires_at IS NULL OR refresh_token_expires_at > :now) AND ${LIVES} RETURNING grant_id)
   INSERT INTO access_token (${TOKEN_COLUMNS}) SELECT ${TOKEN_VALUES} FROM rotated`,
);
const REMOVE = statement(
  'grant_remove',
  'DELETE FROM authorization_grant WHERE tenant = :tenant AND grant_id = :grant_id',
);
const REMOVE_TOKENS = statement(
  'grant_remove_tokens',
  'DELETE FROM access_token WHERE tenant = :tenant AND grant_id = :grant_id RETURNING key',
);
const OF_SUBJECT = statement(
  'grant_of_subject',
  'SELECT grant_id FROM authorization_grant WHERE tenant = :tenant AND sub = :sub',
);
const OF_SESSION = statement(
  'grant_of_session',
  'SELECT grant_id FROM authorization_grant WHERE tenant = :tenant AND sid = :sid',
);
const ALL_OF_SUBJECT = statement(
  'grant_all_of_subject',
  `SELECT ${COLUMNS} FROM authorization_grant AS granted
   WHERE tenant = :tenant AND sub = :sub AND ${LIVES} ORDER BY created_at, grant_id`,
);
const SWEEP = statement(
  'grant_sweep',
  `DELETE FROM authorization_grant WHERE tenant = :tenant AND grant_id = ANY(ARRAY(
     SELECT grant_id FROM authorization_grant
     WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit))`,
);
const SOME_GONE = statement(
  'grant_client_gone',
  'SELECT client_id, instance FROM client_with_orphans WHERE tenant = :tenant ORDER BY client_id, instance LIMIT 1',
);
const SWEEP_ORPHANS = statement(
  'grant_sweep_orphans',
  `DELETE FROM authorization_grant WHERE tenant = :tenant AND grant_id = ANY(ARRAY(
     SELECT grant_id FROM authorization_grant
     WHERE tenant = :tenant AND client_id = :client_id AND client_instance = :instance LIMIT :limit))`,
);
const FORGET_GONE = statement(
  'grant_forget_client_gone',
  'DELETE FROM client_with_orphans WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance',
);

export function grantReads(reads: GatheredReads): Reads['grants'] {
  return {
    async find(tenant, grant_id) {
      const row = await reads.lookUp(tenant, FIND, grant_id);
      return row === undefined ? undefined : storedGrant(row);
    },
    ofSubject: async (tenant, sub) =>
      (await reads.slowRows(tenant, ALL_OF_SUBJECT, { sub })).map(storedGrant),
  };
}

function storedGrant(row: Row): StoredGrant {
  const {
    key: _key,
    sid,
    authorization_text: authorization,
    refresh_token_digest: digest,
    refresh_token_expires_at: until,
    ...columns
  } = row;
  const refresh_token = digest === null ? null : { digest, expires_at: until };
  return {
    ...columns,
    authorization,
    refresh_token,
    ...(sid === null ? {} : { sid }),
  } as unknown as StoredGrant;
}

/** Removes a grant and what descends from it; whoever remembers one of its tokens is told. */
export async function endGrant(
  transaction: Transaction,
  tenant: TenantId,
  grant_id: GrantId,
): Promise<boolean> {
  // First the grant, then, in a statement that sees what a refresh has committed meanwhile, its tokens.
  if ((await changed(transaction.ask(REMOVE, { tenant, grant_id }))) === 0) return false;
  const { rows } = await transaction.ask(REMOVE_TOKENS, { tenant, grant_id });
  for (const { key } of rows) {
    await journal(transaction, tenant, { kind: 'access-token-ended', key: key as AccessTokenKey });
  }
  return true;
}

/** Ends every grant of a subject as a part of the act that is under way; answers how many there were. */
export async function endGrantsOf(transaction: Transaction, tenant: TenantId, sub: string): Promise<number> {
  const { rows } = await transaction.ask(OF_SUBJECT, { tenant, sub });
  for (const { grant_id } of rows) await endGrant(transaction, tenant, grant_id as GrantId);
  return rows.length;
}

/** Ends the grants that end with a session, as a part of the act that ends it. */
export async function endGrantsOfSession(
  transaction: Transaction,
  tenant: TenantId,
  sid: SessionId,
): Promise<void> {
  const { rows } = await transaction.ask(OF_SESSION, { tenant, sid });
  for (const { grant_id } of rows) await endGrant(transaction, tenant, grant_id as GrantId);
}

type Names =
  | 'createGrant'
  | 'createGrantInSession'
  | 'refreshGrant'
  | 'endGrant'
  | 'endGrantsOf'
  | 'sweepGrants';

export const GRANT_ACTS: Acts<Names> = {
  createGrant: {
    // Otherwise it could be committed beside the deletion of its client, and neither would see the other.
    turn: true,
    async quick(transaction, { tenant, grant, token }) {
      await transaction.ask(CREATE, grantValues(tenant, grant, token));
      return undefined;
    },
  },
  createGrantInSession: {
    // Who ends the session takes it too: the grant is there by then, or the session is not.
    turn: true,
    quick: async (transaction, { tenant, grant, token }) =>
      (await changed(transaction.ask(CREATE_IN_SESSION, grantValues(tenant, grant, token)))) === 1,
  },
  refreshGrant: {
    turn: true,
    async quick(transaction, { tenant, refreshing }) {
      return (await rotate(transaction, tenant, refreshing)) ? 'refreshed' : TAKE_STEPS;
    },
    steps: refreshOrEnd,
  },
  endGrant: {
    turn: true,
    async steps(transaction, { tenant, grant_id, event }) {
      const ended = await endGrant(transaction, tenant, grant_id);
      if (ended) await record(transaction, tenant, event);
      return ended;
    },
  },
  endGrantsOf: {
    turn: true,
    steps: (transaction, { tenant, sub }) => endGrantsOf(transaction, tenant, sub),
  },
  sweepGrants: { turn: true, steps: sweep },
};

async function rotate(
  transaction: Transaction,
  tenant: TenantId,
  { grant_id, presented, next, expires_at, token, now }: Refreshing,
): Promise<boolean> {
  const issued = await changed(
    transaction.ask(ROTATE, {
      ...tokenValues(tenant, token),
      grant_id,
      presented,
      next_digest: next.digest,
      next_expires_at: next.expires_at,
      expires_at,
      now,
    }),
  );
  return issued === 1;
}

/** The refresh token was not good when it was tried: nobody changes the tenant's grants now, and this is for good. */
async function refreshOrEnd(
  transaction: Transaction,
  { tenant, refreshing }: { readonly tenant: TenantId; readonly refreshing: Refreshing },
): Promise<RefreshOutcome> {
  const { grant_id, presented, onReuse } = refreshing;
  const found = await one(transaction.ask(FIND_ONE, { tenant, grant_id }));
  const digest = found?.['refresh_token_digest'] ?? null;
  if (digest === null) return 'absent';
  if (digest === presented) return (await rotate(transaction, tenant, refreshing)) ? 'refreshed' : 'absent';
  if (await endGrant(transaction, tenant, grant_id)) await record(transaction, tenant, onReuse);
  return 'reused';
}

/** What is swept is not found any more anyhow: the journal need not tell of it. */
async function sweep(
  transaction: Transaction,
  { tenant, now, limit }: { readonly tenant: TenantId; readonly now: number; readonly limit: number },
): Promise<number> {
  const expired = await changed(transaction.ask(SWEEP, { tenant, now, limit }));
  let removed = 0;
  while (removed < limit) {
    const gone = await one(transaction.ask(SOME_GONE, { tenant }));
    if (gone === undefined) break;
    const place = { tenant, client_id: gone['client_id'], instance: gone['instance'] } as Values;
    const orphans = await changed(transaction.ask(SWEEP_ORPHANS, { ...place, limit: limit - removed }));
    if (orphans < limit - removed) await transaction.ask(FORGET_GONE, place);
    removed += Math.max(orphans, 1);
  }
  return Math.max(expired, removed);
}
