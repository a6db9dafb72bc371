import type { AccountStore, StoredAccount } from '../../ports/account-store.ts';
import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { Subject, TenantId } from '../../spec/identifiers.ts';
import { ACCOUNT_LIST } from '../people-listings.ts';
import { isAdministrator, rankOf } from '../row-mapper.ts';
import { ACCOUNT } from '../rows.ts';
import { type Cause, causeOf } from '../signal-facts.ts';
import { record } from './audit.ts';
import { endGrantsOf } from './grants.ts';
import { listing } from './listing.ts';
import { changed, one, type TenantNoun, type Transaction } from './noun.ts';
import { endSessionsOf } from './session-ending.ts';
import { signalAccount } from './signals.ts';
import { statement } from './statement.ts';

const CONTENT =
  'version, login_name, username, password_hash, claims, created_at, updated_at, disabled_at, admin_role';
const CONTENT_VALUES =
  ':version, :login_name, :username, :password_hash, :claims, :created_at, :updated_at, :disabled_at, :admin_role';

const FIND = statement(
  'account_find',
  `SELECT sub AS key, ${ACCOUNT.columns} FROM account WHERE tenant = :tenant AND sub = ANY(:keys)`,
);
const FIND_BY_LOGIN_NAME = statement(
  'account_find_by_login_name',
  `SELECT login_name AS key, ${ACCOUNT.columns} FROM account WHERE tenant = :tenant AND login_name = ANY(:keys)`,
);
const PAGE = statement(
  'account_page',
  `SELECT ${ACCOUNT.columns} FROM account WHERE tenant = :tenant AND login_name > :after ORDER BY login_name LIMIT :limit`,
);
const KNOWS_BROWSER = statement(
  'account_knows_browser',
  `SELECT 1 AS known FROM known_browser
   WHERE tenant = :tenant AND sub = :sub AND browser = :browser AND expires_at >= :now`,
);
const HAS = statement(
  'account_has',
  'SELECT 1 AS present FROM account WHERE tenant = :tenant AND sub = :sub',
);
const ADMINISTRATORS = statement(
  'account_administrators',
  'SELECT sub FROM account WHERE tenant = :tenant AND admin_role = :role AND disabled_at IS NULL LIMIT 2',
);
const HOLDER = statement(
  'account_holder',
  'SELECT sub FROM account WHERE tenant = :tenant AND login_name = :login_name',
);
const INSERT = statement(
  'account_insert',
  `INSERT INTO account (tenant, sub, ${CONTENT}) VALUES (:tenant, :sub, ${CONTENT_VALUES})`,
);
const UPDATE = statement(
  'account_update',
  `UPDATE account SET (${CONTENT}) = (${CONTENT_VALUES}) WHERE tenant = :tenant AND sub = :sub`,
);
const REMOVE = statement('account_remove', 'DELETE FROM account WHERE tenant = :tenant AND sub = :sub');
const FORGET_CONSENTS = statement(
  'account_forget_consents',
  'DELETE FROM consent WHERE tenant = :tenant AND sub = :sub',
);
const UNCHANGED = statement(
  'account_unchanged',
  'SELECT 1 AS present FROM account WHERE tenant = :tenant AND sub = :sub AND version = :version',
);
const PUT_BROWSER = statement(
  'browser_put',
  `INSERT INTO known_browser (tenant, sub, browser, expires_at) VALUES (:tenant, :sub, :browser, :expires_at)
   ON CONFLICT (tenant, sub, browser) DO UPDATE
   SET expires_at = greatest(known_browser.expires_at, excluded.expires_at)`,
);
const TRIM_BROWSERS = statement(
  'browser_trim',
  `DELETE FROM known_browser WHERE tenant = :tenant AND sub = :sub AND browser IN
    (SELECT browser FROM known_browser WHERE tenant = :tenant AND sub = :sub
     ORDER BY expires_at DESC OFFSET :browsers_max)`,
);
const FORGET_BROWSERS = statement(
  'browser_forget',
  'DELETE FROM known_browser WHERE tenant = :tenant AND sub = :sub',
);
const SWEEP_BROWSERS = statement(
  'browser_sweep',
  `DELETE FROM known_browser WHERE tenant = :tenant AND (sub, browser) IN
    (SELECT sub, browser FROM known_browser
     WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)`,
);

export const accounts: TenantNoun<
  AccountStore,
  'find' | 'findByLoginName' | 'page' | 'knowsBrowser' | 'list'
> = {
  reads: {
    list: listing(ACCOUNT_LIST),
    find:
      ({ primary }) =>
      async (tenant, sub) =>
        ACCOUNT.readOptional(await primary.lookUp(tenant, FIND, sub)),
    findByLoginName:
      ({ primary }) =>
      async (tenant, name) =>
        ACCOUNT.readOptional(await primary.lookUp(tenant, FIND_BY_LOGIN_NAME, name)),
    page:
      ({ primary }) =>
      async (tenant, after, limit) =>
        (await primary.slowRows(tenant, PAGE, { after: after ?? '', limit })).map(ACCOUNT.read),
    knowsBrowser:
      ({ primary }) =>
      async (tenant, sub, browser, now) =>
        (await primary.rows(tenant, KNOWS_BROWSER, { sub, browser, now })).length > 0,
  },
  writes: {
    create: {
      locksTenant: true,
      async interactive(transaction, tenant, account, event) {
        const { sub } = account;
        if ((await one(transaction.query(HAS, { tenant, sub }))) !== undefined) return 'sub_taken';
        if (await isTaken(transaction, tenant, account)) return 'login_name_taken';
        await transaction.query(INSERT, { tenant, ...ACCOUNT.writeNamed(account) });
        await record(transaction, tenant, event);
        return 'created';
      },
    },
    replace: {
      locksTenant: true,
      async interactive(transaction, tenant, account, replacement) {
        const { expectedVersion, endAll, event, keepsAdministrator = false, signals = [] } = replacement;
        const { sub } = account;
        if (!(await accountIsUnchanged(transaction, tenant, sub, expectedVersion))) {
          return await lost(transaction, tenant, sub);
        }
        if (await isTaken(transaction, tenant, account)) return 'login_name_taken';
        if (keepsAdministrator && !isAdministrator(account) && (await isLast(transaction, tenant, sub)))
          return 'last_administrator';
        await transaction.query(UPDATE, { tenant, ...ACCOUNT.writeNamed(account) });
        const cause = causeOf(event, 'account.update');
        for (const signal of signals) await signalAccount(transaction, tenant, signal, cause);
        if (endAll) await endEverything(transaction, tenant, sub, cause);
        await record(transaction, tenant, event);
        return 'done';
      },
    },
    delete: {
      locksTenant: true,
      async interactive(transaction, tenant, { sub, version }, event, keepsAdministrator = false) {
        if (!(await accountIsUnchanged(transaction, tenant, sub, version))) {
          return await lost(transaction, tenant, sub);
        }
        if (keepsAdministrator && (await isLast(transaction, tenant, sub))) return 'last_administrator';
        await endEverything(transaction, tenant, sub, causeOf(event, 'account.delete'));
        await transaction.query(FORGET_CONSENTS, { tenant, sub });
        await transaction.query(REMOVE, { tenant, sub });
        await record(transaction, tenant, event);
        return 'done';
      },
    },
    rememberBrowser: {
      locksTenant: true,
      async pipelined(transaction, tenant, sub, browser, expires_at, browsersMax) {
        await Promise.all([
          transaction.query(PUT_BROWSER, { tenant, sub, browser, expires_at }),
          transaction.query(TRIM_BROWSERS, { tenant, sub, browsers_max: browsersMax }),
        ]);
      },
    },
    sweepExpired: {
      locksTenant: false,
      pipelined: (transaction, tenant, now, limit) =>
        changed(transaction.query(SWEEP_BROWSERS, { tenant, now, limit })),
    },
  },
};

/** Whether the account still has the version that the caller read. */
export async function accountIsUnchanged(
  transaction: Transaction,
  tenant: TenantId,
  sub: Subject,
  version: number,
): Promise<boolean> {
  return (await one(transaction.query(UNCHANGED, { tenant, sub, version }))) !== undefined;
}

/** Whether this is an enabled administrator, and no other account is. */
async function isLast(transaction: Transaction, tenant: TenantId, sub: Subject): Promise<boolean> {
  const { rows } = await transaction.query(ADMINISTRATORS, { tenant, role: rankOf('administrator') });
  return rows.length === 1 && rows[0]?.['sub'] === sub;
}

/** Why a conditional write changed nothing. */
async function lost(transaction: Transaction, tenant: TenantId, sub: Subject): Promise<ChangeOutcome> {
  return (await one(transaction.query(HAS, { tenant, sub }))) === undefined ? 'absent' : 'changed_meanwhile';
}

/** Whether another account has the login name. */
async function isTaken(
  transaction: Transaction,
  tenant: TenantId,
  { sub, login_name }: StoredAccount,
): Promise<boolean> {
  const held = await one(transaction.query(HOLDER, { tenant, login_name }));
  return held !== undefined && held['sub'] !== sub;
}

/** Ends the sessions and grants of a subject, and forgets its browsers. */
async function endEverything(
  transaction: Transaction,
  tenant: TenantId,
  sub: Subject,
  cause: Cause,
): Promise<void> {
  await endSessionsOf(transaction, tenant, sub, { cause });
  await endGrantsOf(transaction, tenant, sub, cause);
  await transaction.query(FORGET_BROWSERS, { tenant, sub });
}
