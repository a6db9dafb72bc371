import type { DatabaseSync } from 'node:sqlite';
import type { EndedSession, StoredSession } from '../../ports/session-store.ts';
import type { Digest, Subject, TenantId } from '../../spec/identifiers.ts';
import { sessionGrantsEnding } from './grant-writes.ts';
import { logoutNoting } from './logout-notification-rows.ts';
import { SESSION_COLUMNS, sessionClients, storedSession } from './session-reads.ts';

export interface SessionEnding {
  one(tenant: TenantId, key: Digest): EndedSession | undefined;
  ofSubject(tenant: TenantId, sub: Subject, except?: Digest): readonly EndedSession[];
  /** All but the `keep` that were seen last, and `except`, which counts as one of them. */
  beyond(tenant: TenantId, sub: Subject, except: Digest, keep: number): readonly EndedSession[];
  /** Ends one, unless it is to go on under another key: then it is only removed, and no client is told. */
  replace(
    tenant: TenantId,
    key: Digest,
    goesOn: (session: StoredSession) => boolean,
  ): { readonly session: EndedSession; readonly goesOn: boolean } | undefined;
}

/** The one place where sessions end before their time, as a part of the act that is under way. */
export function sessionEnding(database: DatabaseSync): SessionEnding {
  const select = database.prepare(`SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = ? AND key = ?`);
  const others = database.prepare(`
    SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = ? AND sub = ? AND key <> ?
    ORDER BY last_seen_at DESC, created_at DESC, key LIMIT -1 OFFSET ?`);
  const removeSession = database.prepare('DELETE FROM session WHERE tenant = ? AND key = ?');
  const removeClients = database.prepare('DELETE FROM session_client WHERE tenant = ? AND sid = ?');
  const clients = sessionClients(database);
  const note = logoutNoting(database);
  const endGrants = sessionGrantsEnding(database);

  const find = (tenant: TenantId, key: Digest): StoredSession | undefined => {
    const row = select.get(tenant, key);
    return row === undefined ? undefined : storedSession(row);
  };
  const remove = (tenant: TenantId, session: StoredSession): EndedSession => {
    const removed = { ...session, clients: clients(tenant, session.sid) };
    removeSession.run(tenant, session.key);
    removeClients.run(tenant, session.sid);
    return removed;
  };
  const end = (tenant: TenantId, session: StoredSession): EndedSession => {
    note(tenant, session);
    endGrants(tenant, session.sid);
    return remove(tenant, session);
  };
  const beyond = (tenant: TenantId, sub: Subject, except: string, keep: number): readonly EndedSession[] =>
    others.all(tenant, sub, except, keep).map((row) => end(tenant, storedSession(row)));

  return {
    one(tenant, key) {
      const session = find(tenant, key);
      return session === undefined ? undefined : end(tenant, session);
    },
    ofSubject: (tenant, sub, except = '' as Digest) => beyond(tenant, sub, except, 0),
    beyond: (tenant, sub, except, keep) => beyond(tenant, sub, except, Math.max(0, keep - 1)),
    replace(tenant, key, goesOn) {
      const session = find(tenant, key);
      if (session === undefined) return undefined;
      return goesOn(session)
        ? { session: remove(tenant, session), goesOn: true }
        : { session: end(tenant, session), goesOn: false };
    },
  };
}
