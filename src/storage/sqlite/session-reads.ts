import type { DatabaseSync } from 'node:sqlite';
import type { SessionClient, SessionStore, StoredSession } from '../../ports/session-store.ts';
import type { SessionId, TenantId } from '../../spec/identifiers.ts';
import type { OfTenant } from '../of-tenant.ts';

export type SessionReads = OfTenant<Pick<SessionStore, 'find' | 'findBySid' | 'ofSubject' | 'clients'>>;

export const SESSION_COLUMNS =
  'key, sid, sub, auth_time, acr, amr, created_at, last_seen_at, expires_at, ends_at';

export function storedSession(row: object): StoredSession {
  const { amr, ...columns } = row as Omit<StoredSession, 'amr'> & { readonly amr: string };
  return { ...columns, amr: JSON.parse(amr) as string[] };
}

export function sessionReads(database: DatabaseSync): SessionReads {
  const find = database.prepare(`SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = ? AND key = ?`);
  const findBySid = database.prepare(`SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = ? AND sid = ?`);
  const ofSubject = database.prepare(`
    SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = ? AND sub = ? ORDER BY last_seen_at DESC, key`);
  const one = (row: object | undefined): StoredSession | undefined =>
    row === undefined ? undefined : storedSession(row);
  return {
    find: (tenant, key) => one(find.get(tenant, key)),
    findBySid: (tenant, sid) => one(findBySid.get(tenant, sid)),
    ofSubject: (tenant, sub) => ofSubject.all(tenant, sub).map(storedSession),
    clients: sessionClients(database),
  };
}

export function sessionClients(
  database: DatabaseSync,
): (tenant: TenantId, sid: SessionId) => readonly SessionClient[] {
  const select = database.prepare(`
    SELECT client_id, instance, first_used_at, last_used_at, issuer FROM session_client
    WHERE tenant = ? AND sid = ? ORDER BY first_used_at, client_id, instance`);
  return (tenant, sid) =>
    select
      .all(tenant, sid)
      .map(
        ({ issuer, ...row }) =>
          ({ ...row, ...(issuer === null ? {} : { issuer }) }) as unknown as SessionClient,
      );
}
