import type { DatabaseSync } from 'node:sqlite';
import type { EndedSession, StoredSession } from '../../ports/session-store.ts';
import type { SessionId, TenantId } from '../../spec/identifiers.ts';
import { isSameLiveSubject } from '../replaced-session.ts';
import { accountUnchanged } from './account-writes.ts';
import { eventRecording } from './audit-writes.ts';
import { sessionEnding } from './session-ending.ts';
import type { WriteHandlers } from './write-handlers.ts';

type SessionWrites = Pick<
  WriteHandlers,
  'createSession' | 'touchSession' | 'addSessionClient' | 'endSession' | 'endSessionsOf' | 'sweepSessions'
>;

export function sessionWrites(database: DatabaseSync): SessionWrites {
  const touch = database.prepare(`
    UPDATE session SET last_seen_at = max(last_seen_at, ?3), expires_at = max(expires_at, min(?4, ends_at))
    WHERE tenant = ?1 AND key = ?2`);
  const addClient = database.prepare(`
    INSERT INTO session_client (tenant, sid, client_id, instance, first_used_at, last_used_at, issuer)
    SELECT ?1, ?2, ?3, ?4, ?5, ?5, ?6 FROM session WHERE tenant = ?1 AND sid = ?2
    ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`);
  const expired = database.prepare(`
    SELECT key, sid FROM session WHERE tenant = ? AND expires_at < ? ORDER BY expires_at LIMIT ?`);
  const remove = database.prepare('DELETE FROM session WHERE tenant = ? AND key = ?');
  const removeClients = database.prepare('DELETE FROM session_client WHERE tenant = ? AND sid = ?');
  const ending = sessionEnding(database);
  const record = eventRecording(database);
  return {
    createSession: sessionCreation(database),
    touchSession({ tenant, key, last_seen_at, expires_at }) {
      return touch.run(tenant, key, last_seen_at, expires_at).changes === 1;
    },
    addSessionClient({ tenant, sid, client: { client_id, instance, issuer = null }, at }) {
      return addClient.run(tenant, sid, client_id, instance, at, issuer).changes === 1;
    },
    endSession({ tenant, key, event }) {
      const ended = ending.one(tenant, key);
      if (ended !== undefined && event !== undefined) record(tenant, event);
      return ended;
    },
    endSessionsOf: ({ tenant, sub, except }) => ending.ofSubject(tenant, sub, except),
    sweepSessions({ tenant, now, limit }) {
      const rows = expired.all(tenant, now, limit);
      for (const { key, sid } of rows) {
        remove.run(tenant, String(key));
        removeClients.run(tenant, String(sid));
      }
      return rows.length;
    },
  };
}

function sessionCreation(database: DatabaseSync): WriteHandlers['createSession'] {
  const insert = database.prepare(`
    INSERT INTO session (tenant, key, sid, sub, auth_time, acr, amr, created_at, last_seen_at, expires_at, ends_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const keepClient = database.prepare(`
    INSERT INTO session_client (tenant, sid, client_id, instance, first_used_at, last_used_at, issuer)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const unchanged = accountUnchanged(database);
  const ending = sessionEnding(database);

  /** The same end-user has authenticated again: clients know the session by its `sid`, and must hear of its end. */
  const goOn = (tenant: TenantId, sid: SessionId, { clients }: EndedSession): void => {
    for (const { client_id, instance, first_used_at, last_used_at, issuer = null } of clients) {
      keepClient.run(tenant, sid, client_id, instance, first_used_at, last_used_at, issuer);
    }
  };

  return ({ tenant, session, conditions: { replaces, accountVersion, sessionsMax, now } }) => {
    if (accountVersion !== undefined && !unchanged(tenant, session.sub, accountVersion)) {
      return { outcome: 'account_changed' };
    }
    const goesOn = (before: StoredSession): boolean => isSameLiveSubject(before, session, now);
    const replaced = replaces === undefined ? undefined : ending.replace(tenant, replaces, goesOn);
    const kept = replaced?.goesOn === true ? { ...session, sid: replaced.session.sid } : session;
    const { key, sid, sub, auth_time, acr, amr, created_at, last_seen_at, expires_at, ends_at } = kept;
    const times = [created_at, last_seen_at, expires_at, ends_at];
    insert.run(tenant, key, sid, sub, auth_time, acr, JSON.stringify(amr), ...times);
    if (replaced?.goesOn === true) goOn(tenant, sid, replaced.session);
    const surplus = ending.beyond(tenant, sub, key, sessionsMax);
    const ended = replaced?.goesOn === false ? [replaced.session, ...surplus] : surplus;
    return { outcome: 'created', session: kept, ended };
  };
}
