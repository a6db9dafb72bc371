import type { DatabaseSync } from 'node:sqlite';
import type {
  EndedSession,
  SessionConditions,
  SessionCreation,
  SessionStore,
  StoredSession,
} from '../../ports/session-store.ts';
import type { SessionId, TenantId } from '../../spec/identifiers.ts';
import { SESSION_LIST } from '../people-listings.ts';
import { isSameLiveSubject, SESSION } from '../rows.ts';
import { causeOf } from '../signal-facts.ts';
import { accountUnchanged } from './accounts.ts';
import { eventRecording } from './audit.ts';
import { listing } from './listing.ts';
import type { TenantNoun } from './noun.ts';
import { clientListing, sessionEnding } from './session-ending.ts';

export const sessions: TenantNoun<SessionStore, 'find' | 'findBySid' | 'ofSubject' | 'clients' | 'list'> = {
  reads: {
    list: listing(SESSION_LIST),
    find({ lookUps }) {
      const find = lookUps.prepare(`SELECT ${SESSION.columns} FROM session WHERE tenant = ? AND key = ?`);
      return (tenant, key) => SESSION.readOptional(find.get(tenant, key));
    },
    findBySid({ lookUps }) {
      const find = lookUps.prepare(`SELECT ${SESSION.columns} FROM session WHERE tenant = ? AND sid = ?`);
      return (tenant, sid) => SESSION.readOptional(find.get(tenant, sid));
    },
    ofSubject({ lookUps }) {
      const select = lookUps.prepare(`
        SELECT ${SESSION.columns} FROM session WHERE tenant = ? AND sub = ? ORDER BY last_seen_at DESC, key`);
      return (tenant, sub) => select.all(tenant, sub).map(SESSION.read);
    },
    clients: ({ lookUps }) => clientListing(lookUps),
  },
  writes: {
    create: sessionCreation,
    touch(database) {
      const touch = database.prepare(`
        UPDATE session SET last_seen_at = max(last_seen_at, ?3), expires_at = max(expires_at, min(?4, ends_at))
        WHERE tenant = ?1 AND key = ?2`);
      return (tenant, key, last_seen_at, expires_at) =>
        touch.run(tenant, key, last_seen_at, expires_at).changes === 1;
    },
    addClient(database) {
      const add = database.prepare(`
        INSERT INTO session_client (tenant, sid, client_id, instance, first_used_at, last_used_at, issuer)
        SELECT ?1, ?2, ?3, ?4, ?5, ?5, ?6 FROM session WHERE tenant = ?1 AND sid = ?2
        ON CONFLICT DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)`);
      return (tenant, sid, { client_id, instance, issuer = null }, at) =>
        add.run(tenant, sid, client_id, instance, at, issuer).changes === 1;
    },
    end(database) {
      const ending = sessionEnding(database);
      const record = eventRecording(database);
      return (tenant, key, event) => {
        const ended = ending.one(tenant, key, causeOf(event, 'session.end'));
        if (ended !== undefined && event !== undefined) record(tenant, event);
        return ended;
      };
    },
    endAllOf(database) {
      const ending = sessionEnding(database);
      return (tenant, sub, except) =>
        ending.ofSubject(tenant, sub, causeOf(undefined, 'session.end'), except);
    },
    sweepExpired(database) {
      const expired = database.prepare(`
        SELECT key, sid FROM session WHERE tenant = ? AND expires_at < ? ORDER BY expires_at LIMIT ?`);
      const remove = database.prepare('DELETE FROM session WHERE tenant = ? AND key = ?');
      const removeClients = database.prepare('DELETE FROM session_client WHERE tenant = ? AND sid = ?');
      return (tenant, now, limit) => {
        const rows = expired.all(tenant, now, limit);
        for (const { key, sid } of rows) {
          remove.run(tenant, String(key));
          removeClients.run(tenant, String(sid));
        }
        return rows.length;
      };
    },
  },
};

function sessionCreation(
  database: DatabaseSync,
): (tenant: TenantId, session: StoredSession, conditions: SessionConditions) => SessionCreation {
  const insert = database.prepare(`
    INSERT INTO session (tenant, ${SESSION.columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const keepClient = database.prepare(`
    INSERT INTO session_client (tenant, sid, client_id, instance, first_used_at, last_used_at, issuer)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const isUnchanged = accountUnchanged(database);
  const ending = sessionEnding(database);
  const record = eventRecording(database);

  /** Carries the clients over: they know the session by its `sid`, and must learn of its end. */
  const keepClients = (tenant: TenantId, sid: SessionId, { clients }: EndedSession): void => {
    for (const { client_id, instance, first_used_at, last_used_at, issuer = null } of clients) {
      keepClient.run(tenant, sid, client_id, instance, first_used_at, last_used_at, issuer);
    }
  };

  return (tenant, session, { replaces, accountVersion, sessionsMax, now, event }) => {
    if (accountVersion !== undefined && !isUnchanged(tenant, session.sub, accountVersion)) {
      return { outcome: 'account_changed' };
    }
    const continues = (before: StoredSession): boolean => isSameLiveSubject(before, session, now);
    const cause = causeOf(undefined, 'session.create', now);
    const replaced = replaces === undefined ? undefined : ending.replace(tenant, replaces, continues, cause);
    const kept = replaced?.continues === true ? { ...session, sid: replaced.session.sid } : session;
    insert.run(tenant, ...SESSION.write(kept));
    if (event !== undefined) record(tenant, event);
    if (replaced?.continues === true) keepClients(tenant, kept.sid, replaced.session);
    const surplus = ending.beyond(tenant, kept.sub, { except: kept.key, keep: sessionsMax }, cause);
    const ended = replaced?.continues === false ? [replaced.session, ...surplus] : surplus;
    return { outcome: 'created', session: kept, ended };
  };
}
