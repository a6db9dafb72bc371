import type { DatabaseSync } from 'node:sqlite';
import type {
  LogoutAttempt,
  LogoutNotificationStore,
  StoredLogoutNotification,
  TakenLogoutNotification,
} from '../../ports/logout-notification-store.ts';
import type { Subject, TenantId } from '../../spec/identifiers.ts';
import type { OfTenant } from '../of-tenant.ts';
import type { WriteHandlers } from './write-handlers.ts';

export type LogoutNotificationReads = OfTenant<Pick<LogoutNotificationStore, 'nextDue' | 'page'>>;

export function logoutNotificationReads(database: DatabaseSync): LogoutNotificationReads {
  const nextDue = database.prepare(`
    SELECT due_at FROM logout_notification WHERE tenant = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`);
  const page = database.prepare(`
    SELECT sid, client_id, instance, sub, issuer, state, attempts, attempted_at, due_at, problem FROM logout_notification
    WHERE tenant = ? AND (sid, client_id, instance) > (?, ?, ?) ORDER BY sid, client_id, instance LIMIT ?`);
  return {
    nextDue(tenant) {
      const row = nextDue.get(tenant);
      return row === undefined ? undefined : Number(row['due_at']);
    },
    page: (tenant, after, limit) =>
      page
        .all(tenant, after?.sid ?? '', after?.client_id ?? '', after?.instance ?? '', limit)
        .map((row) => ({ ...row }) as unknown as StoredLogoutNotification),
  };
}

/** Notes, as a part of the act that ends a session, whom of its clients that are still there it concerns. */
export function logoutNoting(
  database: DatabaseSync,
): (tenant: TenantId, session: Pick<StoredLogoutNotification, 'sid'> & { readonly sub: Subject }) => void {
  const note = database.prepare(`
    INSERT INTO logout_notification (tenant, sid, client_id, instance, sub, issuer)
    SELECT tenant, sid, client_id, instance, ?3, issuer FROM session_client AS took_part
    WHERE tenant = ?1 AND sid = ?2 AND EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1
        AND client.client_id = took_part.client_id AND client.instance = took_part.instance)
    ON CONFLICT DO NOTHING`);
  return (tenant, { sid, sub }) => void note.run(tenant, sid, sub);
}

type LogoutNotificationWrites = Pick<
  WriteHandlers,
  'takeLogoutNotifications' | 'settleLogoutNotification' | 'sweepLogoutNotifications'
>;

export function logoutNotificationWrites(database: DatabaseSync): LogoutNotificationWrites {
  const sweep = database.prepare(`
    DELETE FROM logout_notification WHERE tenant = ?1 AND (sid, client_id, instance) IN
      (SELECT sid, client_id, instance FROM logout_notification
       WHERE tenant = ?1 AND due_at IS NULL AND attempted_at < ?2 ORDER BY attempted_at LIMIT ?3)`);
  return {
    takeLogoutNotifications: taking(database),
    settleLogoutNotification: settling(database),
    sweepLogoutNotifications: ({ tenant, before, limit }) => Number(sweep.run(tenant, before, limit).changes),
  };
}

function taking(database: DatabaseSync): WriteHandlers['takeLogoutNotifications'] {
  const due = `SELECT sid, client_id, instance FROM logout_notification WHERE tenant = ?1 AND due_at <= ?2`;
  const statement = (chosen: string): ReturnType<DatabaseSync['prepare']> =>
    database.prepare(`
      UPDATE logout_notification SET attempts = attempts + 1, attempted_at = ?2, due_at = ?3
      WHERE tenant = ?1 AND (sid, client_id, instance) IN (${chosen} LIMIT ?4)
      RETURNING sid, client_id, instance, sub, issuer, attempts`);
  const any = statement(`${due} ORDER BY due_at`);
  const ofSessions = statement(`${due} AND sid IN (SELECT value FROM json_each(?5))`);
  return ({ tenant, taking: { now, until, limit, sids } }) => {
    const rows =
      sids === undefined
        ? any.all(tenant, now, until, limit)
        : ofSessions.all(tenant, now, until, limit, JSON.stringify(sids));
    return rows.map((row) => ({ ...row }) as unknown as TakenLogoutNotification);
  };
}

function settling(database: DatabaseSync): WriteHandlers['settleLogoutNotification'] {
  const place = 'tenant = ? AND sid = ? AND client_id = ? AND instance = ?';
  // Whoever has taken it since has raised `attempts`; what is settled has no `due_at`.
  const mine = `${place} AND attempts = ? AND due_at IS NOT NULL`;
  const update = database.prepare(
    `UPDATE logout_notification SET (state, due_at, problem) = (?, ?, ?) WHERE ${mine}`,
  );
  const remove = database.prepare(`DELETE FROM logout_notification WHERE ${mine}`);
  return ({ tenant, taken: { sid, client_id, instance, attempts }, attempt }) => {
    const ticket = [tenant, sid, client_id, instance, attempts] as const;
    if (attempt.outcome === 'unneeded') return remove.run(...ticket).changes === 1;
    return update.run(...settled(attempt), ...ticket).changes === 1;
  };
}

function settled(
  attempt: LogoutAttempt,
): readonly [state: string, due_at: number | null, problem: string | null] {
  switch (attempt.outcome) {
    case 'postponed':
      return ['waiting', attempt.due_at, attempt.problem];
    case 'failed':
      return ['failed', null, attempt.problem];
    default:
      return ['delivered', null, null];
  }
}
