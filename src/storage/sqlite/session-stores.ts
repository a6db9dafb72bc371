import type { DatabaseSync } from 'node:sqlite';
import type { StoredInteraction } from '../../ports/interaction-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Digest, TenantId } from '../../spec/identifiers.ts';
import { type AccountReads, accountReads } from './account-reads.ts';
import { consentReads } from './consent-rows.ts';
import type { GatheredWrites } from './gathered-writes.ts';
import { logoutNotificationReads } from './logout-notification-rows.ts';
import { type SessionReads, sessionReads } from './session-reads.ts';

type SessionStores = Pick<
  TenantStorage,
  'accounts' | 'sessions' | 'logoutNotifications' | 'interactions' | 'consents'
>;

/** The stores that concern end-users, for each tenant; one set of statements serves all. */
export function sessionStores(
  reader: DatabaseSync,
  writes: GatheredWrites,
): (tenant: TenantId) => SessionStores {
  const accounts = accountReads(reader);
  const sessions = sessionReads(reader);
  const notifications = logoutNotificationReads(reader);
  const interaction = interactionRead(reader);
  const consents = consentReads(reader);
  return (tenant) => ({
    accounts: accountStore(tenant, accounts, writes),
    sessions: sessionStore(tenant, sessions, writes),
    logoutNotifications: {
      nextDue: () => notifications.nextDue(tenant),
      page: (after, limit) => notifications.page(tenant, after, limit),
      take: (taking) => writes.write('takeLogoutNotifications', { tenant, taking }),
      settle: (taken, attempt) => writes.write('settleLogoutNotification', { tenant, taken, attempt }),
      sweepSettled: (before, limit) => writes.write('sweepLogoutNotifications', { tenant, before, limit }),
    },
    interactions: {
      find: (key) => interaction(tenant, key),
      begin: (begun) => writes.write('beginInteraction', { tenant, interaction: begun }),
      change: ({ key, version }, content) =>
        writes.write('changeInteraction', { tenant, interaction: { key, version }, content }),
      complete: ({ key, version }) =>
        writes.write('completeInteraction', { tenant, interaction: { key, version } }),
      sweepExpired: (now, limit) => writes.write('sweepInteractions', { tenant, now, limit }),
    },
    consents: {
      find: (sub, client) => consents.find(tenant, sub, client),
      ofSubject: (sub) => consents.ofSubject(tenant, sub),
      grant: (consent, at) => writes.write('grantConsent', { tenant, consent, at }),
      revoke: (sub, { client_id, instance }) =>
        writes.write('revokeConsent', { tenant, sub, client: { client_id, instance } }),
    },
  });
}

function accountStore(
  tenant: TenantId,
  reads: AccountReads,
  writes: GatheredWrites,
): TenantStorage['accounts'] {
  return {
    find: (sub) => reads.find(tenant, sub),
    findByLoginName: (login_name) => reads.findByLoginName(tenant, login_name),
    page: (after, limit) => reads.page(tenant, after, limit),
    knowsBrowser: (sub, browser, now) => reads.knowsBrowser(tenant, sub, browser, now),
    create: (account, event) => writes.write('createAccount', { tenant, account, event }),
    replace: (account, replacement) => writes.write('replaceAccount', { tenant, account, replacement }),
    delete: ({ sub, version }, event) =>
      writes.write('deleteAccount', { tenant, account: { sub, version }, event }),
    rememberBrowser: (sub, browser, expires_at, browsersMax) =>
      writes.write('rememberBrowser', { tenant, sub, browser, expires_at, browsersMax }),
    sweepExpired: (now, limit) => writes.write('sweepKnownBrowsers', { tenant, now, limit }),
  };
}

function sessionStore(
  tenant: TenantId,
  reads: SessionReads,
  writes: GatheredWrites,
): TenantStorage['sessions'] {
  return {
    find: (key) => reads.find(tenant, key),
    findBySid: (sid) => reads.findBySid(tenant, sid),
    ofSubject: (sub) => reads.ofSubject(tenant, sub),
    clients: (sid) => reads.clients(tenant, sid),
    create: (session, conditions) => writes.write('createSession', { tenant, session, conditions }),
    touch: (key, last_seen_at, expires_at) =>
      writes.write('touchSession', { tenant, key, last_seen_at, expires_at }),
    addClient: (sid, { client_id, instance }, at) =>
      writes.write('addSessionClient', { tenant, sid, client: { client_id, instance }, at }),
    end: (key) => writes.write('endSession', { tenant, key }),
    endAllOf: (sub, except) => writes.write('endSessionsOf', { tenant, sub, except }),
    sweepExpired: (now, limit) => writes.write('sweepSessions', { tenant, now, limit }),
  };
}

function interactionRead(
  database: DatabaseSync,
): (tenant: TenantId, key: Digest) => StoredInteraction | undefined {
  const select = database.prepare(`
    SELECT key, kind, browser, version, content, created_at, expires_at FROM interaction
    WHERE tenant = ? AND key = ?`);
  return (tenant, key) => {
    const row = select.get(tenant, key);
    return row === undefined ? undefined : ({ ...row } as unknown as StoredInteraction);
  };
}
