import type { DatabaseSync } from 'node:sqlite';
import type { EndedSession, StoredSession } from '../../ports/session-store.ts';
import type { Digest, Subject, TenantId } from '../../spec/identifiers.ts';
import { SESSION_COLUMNS, sessionClients, storedSession } from './session-reads.ts';

export interface SessionEnding {
  one(tenant: TenantId, key: Digest): EndedSession | undefined;
  ofSubject(tenant: TenantId, sub: Subject, except?: Digest): readonly EndedSession[];
  /** All but the `keep` that were seen last, and `except`, which counts as one of them. */
  beyond(tenant: TenantId, sub: Subject, except: Digest, keep: number): readonly EndedSession[];
}

/** The one place where sessions end before their time, as a part of the act that is under way. */
export function sessionEnding(database: DatabaseSync): SessionEnding {
  const find = database.prepare(`SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = ? AND key = ?`);
  const others = database.prepare(`
    SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = ? AND sub = ? AND key <> ?
    ORDER BY last_seen_at DESC, created_at DESC, key LIMIT -1 OFFSET ?`);
  const remove = database.prepare('DELETE FROM session WHERE tenant = ? AND key = ?');
  const removeClients = database.prepare('DELETE FROM session_client WHERE tenant = ? AND sid = ?');
  const clients = sessionClients(database);

  const end = (tenant: TenantId, session: StoredSession): EndedSession => {
    const ended = { ...session, clients: clients(tenant, session.sid) };
    remove.run(tenant, session.key);
    removeClients.run(tenant, session.sid);
    return ended;
  };
  const beyond = (tenant: TenantId, sub: Subject, except: string, keep: number): readonly EndedSession[] =>
    others.all(tenant, sub, except, keep).map((row) => end(tenant, storedSession(row)));

  return {
    one(tenant, key) {
      const row = find.get(tenant, key);
      return row === undefined ? undefined : end(tenant, storedSession(row));
    },
    ofSubject: (tenant, sub, except = '' as Digest) => beyond(tenant, sub, except, 0),
    beyond: (tenant, sub, except, keep) => beyond(tenant, sub, except, Math.max(0, keep - 1)),
  };
}
