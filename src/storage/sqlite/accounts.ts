import type { DatabaseSync } from 'node:sqlite';
import type { AccountStore, StoredAccount } from '../../ports/account-store.ts';
import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { Subject, TenantId } from '../../spec/identifiers.ts';
import { ACCOUNT_LIST } from '../people-listings.ts';
import { isAdministrator, rankOf } from '../row-mapper.ts';
import { ACCOUNT } from '../rows.ts';
import { type Cause, causeOf } from '../signal-facts.ts';
import { eventRecording } from './audit.ts';
import { subjectGrantsEnding } from './grants.ts';
import { listing } from './listing.ts';
import type { TenantNoun } from './noun.ts';
import { sessionEnding } from './session-ending.ts';
import { signalling } from './signals.ts';

export const accounts: TenantNoun<
  AccountStore,
  'find' | 'findByLoginName' | 'page' | 'knowsBrowser' | 'list'
> = {
  reads: {
    list: listing(ACCOUNT_LIST),
    find({ lookUps, snapshot }) {
      const find = lookUps.prepare(`SELECT ${ACCOUNT.columns} FROM account WHERE tenant = ? AND sub = ?`);
      return (tenant, sub) => {
        snapshot();
        return ACCOUNT.readOptional(find.get(tenant, sub));
      };
    },
    findByLoginName({ lookUps }) {
      const find = lookUps.prepare(
        `SELECT ${ACCOUNT.columns} FROM account WHERE tenant = ? AND login_name = ?`,
      );
      return (tenant, login_name) => ACCOUNT.readOptional(find.get(tenant, login_name));
    },
    page({ lookUps }) {
      const page = lookUps.prepare(`
        SELECT ${ACCOUNT.columns} FROM account WHERE tenant = ? AND login_name > ? ORDER BY login_name LIMIT ?`);
      return (tenant, after, limit) => page.all(tenant, after ?? '', limit).map(ACCOUNT.read);
    },
    knowsBrowser({ lookUps }) {
      const find = lookUps.prepare(
        'SELECT 1 FROM known_browser WHERE tenant = ? AND sub = ? AND browser = ? AND expires_at >= ?',
      );
      return (tenant, sub, browser, now) => find.get(tenant, sub, browser, now) !== undefined;
    },
  },
  writes: {
    create(database) {
      const has = accountPresence(database);
      const isTaken = loginNameHolding(database);
      const insert = database.prepare(`
        INSERT INTO account (tenant, ${ACCOUNT.columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
      const record = eventRecording(database);
      return (tenant, account, event) => {
        if (has(tenant, account.sub)) return 'sub_taken';
        if (isTaken(tenant, account)) return 'login_name_taken';
        insert.run(tenant, ...ACCOUNT.write(account));
        record(tenant, event);
        return 'created';
      };
    },
    replace(database) {
      const update = database.prepare(`
        UPDATE account SET (${ACCOUNT.columns}) = (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        WHERE tenant = ?1 AND sub = ?2`);
      const isUnchanged = accountUnchanged(database);
      const isTaken = loginNameHolding(database);
      const lost = lostOutcome(database);
      const endEverything = everythingEnding(database);
      const record = eventRecording(database);
      const isLast = lastAdministrator(database);
      const signal = signalling(database);
      return (tenant, account, replacement) => {
        const { expectedVersion, endAll, event, keepsAdministrator = false, signals = [] } = replacement;
        const { sub } = account;
        if (!isUnchanged(tenant, sub, expectedVersion)) return lost(tenant, sub);
        if (isTaken(tenant, account)) return 'login_name_taken';
        if (keepsAdministrator && !isAdministrator(account) && isLast(tenant, sub))
          return 'last_administrator';
        update.run(tenant, sub, ...ACCOUNT.write(account));
        const cause = causeOf(event, 'account.update');
        for (const each of signals) signal.ofAccount(tenant, each, cause);
        if (endAll) endEverything(tenant, sub, cause);
        if (event !== undefined) record(tenant, event);
        return 'done';
      };
    },
    delete(database) {
      const remove = database.prepare('DELETE FROM account WHERE tenant = ? AND sub = ?');
      const removeConsents = database.prepare('DELETE FROM consent WHERE tenant = ? AND sub = ?');
      const isUnchanged = accountUnchanged(database);
      const lost = lostOutcome(database);
      const endEverything = everythingEnding(database);
      const record = eventRecording(database);
      const isLast = lastAdministrator(database);
      return (tenant, { sub, version }, event, keepsAdministrator = false) => {
        if (!isUnchanged(tenant, sub, version)) return lost(tenant, sub);
        if (keepsAdministrator && isLast(tenant, sub)) return 'last_administrator';
        endEverything(tenant, sub, causeOf(event, 'account.delete'));
        removeConsents.run(tenant, sub);
        remove.run(tenant, sub);
        record(tenant, event);
        return 'done';
      };
    },
    rememberBrowser(database) {
      const put = database.prepare(`
        INSERT INTO known_browser (tenant, sub, browser, expires_at) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)`);
      const trim = database.prepare(`
        DELETE FROM known_browser WHERE tenant = ?1 AND sub = ?2 AND browser IN
          (SELECT browser FROM known_browser WHERE tenant = ?1 AND sub = ?2
           ORDER BY expires_at DESC LIMIT -1 OFFSET ?3)`);
      return (tenant, sub, browser, expires_at, browsersMax) => {
        put.run(tenant, sub, browser, expires_at);
        trim.run(tenant, sub, browsersMax);
      };
    },
    sweepExpired(database) {
      const sweep = database.prepare(`
        DELETE FROM known_browser WHERE tenant = ?1 AND (sub, browser) IN
          (SELECT sub, browser FROM known_browser
           WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
      return (tenant, now, limit) => Number(sweep.run(tenant, now, limit).changes);
    },
  },
};

/** Whether the account still has the version that the caller read. */
export function accountUnchanged(
  database: DatabaseSync,
): (tenant: TenantId, sub: Subject, version: number) => boolean {
  const find = database.prepare('SELECT 1 FROM account WHERE tenant = ? AND sub = ? AND version = ?');
  return (tenant, sub, version) => find.get(tenant, sub, version) !== undefined;
}

/** Whether this is an enabled administrator, and no other account is. */
function lastAdministrator(database: DatabaseSync): (tenant: TenantId, sub: Subject) => boolean {
  const enabled = database.prepare(`
    SELECT sub FROM account WHERE tenant = ? AND admin_role = ? AND disabled_at IS NULL LIMIT 2`);
  return (tenant, sub) => {
    const [first, second] = enabled.all(tenant, rankOf('administrator'));
    return first?.['sub'] === sub && second === undefined;
  };
}

function accountPresence(database: DatabaseSync): (tenant: TenantId, sub: Subject) => boolean {
  const find = database.prepare('SELECT 1 FROM account WHERE tenant = ? AND sub = ?');
  return (tenant, sub) => find.get(tenant, sub) !== undefined;
}

/** Why a conditional write changed nothing. */
function lostOutcome(database: DatabaseSync): (tenant: TenantId, sub: Subject) => ChangeOutcome {
  const has = accountPresence(database);
  return (tenant, sub) => (has(tenant, sub) ? 'changed_meanwhile' : 'absent');
}

/** Whether another account has the login name. */
function loginNameHolding(database: DatabaseSync): (tenant: TenantId, account: StoredAccount) => boolean {
  const holder = database.prepare('SELECT sub FROM account WHERE tenant = ? AND login_name = ?');
  return (tenant, { sub, login_name }) => {
    const held = holder.get(tenant, login_name)?.['sub'];
    return held !== undefined && held !== sub;
  };
}

/** Ends the sessions and grants of a subject, and forgets its browsers. */
function everythingEnding(database: DatabaseSync): (tenant: TenantId, sub: Subject, cause: Cause) => void {
  const endSessions = sessionEnding(database);
  const endGrants = subjectGrantsEnding(database);
  const forgetBrowsers = database.prepare('DELETE FROM known_browser WHERE tenant = ? AND sub = ?');
  return (tenant, sub, cause) => {
    endSessions.ofSubject(tenant, sub, cause);
    endGrants(tenant, sub, cause);
    forgetBrowsers.run(tenant, sub);
  };
}
