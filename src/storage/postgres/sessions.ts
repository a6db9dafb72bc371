import type {
  EndedSession,
  SessionConditions,
  SessionCreation,
  SessionStore,
  StoredSession,
} from '../../ports/session-store.ts';
import type { SessionId, TenantId } from '../../spec/identifiers.ts';
import { SESSION_LIST } from '../people-listings.ts';
import { isSameLiveSubject, SESSION, SESSION_CLIENT } from '../rows.ts';
import { causeOf } from '../signal-facts.ts';
import { accountIsUnchanged } from './accounts.ts';
import { record } from './audit.ts';
import { listing } from './listing.ts';
import { changed, type TenantNoun, type Transaction } from './noun.ts';
import { CLIENTS, endSession, endSessionsOf, replaceSession } from './session-ending.ts';
import { statement } from './statement.ts';

const FIND = statement(
  'session_find',
  `SELECT ${SESSION.columns} FROM session WHERE tenant = :tenant AND key = ANY(:keys)`,
);
const FIND_BY_SID = statement(
  'session_find_by_sid',
  `SELECT ${SESSION.columns} FROM session WHERE tenant = :tenant AND sid = :sid`,
);
const OF_SUBJECT = statement(
  'session_of_subject',
  `SELECT ${SESSION.columns} FROM session WHERE tenant = :tenant AND sub = :sub ORDER BY last_seen_at DESC, key`,
);
const INSERT = statement(
  'session_insert',
  `INSERT INTO session (tenant, ${SESSION.columns}) VALUES
    (:tenant, :key, :sid, :sub, :auth_time, :acr, :amr, :created_at, :last_seen_at, :expires_at, :ends_at)`,
);
const KEEP_CLIENT = statement(
  'session_keep_client',
  `INSERT INTO session_client (tenant, sid, client_id, instance, first_used_at, last_used_at, issuer)
   VALUES (:tenant, :sid, :client_id, :instance, :first_used_at, :last_used_at, :issuer)`,
);
const TOUCH = statement(
  'session_touch',
  `UPDATE session SET last_seen_at = greatest(last_seen_at, :last_seen_at),
     expires_at = greatest(expires_at, least(:expires_at, ends_at)) WHERE tenant = :tenant AND key = :key`,
);
const ADD_CLIENT = statement(
  'session_add_client',
  `INSERT INTO session_client (tenant, sid, client_id, instance, first_used_at, last_used_at, issuer)
   SELECT tenant, sid, :client_id::text, :instance::text, :at::bigint, :at::bigint, :issuer::text FROM session
   WHERE tenant = :tenant AND sid = :sid
   ON CONFLICT (tenant, sid, client_id, instance) DO UPDATE
   SET last_used_at = greatest(session_client.last_used_at, excluded.last_used_at)`,
);
const SWEEP = statement(
  'session_sweep',
  `DELETE FROM session WHERE tenant = :tenant AND key IN
    (SELECT key FROM session WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)
   RETURNING sid`,
);
const SWEEP_CLIENTS = statement(
  'session_sweep_clients',
  'DELETE FROM session_client WHERE tenant = :tenant AND sid = ANY(:sids)',
);

export const sessions: TenantNoun<SessionStore, 'find' | 'findBySid' | 'ofSubject' | 'clients' | 'list'> = {
  reads: {
    list: listing(SESSION_LIST),
    find:
      ({ primary }) =>
      async (tenant, key) =>
        SESSION.readOptional(await primary.lookUp(tenant, FIND, key)),
    findBySid:
      ({ primary }) =>
      async (tenant, sid) =>
        SESSION.readOptional((await primary.rows(tenant, FIND_BY_SID, { sid }))[0]),
    ofSubject:
      ({ primary }) =>
      async (tenant, sub) =>
        (await primary.rows(tenant, OF_SUBJECT, { sub })).map(SESSION.read),
    clients:
      ({ primary }) =>
      async (tenant, sid) =>
        (await primary.rows(tenant, CLIENTS, { sid })).map(SESSION_CLIENT.read),
  },
  writes: {
    create: { locksTenant: true, interactive: create },
    touch: {
      locksTenant: false,
      pipelined: async (transaction, tenant, key, last_seen_at, expires_at) =>
        (await changed(transaction.query(TOUCH, { tenant, key, last_seen_at, expires_at }))) === 1,
    },
    addClient: {
      locksTenant: true,
      async pipelined(transaction, tenant, sid, { client_id, instance, issuer = null }, at) {
        const values = { tenant, sid, client_id, instance, issuer, at };
        return (await changed(transaction.query(ADD_CLIENT, values))) === 1;
      },
    },
    end: {
      locksTenant: true,
      async interactive(transaction, tenant, key, event) {
        const ended = await endSession(transaction, tenant, key, causeOf(event, 'session.end'));
        if (ended !== undefined) await record(transaction, tenant, event);
        return ended;
      },
    },
    endAllOf: {
      locksTenant: true,
      interactive: (transaction, tenant, sub, except) =>
        endSessionsOf(transaction, tenant, sub, { except, cause: causeOf(undefined, 'session.end') }),
    },
    sweepExpired: {
      locksTenant: true,
      async interactive(transaction, tenant, now, limit) {
        const { rows } = await transaction.query(SWEEP, { tenant, now, limit });
        const sids = rows.map(({ sid }) => String(sid));
        if (sids.length > 0) await transaction.query(SWEEP_CLIENTS, { tenant, sids });
        return rows.length;
      },
    },
  },
};

async function create(
  transaction: Transaction,
  tenant: TenantId,
  session: StoredSession,
  { replaces, accountVersion, sessionsMax, now, event }: SessionConditions,
): Promise<SessionCreation> {
  const { sub } = session;
  if (accountVersion !== undefined && !(await accountIsUnchanged(transaction, tenant, sub, accountVersion))) {
    return { outcome: 'account_changed' };
  }
  const continues = (before: StoredSession): boolean => isSameLiveSubject(before, session, now);
  const cause = causeOf(undefined, 'session.create', now);
  const replaced =
    replaces === undefined
      ? undefined
      : await replaceSession(transaction, tenant, replaces, { continues, cause });
  const kept = replaced?.continues === true ? { ...session, sid: replaced.session.sid } : session;
  await transaction.query(INSERT, { tenant, ...SESSION.writeNamed(kept) });
  await record(transaction, tenant, event);
  if (replaced?.continues === true) await keepClients(transaction, tenant, kept.sid, replaced.session);
  const surplus = await endSessionsOf(transaction, tenant, sub, {
    except: kept.key,
    keep: Math.max(0, sessionsMax - 1),
    cause,
  });
  const ended = replaced?.continues === false ? [replaced.session, ...surplus] : surplus;
  return { outcome: 'created', session: kept, ended };
}

/** Carries the clients over: they know the session by its `sid`, and must learn of its end. */
async function keepClients(
  transaction: Transaction,
  tenant: TenantId,
  sid: SessionId,
  { clients }: EndedSession,
): Promise<void> {
  for (const client of clients)
    await transaction.query(KEEP_CLIENT, { tenant, sid, issuer: null, ...client });
}
