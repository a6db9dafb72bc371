import type { DatabaseSync } from 'node:sqlite';
import type { EndedSession, SessionClient, StoredSession } from '../../ports/session-store.ts';
import type { Digest, SessionId, Subject, TenantId } from '../../spec/identifiers.ts';
import { SESSION, SESSION_CLIENT } from '../rows.ts';
import type { Cause } from '../signal-facts.ts';
import { sessionGrantsEnding } from './grants.ts';
import { journalling } from './journal.ts';
import { logoutNoting } from './logout-notifications.ts';
import { signalling } from './signals.ts';

export interface SessionEnding {
  readonly one: (tenant: TenantId, key: Digest, cause: Cause) => EndedSession | undefined;
  readonly ofSubject: (
    tenant: TenantId,
    sub: Subject,
    cause: Cause,
    except?: Digest,
  ) => readonly EndedSession[];
  /** Ends all sessions of `sub` except the `keep` that were seen last. `except` stays, and counts as one of them. */
  beyond(
    tenant: TenantId,
    sub: Subject,
    places: { readonly except: Digest; readonly keep: number },
    cause: Cause,
  ): readonly EndedSession[];
  /** Ends a session. If it continues under another key, it is only removed, and no client is told. */
  replace(
    tenant: TenantId,
    key: Digest,
    continues: (session: StoredSession) => boolean,
    cause: Cause,
  ): { readonly session: EndedSession; readonly continues: boolean } | undefined;
}

/** Ends sessions before they expire, inside the transaction that is open. No other code does. */
export function sessionEnding(database: DatabaseSync): SessionEnding {
  const select = database.prepare(`SELECT ${SESSION.columns} FROM session WHERE tenant = ? AND key = ?`);
  const others = database.prepare(`
    SELECT ${SESSION.columns} FROM session WHERE tenant = ? AND sub = ? AND key <> ?
    ORDER BY last_seen_at DESC, created_at DESC, key LIMIT -1 OFFSET ?`);
  const removeSession = database.prepare('DELETE FROM session WHERE tenant = ? AND key = ?');
  const removeClients = database.prepare('DELETE FROM session_client WHERE tenant = ? AND sid = ?');
  const clients = clientListing(database);
  const note = logoutNoting(database);
  const endGrants = sessionGrantsEnding(database);
  const journal = journalling(database);
  const signal = signalling(database);

  const find = (tenant: TenantId, key: Digest): StoredSession | undefined =>
    SESSION.readOptional(select.get(tenant, key));
  const remove = (tenant: TenantId, session: StoredSession): EndedSession => {
    const removed = { ...session, clients: clients(tenant, session.sid) };
    removeSession.run(tenant, session.key);
    removeClients.run(tenant, session.sid);
    return removed;
  };
  const end = (tenant: TenantId, session: StoredSession, cause: Cause): EndedSession => {
    note(tenant, session);
    signal.ofSession(tenant, session, cause);
    endGrants(tenant, session.sid);
    journal(tenant, { kind: 'session-ended', sid: session.sid, sub: session.sub });
    return remove(tenant, session);
  };
  const beyond: SessionEnding['beyond'] = (tenant, sub, { except, keep }, cause) =>
    others.all(tenant, sub, except, keep).map((row) => end(tenant, SESSION.read(row), cause));

  return {
    one(tenant, key, cause) {
      const session = find(tenant, key);
      return session === undefined ? undefined : end(tenant, session, cause);
    },
    ofSubject: (tenant, sub, cause, except = '' as Digest) => beyond(tenant, sub, { except, keep: 0 }, cause),
    beyond: (tenant, sub, { except, keep }, cause) =>
      beyond(tenant, sub, { except, keep: Math.max(0, keep - 1) }, cause),
    replace(tenant, key, continues, cause) {
      const session = find(tenant, key);
      if (session === undefined) return undefined;
      return continues(session)
        ? { session: remove(tenant, session), continues: true }
        : { session: end(tenant, session, cause), continues: false };
    },
  };
}

/** Lists the clients that took part in a session, the first one first. */
export function clientListing(
  database: DatabaseSync,
): (tenant: TenantId, sid: SessionId) => readonly SessionClient[] {
  const select = database.prepare(`
    SELECT ${SESSION_CLIENT.columns} FROM session_client
    WHERE tenant = ? AND sid = ? ORDER BY first_used_at, client_id, instance`);
  return (tenant, sid) => select.all(tenant, sid).map(SESSION_CLIENT.read);
}
