import type {
  LogoutAttempt,
  StoredLogoutNotification,
  TakenLogoutNotification,
} from '../../ports/logout-notification-store.ts';
import type { SessionId, Subject, TenantId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import { type Acts, changed, type Transaction, type Values } from './act.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { statement } from './statement.ts';

const NEXT_DUE = statement(
  'logout_next_due',
  `SELECT due_at FROM logout_notification WHERE tenant = :tenant AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
);
const PAGE = statement(
  'logout_page',
  `SELECT sid, client_id, instance, sub, issuer, state, attempts, attempted_at, due_at, problem FROM logout_notification
   WHERE tenant = :tenant AND (sid, client_id, instance) > (:sid, :client_id, :instance)
   ORDER BY sid, client_id, instance LIMIT :limit`,
);
const NOTE = statement(
  'logout_note',
  `INSERT INTO logout_notification (tenant, sid, client_id, instance, sub, issuer)
   SELECT tenant, sid, client_id, instance, :sub::text, issuer FROM session_client AS took_part
   WHERE tenant = :tenant AND sid = :sid AND (
     SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = took_part.client_id
       AND client.instance = took_part.instance) = 1
   ON CONFLICT DO NOTHING`,
);
const taking = (name: string, which: string): ReturnType<typeof statement> =>
  statement(
    name,
    `UPDATE logout_notification SET attempts = attempts + 1, attempted_at = :now, due_at = :until
     WHERE tenant = :tenant AND (sid, client_id, instance) IN (
       SELECT sid, client_id, instance FROM logout_notification
       WHERE tenant = :tenant AND due_at <= :now ${which} LIMIT :limit)
     RETURNING sid, client_id, instance, sub, issuer, attempts`,
  );
const TAKE = taking('logout_take', 'ORDER BY due_at');
const TAKE_OF_SESSIONS = taking('logout_take_of_sessions', 'AND sid = ANY(:sids)');

// Whoever has taken it since has raised `attempts`; what is settled has no `due_at`.
const MINE = `tenant = :tenant AND sid = :sid AND client_id = :client_id AND instance = :instance
  AND attempts = :attempts AND due_at IS NOT NULL`;
const SETTLE = statement(
  'logout_settle',
  `UPDATE logout_notification SET state = :state, due_at = :due_at, problem = :problem WHERE ${MINE}`,
);
const REMOVE = statement('logout_remove', `DELETE FROM logout_notification WHERE ${MINE}`);
const SWEEP = statement(
  'logout_sweep',
  `DELETE FROM logout_notification WHERE tenant = :tenant AND (sid, client_id, instance) IN
    (SELECT sid, client_id, instance FROM logout_notification
     WHERE tenant = :tenant AND due_at IS NULL AND attempted_at < :before ORDER BY attempted_at LIMIT :limit)`,
);

export function logoutNotificationReads(reads: GatheredReads): Reads['logoutNotifications'] {
  return {
    async nextDue(tenant) {
      const [row] = await reads.rows(tenant, NEXT_DUE, {});
      return row === undefined ? undefined : Number(row['due_at']);
    },
    async page(tenant, after, limit) {
      const place = { sid: '', client_id: '', instance: '', ...after };
      const { sid, client_id, instance } = place;
      const rows = await reads.slowRows(tenant, PAGE, { sid, client_id, instance, limit });
      return rows as unknown as readonly StoredLogoutNotification[];
    },
  };
}

/** Notes, as a part of the act that ends a session, whom of its clients that are still there it concerns. */
export async function noteLogout(
  transaction: Transaction,
  tenant: TenantId,
  { sid, sub }: { readonly sid: SessionId; readonly sub: Subject },
): Promise<void> {
  await transaction.ask(NOTE, { tenant, sid, sub });
}

type Names = 'takeLogoutNotifications' | 'settleLogoutNotification' | 'sweepLogoutNotifications';

export const LOGOUT_NOTIFICATION_ACTS: Acts<Names> = {
  takeLogoutNotifications: {
    turn: true,
    async quick(transaction, { tenant, taking: { now, until, limit, sids } }) {
      const values = { tenant, now, until, limit };
      const asked =
        sids === undefined
          ? transaction.ask(TAKE, values)
          : transaction.ask(TAKE_OF_SESSIONS, { ...values, sids });
      return (await asked).rows as unknown as readonly TakenLogoutNotification[];
    },
  },
  settleLogoutNotification: {
    turn: false,
    async quick(transaction, { tenant, taken: { sid, client_id, instance, attempts }, attempt }) {
      const ticket = { tenant, sid, client_id, instance, attempts };
      const asked =
        attempt.outcome === 'unneeded'
          ? transaction.ask(REMOVE, ticket)
          : transaction.ask(SETTLE, { ...ticket, ...settled(attempt) });
      return (await changed(asked)) === 1;
    },
  },
  sweepLogoutNotifications: {
    turn: false,
    quick: (transaction, { tenant, before, limit }) =>
      changed(transaction.ask(SWEEP, { tenant, before, limit })),
  },
};

function settled(attempt: LogoutAttempt): Values {
  switch (attempt.outcome) {
    case 'postponed':
      return { state: 'waiting', due_at: attempt.due_at, problem: attempt.problem };
    case 'failed':
      return { state: 'failed', due_at: null, problem: attempt.problem };
    default:
      return { state: 'delivered', due_at: null, problem: null };
  }
}
