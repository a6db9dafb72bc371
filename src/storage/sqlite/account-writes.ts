import type { DatabaseSync } from 'node:sqlite';
import type { StoredAccount } from '../../ports/account-store.ts';
import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { Subject, TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit-writes.ts';
import { subjectGrantsEnding } from './grant-writes.ts';
import { sessionEnding } from './session-ending.ts';
import type { WriteHandlers } from './write-handlers.ts';

type AccountWrites = Pick<
  WriteHandlers,
  'createAccount' | 'replaceAccount' | 'deleteAccount' | 'rememberBrowser' | 'sweepKnownBrowsers'
>;

export function accountWrites(database: DatabaseSync): AccountWrites {
  const has = database.prepare('SELECT 1 FROM account WHERE tenant = ? AND sub = ?');
  const holder = database.prepare('SELECT sub FROM account WHERE tenant = ? AND login_name = ?');
  const insert = database.prepare(`
    INSERT INTO account (version, login_name, username, password_hash, claims, created_at, updated_at, disabled_at, tenant, sub)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const update = database.prepare(`
    UPDATE account SET (version, login_name, username, password_hash, claims, created_at, updated_at, disabled_at)
      = (?, ?, ?, ?, ?, ?, ?, ?)
    WHERE tenant = ? AND sub = ?`);
  const remove = database.prepare('DELETE FROM account WHERE tenant = ? AND sub = ?');
  const forgetConsents = database.prepare('DELETE FROM consent WHERE tenant = ? AND sub = ?');
  const unchanged = accountUnchanged(database);
  const browsers = knownBrowsers(database);
  const endSessions = sessionEnding(database);
  const record = eventRecording(database);
  const endGrants = subjectGrantsEnding(database);
  const endEverything = (tenant: TenantId, sub: Subject): void => {
    endSessions.ofSubject(tenant, sub);
    endGrants(tenant, sub);
    browsers.forget(tenant, sub);
  };
  const lost = (tenant: TenantId, sub: Subject): ChangeOutcome =>
    has.get(tenant, sub) === undefined ? 'absent' : 'changed_meanwhile';
  const taken = (tenant: TenantId, { sub, login_name }: StoredAccount): boolean => {
    const held = holder.get(tenant, login_name)?.['sub'];
    return held !== undefined && held !== sub;
  };

  return {
    createAccount({ tenant, account, event }) {
      if (has.get(tenant, account.sub) !== undefined) return 'sub_taken';
      if (taken(tenant, account)) return 'login_name_taken';
      insert.run(...values(account), tenant, account.sub);
      record(tenant, event);
      return 'created';
    },
    replaceAccount({ tenant, account, replacement: { expectedVersion, endAll, event } }) {
      const { sub } = account;
      if (!unchanged(tenant, sub, expectedVersion)) return lost(tenant, sub);
      if (taken(tenant, account)) return 'login_name_taken';
      update.run(...values(account), tenant, sub);
      if (endAll) endEverything(tenant, sub);
      if (event !== undefined) record(tenant, event);
      return 'done';
    },
    deleteAccount({ tenant, account: { sub, version }, event }) {
      if (!unchanged(tenant, sub, version)) return lost(tenant, sub);
      endEverything(tenant, sub);
      forgetConsents.run(tenant, sub);
      remove.run(tenant, sub);
      record(tenant, event);
      return 'done';
    },
    rememberBrowser: browsers.remember,
    sweepKnownBrowsers: browsers.sweep,
  };
}

/** Whether the account is still as somebody read it. */
export function accountUnchanged(
  database: DatabaseSync,
): (tenant: TenantId, sub: Subject, version: number) => boolean {
  const select = database.prepare('SELECT 1 FROM account WHERE tenant = ? AND sub = ? AND version = ?');
  return (tenant, sub, version) => select.get(tenant, sub, version) !== undefined;
}

/** In the order of the columns in both statements. */
function values(account: StoredAccount): readonly (string | number | null)[] {
  const { version, login_name, username, password_hash, claims, created_at, updated_at, disabled_at } =
    account;
  return [version, login_name, username, password_hash, claims, created_at, updated_at, disabled_at];
}

function knownBrowsers(database: DatabaseSync): {
  forget(tenant: TenantId, sub: Subject): void;
  readonly remember: WriteHandlers['rememberBrowser'];
  readonly sweep: WriteHandlers['sweepKnownBrowsers'];
} {
  const put = database.prepare(`
    INSERT INTO known_browser (tenant, sub, browser, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)`);
  const trim = database.prepare(`
    DELETE FROM known_browser WHERE tenant = ?1 AND sub = ?2 AND browser IN
      (SELECT browser FROM known_browser WHERE tenant = ?1 AND sub = ?2
       ORDER BY expires_at DESC LIMIT -1 OFFSET ?3)`);
  const forget = database.prepare('DELETE FROM known_browser WHERE tenant = ? AND sub = ?');
  const sweep = database.prepare(`
    DELETE FROM known_browser WHERE tenant = ?1 AND (sub, browser) IN
      (SELECT sub, browser FROM known_browser
       WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
  return {
    forget: (tenant, sub) => void forget.run(tenant, sub),
    remember({ tenant, sub, browser, expires_at, browsersMax }) {
      put.run(tenant, sub, browser, expires_at);
      trim.run(tenant, sub, browsersMax);
      return undefined;
    },
    sweep: ({ tenant, now, limit }) => Number(sweep.run(tenant, now, limit).changes),
  };
}
