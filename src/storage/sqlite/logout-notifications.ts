import type { DatabaseSync } from 'node:sqlite';
import type {
  LogoutAttempt,
  LogoutNotificationStore,
  StoredLogoutNotification,
} from '../../ports/logout-notification-store.ts';
import type { Subject, TenantId } from '../../spec/identifiers.ts';
import { LOGOUT_NOTIFICATION, TAKEN_LOGOUT_NOTIFICATION } from '../rows.ts';
import type { TenantNoun } from './noun.ts';

const PLACE = 'tenant = ? AND sid = ? AND client_id = ? AND instance = ?';
/** A later attempt has raised `attempts`; a settled notification has no `due_at`. */
const STILL_TAKEN = `${PLACE} AND attempts = ? AND due_at IS NOT NULL`;

export const logoutNotifications: TenantNoun<LogoutNotificationStore, 'nextDue' | 'countWaiting' | 'page'> = {
  reads: {
    countWaiting({ lookUps }) {
      const count = lookUps.prepare(`
        SELECT count(*) AS waiting FROM (
          SELECT 1 FROM logout_notification WHERE tenant = ? AND due_at IS NOT NULL LIMIT ?)`);
      return (tenant, limit) => Number(count.get(tenant, limit)?.['waiting'] ?? 0);
    },
    nextDue({ lookUps }) {
      const next = lookUps.prepare(`
        SELECT due_at FROM logout_notification
        WHERE tenant = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`);
      return (tenant) => {
        const row = next.get(tenant);
        return row === undefined ? undefined : Number(row['due_at']);
      };
    },
    page({ lookUps }) {
      const page = lookUps.prepare(`
        SELECT ${LOGOUT_NOTIFICATION.columns} FROM logout_notification
        WHERE tenant = ? AND (sid, client_id, instance) > (?, ?, ?) ORDER BY sid, client_id, instance LIMIT ?`);
      return (tenant, after, limit) =>
        page
          .all(tenant, after?.sid ?? '', after?.client_id ?? '', after?.instance ?? '', limit)
          .map(LOGOUT_NOTIFICATION.read);
    },
  },
  writes: {
    take(database) {
      const due = `SELECT sid, client_id, instance FROM logout_notification WHERE tenant = ?1 AND due_at <= ?2`;
      const statement = (chosen: string): ReturnType<DatabaseSync['prepare']> =>
        database.prepare(`
          UPDATE logout_notification SET attempts = attempts + 1, attempted_at = ?2, due_at = ?3
          WHERE tenant = ?1 AND (sid, client_id, instance) IN (${chosen} LIMIT ?4)
          RETURNING ${TAKEN_LOGOUT_NOTIFICATION.columns}`);
      const any = statement(`${due} ORDER BY due_at`);
      const ofSessions = statement(`${due} AND sid IN (SELECT value FROM json_each(?5))`);
      return (tenant, { now, until, limit, sids }) => {
        const rows =
          sids === undefined
            ? any.all(tenant, now, until, limit)
            : ofSessions.all(tenant, now, until, limit, JSON.stringify(sids));
        return rows.map(TAKEN_LOGOUT_NOTIFICATION.read);
      };
    },
    settle(database) {
      const update = database.prepare(
        `UPDATE logout_notification SET (state, due_at, problem) = (?, ?, ?) WHERE ${STILL_TAKEN}`,
      );
      const remove = database.prepare(`DELETE FROM logout_notification WHERE ${STILL_TAKEN}`);
      return (tenant, { sid, client_id, instance, attempts }, attempt) => {
        const place = [tenant, sid, client_id, instance, attempts] as const;
        if (attempt.outcome === 'unneeded') return remove.run(...place).changes === 1;
        return update.run(...settled(attempt), ...place).changes === 1;
      };
    },
    sweepSettled(database) {
      const sweep = database.prepare(`
        DELETE FROM logout_notification WHERE tenant = ?1 AND (sid, client_id, instance) IN
          (SELECT sid, client_id, instance FROM logout_notification
           WHERE tenant = ?1 AND due_at IS NULL AND attempted_at < ?2 ORDER BY attempted_at LIMIT ?3)`);
      return (tenant, before, limit) => Number(sweep.run(tenant, before, limit).changes);
    },
  },
};

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

/** Queues a notification for each client of an ending session that still exists. */
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
