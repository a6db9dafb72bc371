import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { GrantStore, Refreshing, RefreshOutcome, StoredGrant } from '../../ports/grant-store.ts';
import type { ClientInstance, GrantId, SessionId, TenantId } from '../../spec/identifiers.ts';
import { tokenEnd } from '../change-rows.ts';
import { GRANT_LIST } from '../people-listings.ts';
import { type Cause, causeOf } from '../signal-facts.ts';
import { TOKEN_COLUMNS, TOKEN_VALUES, tokenValues } from './access-tokens.ts';
import { record } from './audit.ts';
import { appendToJournal, ENDED_TOKEN } from './journal.ts';
import { listing } from './listing.ts';
import { changed, GO_INTERACTIVE, one, type TenantNoun, type Transaction, type Values } from './noun.ts';
import { signalClient } from './signals.ts';
import { type Row, statement } from './statement.ts';

/** Whether the client of the grant still exists. A look-up: the planner may turn `EXISTS` into a join. */
const LIVES = `(SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = granted.client_id
  AND client.instance = granted.client_instance) = 1`;

/** For statements of other stores that also store a grant with its first access token. */
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
// If its client was deleted a moment ago, the sweep must learn that there is a new orphan.
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
/** If two callers use one refresh token, the second finds the row changed: PostgreSQL evaluates the condition again. */
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
  `DELETE FROM authorization_grant WHERE tenant = :tenant AND grant_id = :grant_id
   RETURNING client_id, client_instance AS instance, sub`,
);
const REMOVE_TOKENS = statement(
  'grant_remove_tokens',
  `DELETE FROM access_token WHERE tenant = :tenant AND grant_id = :grant_id RETURNING ${ENDED_TOKEN}`,
);
const REMOVE_EXCHANGED = statement(
  'grant_remove_exchanged',
  `DELETE FROM access_token WHERE tenant = :tenant AND key = ANY(ARRAY(
     SELECT origin.key FROM token_origin AS origin
     WHERE origin.tenant = :tenant AND origin.origin_key = ANY(:keys::text[]))) RETURNING ${ENDED_TOKEN}`,
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

export const grants: TenantNoun<GrantStore, 'find' | 'ofSubject' | 'list'> = {
  reads: {
    list: listing(GRANT_LIST),
    find:
      ({ primary }) =>
      async (tenant, grant_id) => {
        const row = await primary.lookUp(tenant, FIND, grant_id);
        return row === undefined ? undefined : storedGrant(row);
      },
    ofSubject:
      ({ primary }) =>
      async (tenant, sub) =>
        (await primary.slowRows(tenant, ALL_OF_SUBJECT, { sub })).map(storedGrant),
  },
  writes: {
    create: {
      // Without the lock it could be committed beside the deletion of its client, and neither would see the other.
      locksTenant: true,
      async pipelined(transaction, tenant, grant, token) {
        await transaction.query(CREATE, grantValues(tenant, grant, token));
      },
    },
    createInSession: {
      // The end of a session takes the lock too: either it finds the grant, or the grant finds no session.
      locksTenant: true,
      pipelined: async (transaction, tenant, grant, token) =>
        (await changed(transaction.query(CREATE_IN_SESSION, grantValues(tenant, grant, token)))) === 1,
    },
    refresh: {
      locksTenant: true,
      async pipelined(transaction, tenant, refreshing) {
        return (await rotate(transaction, tenant, refreshing)) ? 'refreshed' : GO_INTERACTIVE;
      },
      interactive: refreshOrEnd,
    },
    end: { locksTenant: true, interactive: endToldGrant },
    endAllOf: {
      locksTenant: true,
      interactive: (transaction, tenant, sub) =>
        endGrantsOf(transaction, tenant, sub, causeOf(undefined, 'grant.end')),
    },
    sweepExpired: { locksTenant: true, interactive: sweep },
  },
};

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

/** A grant that has ended, as far as its client learns of it. */
type EndedGrant = Pick<StoredGrant, 'client_id' | 'sub'> & { readonly instance: ClientInstance };

/**
 * Removes a grant with its access tokens and what was exchanged from them, and journals its end and that of each token. Returns
 * undefined if there was no grant.
 */
async function endGrant(
  transaction: Transaction,
  tenant: TenantId,
  grant_id: GrantId,
): Promise<EndedGrant | undefined> {
  // The grant goes first. The second statement then sees the tokens that a refresh has committed meanwhile.
  const ended = (await one(transaction.query(REMOVE, { tenant, grant_id }))) as EndedGrant | undefined;
  if (ended === undefined) return undefined;
  const { client_id, sub } = ended;
  await appendToJournal(transaction, tenant, { kind: 'grant-ended', grant_id, client_id, sub });
  const { rows: tokens } = await transaction.query(REMOVE_TOKENS, { tenant, grant_id });
  const keys = tokens.map(({ key }) => String(key));
  const exchanged =
    keys.length === 0 ? [] : (await transaction.query(REMOVE_EXCHANGED, { tenant, keys })).rows;
  for (const row of [...tokens, ...exchanged]) await appendToJournal(transaction, tenant, tokenEnd(row));
  return ended;
}

/** Ends grants, and tells each client of them once for each subject. Returns how many there were. */
export async function endGrants(
  transaction: Transaction,
  tenant: TenantId,
  grants: readonly GrantId[],
  cause: Cause,
): Promise<number> {
  const clients = new Map<string, EndedGrant>();
  let count = 0;
  for (const grant_id of grants) {
    const ended = await endGrant(transaction, tenant, grant_id);
    if (ended === undefined) continue;
    count += 1;
    clients.set(`${ended.client_id} ${ended.instance} ${ended.sub}`, ended);
  }
  for (const grant of clients.values()) {
    const facts = { kind: 'session-revoked', sub: grant.sub } as const;
    await signalClient(transaction, tenant, grant, { facts, cause });
  }
  return count;
}

/** Ends a grant, and records the event. Without an event the grant has served no client yet, and none is told. */
export async function endToldGrant(
  transaction: Transaction,
  tenant: TenantId,
  grant_id: GrantId,
  event?: AuditEvent,
): Promise<boolean> {
  if (event === undefined) return (await endGrant(transaction, tenant, grant_id)) !== undefined;
  const ended = await endGrants(transaction, tenant, [grant_id], causeOf(event, 'grant.end'));
  if (ended === 1) await record(transaction, tenant, event);
  return ended === 1;
}

/** Ends every grant of a subject; returns their number. */
export async function endGrantsOf(
  transaction: Transaction,
  tenant: TenantId,
  sub: string,
  cause: Cause,
): Promise<number> {
  const { rows } = await transaction.query(OF_SUBJECT, { tenant, sub });
  return await endGrants(
    transaction,
    tenant,
    rows.map(({ grant_id }) => grant_id as GrantId),
    cause,
  );
}

/** Ends the grants that are bound to a session. Their clients learn of the end of the session. */
export async function endGrantsOfSession(
  transaction: Transaction,
  tenant: TenantId,
  sid: SessionId,
): Promise<void> {
  const { rows } = await transaction.query(OF_SESSION, { tenant, sid });
  for (const { grant_id } of rows) await endGrant(transaction, tenant, grant_id as GrantId);
}

async function rotate(
  transaction: Transaction,
  tenant: TenantId,
  { grant_id, presented, next, expires_at, token, now }: Refreshing,
): Promise<boolean> {
  const issued = await changed(
    transaction.query(ROTATE, {
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

/** Decides why the rotation failed. The tenant is locked now, so the decision is final. */
async function refreshOrEnd(
  transaction: Transaction,
  tenant: TenantId,
  refreshing: Refreshing,
): Promise<RefreshOutcome> {
  const { grant_id, presented, onReuse } = refreshing;
  const found = await one(transaction.query(FIND_ONE, { tenant, grant_id }));
  const digest = found?.['refresh_token_digest'] ?? null;
  if (digest === null) return 'absent';
  if (digest === presented) return (await rotate(transaction, tenant, refreshing)) ? 'refreshed' : 'absent';
  await endToldGrant(transaction, tenant, grant_id, onReuse);
  return 'reused';
}

/** Sweeps without journalling: no read finds the grants that it removes. */
async function sweep(
  transaction: Transaction,
  tenant: TenantId,
  now: number,
  limit: number,
): Promise<number> {
  const expired = await changed(transaction.query(SWEEP, { tenant, now, limit }));
  let removed = 0;
  while (removed < limit) {
    const gone = await one(transaction.query(SOME_GONE, { tenant }));
    if (gone === undefined) break;
    const place = { tenant, client_id: gone['client_id'], instance: gone['instance'] } as Values;
    const orphans = await changed(transaction.query(SWEEP_ORPHANS, { ...place, limit: limit - removed }));
    if (orphans < limit - removed) await transaction.query(FORGET_GONE, place);
    removed += Math.max(orphans, 1);
  }
  return Math.max(expired, removed);
}
