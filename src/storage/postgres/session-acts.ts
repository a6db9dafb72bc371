import type { EndedSession, SessionCreation, StoredSession } from '../../ports/session-store.ts';
import type { SessionId, TenantId } from '../../spec/identifiers.ts';
import { isSameLiveSubject } from '../replaced-session.ts';
import type { WriteArguments } from '../write.ts';
import { accountIsUnchanged } from './account-rows.ts';
import { type Acts, changed, type Transaction } from './act.ts';
import { record } from './audit-rows.ts';
import { endSession, endSessionsOf, replaceSession } from './session-ending.ts';
import { SESSION_COLUMNS } from './session-rows.ts';
import { statement } from './statement.ts';

const INSERT = statement(
  'session_insert',
  `INSERT INTO session (tenant, ${SESSION_COLUMNS}) VALUES
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

type Names =
  | 'createSession'
  | 'touchSession'
  | 'addSessionClient'
  | 'endSession'
  | 'endSessionsOf'
  | 'sweepSessions';

export const SESSION_ACTS: Acts<Names> = {
  createSession: { turn: true, steps: create },
  touchSession: {
    turn: false,
    quick: async (transaction, values) => (await changed(transaction.ask(TOUCH, { ...values }))) === 1,
  },
  addSessionClient: {
    turn: true,
    quick: async (transaction, { tenant, sid, client, at }) =>
      (await changed(transaction.ask(ADD_CLIENT, { tenant, sid, issuer: null, ...client, at }))) === 1,
  },
  endSession: {
    turn: true,
    async steps(transaction, { tenant, key, event }) {
      const ended = await endSession(transaction, tenant, key);
      if (ended !== undefined) await record(transaction, tenant, event);
      return ended;
    },
  },
  endSessionsOf: {
    turn: true,
    steps: (transaction, { tenant, sub, except }) => endSessionsOf(transaction, tenant, sub, { except }),
  },
  sweepSessions: {
    turn: true,
    async steps(transaction, { tenant, now, limit }) {
      const { rows } = await transaction.ask(SWEEP, { tenant, now, limit });
      const sids = rows.map(({ sid }) => String(sid));
      if (sids.length > 0) await transaction.ask(SWEEP_CLIENTS, { tenant, sids });
      return rows.length;
    },
  },
};

async function create(
  transaction: Transaction,
  { tenant, session, conditions }: WriteArguments['createSession'],
): Promise<SessionCreation> {
  const { replaces, accountVersion, sessionsMax, now } = conditions;
  const { sub } = session;
  if (accountVersion !== undefined && !(await accountIsUnchanged(transaction, tenant, sub, accountVersion))) {
    return { outcome: 'account_changed' };
  }
  const goesOn = (before: StoredSession): boolean => isSameLiveSubject(before, session, now);
  const replaced =
    replaces === undefined ? undefined : await replaceSession(transaction, tenant, replaces, goesOn);
  const kept = replaced?.goesOn === true ? { ...session, sid: replaced.session.sid } : session;
  await transaction.ask(INSERT, { tenant, ...kept, amr: JSON.stringify(kept.amr) });
  if (replaced?.goesOn === true) await keepClients(transaction, tenant, kept.sid, replaced.session);
  const surplus = await endSessionsOf(transaction, tenant, sub, {
    except: kept.key,
    keep: Math.max(0, sessionsMax - 1),
  });
  const ended = replaced?.goesOn === false ? [replaced.session, ...surplus] : surplus;
  return { outcome: 'created', session: kept, ended };
}

/** The same end-user has authenticated again: clients know the session by its `sid`, and must hear of its end. */
async function keepClients(
  transaction: Transaction,
  tenant: TenantId,
  sid: SessionId,
  { clients }: EndedSession,
): Promise<void> {
  for (const client of clients) await transaction.ask(KEEP_CLIENT, { tenant, sid, issuer: null, ...client });
}
