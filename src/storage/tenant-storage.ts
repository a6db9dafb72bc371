import type { AccessTokenStore } from '../ports/access-token-store.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { AuthorizationCodeStore } from '../ports/authorization-code-store.ts';
import type { ChangeJournal } from '../ports/change-journal.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { ConsentStore } from '../ports/consent-store.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { InteractionStore } from '../ports/interaction-store.ts';
import type { LogoutNotificationStore } from '../ports/logout-notification-store.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';
import type { SessionStore } from '../ports/session-store.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { OfTenant } from './of-tenant.ts';
import type { Writes } from './write.ts';

/** What an engine answers without changing anything, for all tenants. Everything else is a write (`write.ts`). */
export interface Reads {
  readonly clients: OfTenant<
    Pick<
      ClientStore,
      'find' | 'hasRegistrationToken' | 'page' | 'findShared' | 'uses' | 'idle' | 'expired' | 'countOpen'
    >
  >;
  readonly accessTokens: OfTenant<Pick<AccessTokenStore, 'find' | 'findInitial' | 'pageInitial'>>;
  readonly authorizationCodes: OfTenant<Pick<AuthorizationCodeStore, 'find'>>;
  readonly grants: OfTenant<Pick<GrantStore, 'find' | 'ofSubject'>>;
  readonly accounts: OfTenant<Pick<AccountStore, 'find' | 'findByLoginName' | 'page' | 'knowsBrowser'>>;
  readonly sessions: OfTenant<Pick<SessionStore, 'find' | 'findBySid' | 'ofSubject' | 'clients'>>;
  readonly logoutNotifications: OfTenant<Pick<LogoutNotificationStore, 'nextDue' | 'page'>>;
  readonly interactions: OfTenant<Pick<InteractionStore, 'find'>>;
  readonly consents: OfTenant<Pick<ConsentStore, 'find' | 'ofSubject'>>;
  readonly serverKeys: OfTenant<Pick<ServerKeyStore, 'all' | 'removed'>>;
  readonly audit: OfTenant<Pick<AuditLog, 'page'>>;
  readonly journal: OfTenant<ChangeJournal>;
}

/** The storage of one tenant: the verbs of the ports, each as one read or one write of the engine. */
export function tenantStorage(tenant: TenantId, reads: Reads, writes: Writes): TenantStorage {
  return {
    ...ofEndUsers(tenant, reads, writes),
    clients: clientStore(tenant, reads.clients, writes),
    accessTokens: accessTokenStore(tenant, reads.accessTokens, writes),
    authorizationCodes: {
      issue: (code) => writes.write('issueAuthorizationCode', { tenant, code }),
      find: (key) => reads.authorizationCodes.find(tenant, key),
      redeem: (key, grant, token, onReuse) =>
        writes.write('redeemAuthorizationCode', { tenant, key, grant, token, onReuse }),
      sweepExpired: (now, limit) => writes.write('sweepAuthorizationCodes', { tenant, now, limit }),
    },
    grants: {
      create: (grant, token) => writes.write('createGrant', { tenant, grant, token }),
      createInSession: (grant, token) => writes.write('createGrantInSession', { tenant, grant, token }),
      find: (grant_id) => reads.grants.find(tenant, grant_id),
      refresh: (refreshing) => writes.write('refreshGrant', { tenant, refreshing }),
      ofSubject: (sub) => reads.grants.ofSubject(tenant, sub),
      end: (grant_id, event) => writes.write('endGrant', { tenant, grant_id, event }),
      endAllOf: (sub) => writes.write('endGrantsOf', { tenant, sub }),
      sweepExpired: (now, limit) => writes.write('sweepGrants', { tenant, now, limit }),
    },
    replays: {
      rememberOnce: (kind, owner, value, expires_at) =>
        writes.write('rememberOnce', { tenant, kind, owner, value, expires_at }),
      sweepExpired: (now, limit) => writes.write('sweepRememberedOnce', { tenant, now, limit }),
    },
    rates: {
      take: (buckets, now) => writes.write('takeFromBuckets', { tenant, buckets, now }),
      giveBack: (buckets, now) => writes.write('giveBackToBuckets', { tenant, buckets, now }),
      sweepExpired: (now, limit) => writes.write('sweepFullBuckets', { tenant, now, limit }),
    },
    serverKeys: serverKeyStore(tenant, reads.serverKeys, writes),
    audit: {
      append: (event) => writes.write('appendAuditEvent', { tenant, event }),
      page: (sequence, limit) => reads.audit.page(tenant, sequence, limit),
      sweep: (at, limit) => writes.write('sweepAuditEvents', { tenant, at, limit }),
    },
    journal: {
      head: () => reads.journal.head(tenant),
      since: (sequence) => reads.journal.since(tenant, sequence),
    },
  };
}

function clientStore(tenant: TenantId, reads: Reads['clients'], writes: Writes): ClientStore {
  return {
    find: (client_id) => reads.find(tenant, client_id),
    hasRegistrationToken: (digest) => reads.hasRegistrationToken(tenant, digest),
    page: (after, limit) => reads.page(tenant, after, limit),
    create: (client, conditions) => writes.write('createClient', { tenant, client, conditions }),
    replace: (client, expectedVersion, event) =>
      writes.write('replaceClient', { tenant, client, expectedVersion, event }),
    delete: ({ client_id, instance, version }, event) =>
      writes.write('deleteClient', { tenant, client: { client_id, instance, version }, event }),
    findShared: (digest) => reads.findShared(tenant, digest),
    recordUses: (uses) => writes.write('recordClientUses', { tenant, uses }),
    uses: (client) => reads.uses(tenant, client),
    idle: (before, after, limit) => reads.idle(tenant, before, after, limit),
    expired: (now, limit) => reads.expired(tenant, now, limit),
    countOpen: () => reads.countOpen(tenant),
  };
}

function accessTokenStore(tenant: TenantId, reads: Reads['accessTokens'], writes: Writes): AccessTokenStore {
  return {
    find: (key) => reads.find(tenant, key),
    findInitial: (key) => reads.findInitial(tenant, key),
    issue: (token) => writes.write('issueAccessToken', { tenant, token }),
    pageInitial: (after, limit) => reads.pageInitial(tenant, after, limit),
    issueInitial: (token, label, event) =>
      writes.write('issueInitialAccessToken', { tenant, token, label, event }),
    revokeInitial: (key, event) => writes.write('revokeInitialAccessToken', { tenant, key, event }),
    revoke: (key, now, event) => writes.write('revokeAccessToken', { tenant, key, now, event }),
    sweepExpired: (now, limit) => writes.write('sweepExpired', { tenant, now, limit }),
  };
}

function serverKeyStore(tenant: TenantId, reads: Reads['serverKeys'], writes: Writes): ServerKeyStore {
  return {
    all: () => reads.all(tenant),
    removed: () => reads.removed(tenant),
    addFirst: (keys) => writes.write('addFirstServerKeys', { tenant, keys, use: undefined }),
    addFirstOf: (use, keys) => writes.write('addFirstServerKeys', { tenant, keys, use }),
    add: (key, event) => writes.write('addServerKey', { tenant, key, event }),
    succeed: (successor, event) => writes.write('succeedServerKey', { tenant, successor, event }),
    advance: (kid, at, event) => writes.write('advanceServerKey', { tenant, kid, at, event }),
    remove: (kid, removal, event) => writes.write('removeServerKey', { tenant, kid, removal, event }),
    reseal: (kid, sealed) => writes.write('resealServerKey', { tenant, kid, sealed }),
  };
}

type OfEndUsers = Pick<
  TenantStorage,
  'accounts' | 'sessions' | 'logoutNotifications' | 'interactions' | 'consents'
>;

function ofEndUsers(tenant: TenantId, reads: Reads, writes: Writes): OfEndUsers {
  return {
    accounts: accountStore(tenant, reads.accounts, writes),
    sessions: sessionStore(tenant, reads.sessions, writes),
    logoutNotifications: {
      nextDue: () => reads.logoutNotifications.nextDue(tenant),
      page: (after, limit) => reads.logoutNotifications.page(tenant, after, limit),
      take: (taking) => writes.write('takeLogoutNotifications', { tenant, taking }),
      settle: (taken, attempt) => writes.write('settleLogoutNotification', { tenant, taken, attempt }),
      sweepSettled: (before, limit) => writes.write('sweepLogoutNotifications', { tenant, before, limit }),
    },
    interactions: {
      find: (key) => reads.interactions.find(tenant, key),
      begin: (begun) => writes.write('beginInteraction', { tenant, interaction: begun }),
      change: ({ key, version }, content) =>
        writes.write('changeInteraction', { tenant, interaction: { key, version }, content }),
      complete: ({ key, version }) =>
        writes.write('completeInteraction', { tenant, interaction: { key, version } }),
      sweepExpired: (now, limit) => writes.write('sweepInteractions', { tenant, now, limit }),
    },
    consents: {
      find: (sub, client) => reads.consents.find(tenant, sub, client),
      ofSubject: (sub) => reads.consents.ofSubject(tenant, sub),
      grant: (consent, at) => writes.write('grantConsent', { tenant, consent, at }),
      revoke: (sub, { client_id, instance }) =>
        writes.write('revokeConsent', { tenant, sub, client: { client_id, instance } }),
    },
  };
}

function accountStore(tenant: TenantId, reads: Reads['accounts'], writes: Writes): AccountStore {
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

function sessionStore(tenant: TenantId, reads: Reads['sessions'], writes: Writes): SessionStore {
  return {
    find: (key) => reads.find(tenant, key),
    findBySid: (sid) => reads.findBySid(tenant, sid),
    ofSubject: (sub) => reads.ofSubject(tenant, sub),
    clients: (sid) => reads.clients(tenant, sid),
    create: (session, conditions) => writes.write('createSession', { tenant, session, conditions }),
    touch: (key, last_seen_at, expires_at) =>
      writes.write('touchSession', { tenant, key, last_seen_at, expires_at }),
    addClient: (sid, { client_id, instance, issuer }, at) =>
      writes.write('addSessionClient', {
        tenant,
        sid,
        client: { client_id, instance, ...(issuer === undefined ? {} : { issuer }) },
        at,
      }),
    end: (key, event) => writes.write('endSession', { tenant, key, event }),
    endAllOf: (sub, except) => writes.write('endSessionsOf', { tenant, sub, except }),
    sweepExpired: (now, limit) => writes.write('sweepSessions', { tenant, now, limit }),
  };
}
