import type { LogoutAttempt, LogoutNotificationStore } from '../../ports/logout-notification-store.ts';
import type { SessionId, Subject, TenantId } from '../../spec/identifiers.ts';
import { LOGOUT_NOTIFICATION, TAKEN_LOGOUT_NOTIFICATION } from '../rows.ts';
import { changed, type TenantNoun, type Transaction, type Values } from './noun.ts';
import { statement } from './statement.ts';

const NEXT_DUE = statement(
  'logout_next_due',
  `SELECT due_at FROM logout_notification WHERE tenant = :tenant AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
);
const PAGE = statement(
  'logout_page',
  `SELECT ${LOGOUT_NOTIFICATION.columns} FROM logout_notification
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
     RETURNING ${TAKEN_LOGOUT_NOTIFICATION.columns}`,
  );
const TAKE = taking('logout_take', 'ORDER BY due_at');
const TAKE_OF_SESSIONS = taking('logout_take_of_sessions', 'AND sid = ANY(:sids)');

/** A later attempt has raised `attempts`; a settled notification has no `due_at`. */
const STILL_TAKEN = `tenant = :tenant AND sid = :sid AND client_id = :client_id AND instance = :instance
  AND attempts = :attempts AND due_at IS NOT NULL`;
const SETTLE = statement(
  'logout_settle',
  `UPDATE logout_notification SET state = :state, due_at = :due_at, problem = :problem WHERE ${STILL_TAKEN}`,
);
const REMOVE = statement('logout_remove', `DELETE FROM logout_notification WHERE ${STILL_TAKEN}`);
/** Counts the tenant among those with notifications to deliver, under the tenant's lock. */
const WAIT = statement(
  'logout_wait',
  'INSERT INTO logout_waiting (tenant) VALUES (:tenant) ON CONFLICT DO NOTHING',
);
/** Takes the tenant from those with notifications to deliver once the last one is settled. */
const REST = statement(
  'logout_rest',
  `DELETE FROM logout_waiting WHERE tenant = :tenant AND NOT EXISTS (
     SELECT 1 FROM logout_notification WHERE tenant = :tenant AND due_at IS NOT NULL)`,
);
const SWEEP = statement(
  'logout_sweep',
  `DELETE FROM logout_notification WHERE tenant = :tenant AND (sid, client_id, instance) IN
    (SELECT sid, client_id, instance FROM logout_notification
     WHERE tenant = :tenant AND due_at IS NULL AND attempted_at < :before ORDER BY attempted_at LIMIT :limit)`,
);

const COUNT_WAITING = statement(
  'logout_notification_count_waiting',
  `SELECT count(*) AS waiting FROM (
     SELECT 1 FROM logout_notification WHERE tenant = :tenant AND due_at IS NOT NULL LIMIT :limit) AS waiting`,
);

export const logoutNotifications: TenantNoun<LogoutNotificationStore, 'nextDue' | 'countWaiting' | 'page'> = {
  reads: {
    countWaiting:
      ({ primary }) =>
      async (tenant, limit) => {
        const [row] = await primary.rows(tenant, COUNT_WAITING, { limit });
        return Number(row?.['waiting'] ?? 0);
      },
    nextDue:
      ({ primary }) =>
      async (tenant) => {
        const [row] = await primary.rows(tenant, NEXT_DUE, {});
        return row === undefined ? undefined : Number(row['due_at']);
      },
    page:
      ({ primary }) =>
      async (tenant, after, limit) => {
        const { sid, client_id, instance } = { sid: '', client_id: '', instance: '', ...after };
        const rows = await primary.slowRows(tenant, PAGE, { sid, client_id, instance, limit });
        return rows.map(LOGOUT_NOTIFICATION.read);
      },
  },
  writes: {
    take: {
      locksTenant: true,
      async pipelined(transaction, tenant, { now, until, limit, sids }) {
        const values = { tenant, now, until, limit };
        const taken =
          sids === undefined
            ? transaction.query(TAKE, values)
            : transaction.query(TAKE_OF_SESSIONS, { ...values, sids });
        return (await taken).rows.map(TAKEN_LOGOUT_NOTIFICATION.read);
      },
    },
    settle: {
      // A session that ends meanwhile adds notifications, and the tenant must stay among those that have some.
      locksTenant: true,
      async pipelined(transaction, tenant, { sid, client_id, instance, attempts }, attempt) {
        const place = { tenant, sid, client_id, instance, attempts };
        const done =
          attempt.outcome === 'unneeded'
            ? transaction.query(REMOVE, place)
            : transaction.query(SETTLE, { ...place, ...settled(attempt) });
        const resting = transaction.query(REST, { tenant });
        const isDone = (await changed(done)) === 1;
        await resting;
        return isDone;
      },
    },
    sweepSettled: {
      locksTenant: false,
      pipelined: (transaction, tenant, before, limit) =>
        changed(transaction.query(SWEEP, { tenant, before, limit })),
    },
  },
};

/** Queues a notification for each client of an ending session that still exists. */
export async function noteLogout(
  transaction: Transaction,
  tenant: TenantId,
  { sid, sub }: { readonly sid: SessionId; readonly sub: Subject },
): Promise<void> {
  const noted = await changed(transaction.query(NOTE, { tenant, sid, sub }));
  if (noted > 0) await transaction.query(WAIT, { tenant });
}

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
