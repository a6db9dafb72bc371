import type { StoredAccount } from '../../ports/account-store.ts';
import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { Subject, TenantId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import { type Acts, changed, one, type Transaction } from './act.ts';
import { record } from './audit-rows.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { endGrantsOf } from './grant-rows.ts';
import { endSessionsOf } from './session-ending.ts';
import { type Row, statement } from './statement.ts';

const CONTENT = 'version, login_name, username, password_hash, claims, created_at, updated_at, disabled_at';
const CONTENT_VALUES =
  ':version, :login_name, :username, :password_hash, :claims, :created_at, :updated_at, :disabled_at';
const COLUMNS = `sub, ${CONTENT}`;

const FIND = statement(
  'account_find',
  `SELECT sub AS key, ${COLUMNS} FROM account WHERE tenant = :tenant AND sub = ANY(:keys)`,
);
const FIND_BY_LOGIN_NAME = statement(
  'account_find_by_login_name',
  `SELECT login_name AS key, ${COLUMNS} FROM account WHERE tenant = :tenant AND login_name = ANY(:keys)`,
);
const PAGE = statement(
  'account_page',
  `SELECT ${COLUMNS} FROM account WHERE tenant = :tenant AND login_name > :after ORDER BY login_name LIMIT :limit`,
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

export function accountReads(reads: GatheredReads): Reads['accounts'] {
  return {
    find: async (tenant, sub) => account(await reads.lookUp(tenant, FIND, sub)),
    findByLoginName: async (tenant, name) => account(await reads.lookUp(tenant, FIND_BY_LOGIN_NAME, name)),
    page: async (tenant, after, limit) =>
      (await reads.slowRows(tenant, PAGE, { after: after ?? '', limit })) as unknown as StoredAccount[],
    knowsBrowser: async (tenant, sub, browser, now) =>
      (await reads.rows(tenant, KNOWS_BROWSER, { sub, browser, now })).length > 0,
  };
}

function account(row: Row | undefined): StoredAccount | undefined {
  if (row === undefined) return undefined;
  const { key: _key, ...columns } = row;
  return columns as unknown as StoredAccount;
}

/** Whether the account is still as somebody read it. */
export async function accountIsUnchanged(
  transaction: Transaction,
  tenant: TenantId,
  sub: Subject,
  version: number,
): Promise<boolean> {
  return (await one(transaction.ask(UNCHANGED, { tenant, sub, version }))) !== undefined;
}

async function lost(transaction: Transaction, tenant: TenantId, sub: Subject): Promise<ChangeOutcome> {
  return (await one(transaction.ask(HAS, { tenant, sub }))) === undefined ? 'absent' : 'changed_meanwhile';
}

async function isTaken(
  transaction: Transaction,
  tenant: TenantId,
  { sub, login_name }: StoredAccount,
): Promise<boolean> {
  const held = await one(transaction.ask(HOLDER, { tenant, login_name }));
  return held !== undefined && held['sub'] !== sub;
}

async function endEverything(transaction: Transaction, tenant: TenantId, sub: Subject): Promise<void> {
  await endSessionsOf(transaction, tenant, sub);
  await endGrantsOf(transaction, tenant, sub);
  await transaction.ask(FORGET_BROWSERS, { tenant, sub });
}

type Names = 'createAccount' | 'replaceAccount' | 'deleteAccount' | 'rememberBrowser' | 'sweepKnownBrowsers';

export const ACCOUNT_ACTS: Acts<Names> = {
  createAccount: {
    turn: true,
    async steps(transaction, { tenant, account: created, event }) {
      const { sub } = created;
      if ((await one(transaction.ask(HAS, { tenant, sub }))) !== undefined) return 'sub_taken';
      if (await isTaken(transaction, tenant, created)) return 'login_name_taken';
      await transaction.ask(INSERT, { tenant, ...created });
      await record(transaction, tenant, event);
      return 'created';
    },
  },
  replaceAccount: {
    turn: true,
    async steps(transaction, { tenant, account: replaced, replacement }) {
      const { expectedVersion, endAll, event } = replacement;
      const { sub } = replaced;
      if (!(await accountIsUnchanged(transaction, tenant, sub, expectedVersion))) {
        return await lost(transaction, tenant, sub);
      }
      if (await isTaken(transaction, tenant, replaced)) return 'login_name_taken';
      await transaction.ask(UPDATE, { tenant, ...replaced });
      if (endAll) await endEverything(transaction, tenant, sub);
      await record(transaction, tenant, event);
      return 'done';
    },
  },
  deleteAccount: {
    turn: true,
    async steps(transaction, { tenant, account: { sub, version }, event }) {
      if (!(await accountIsUnchanged(transaction, tenant, sub, version))) {
        return await lost(transaction, tenant, sub);
      }
      await endEverything(transaction, tenant, sub);
      await transaction.ask(FORGET_CONSENTS, { tenant, sub });
      await transaction.ask(REMOVE, { tenant, sub });
      await record(transaction, tenant, event);
      return 'done';
    },
  },
  rememberBrowser: {
    turn: true,
    async quick(transaction, { tenant, sub, browser, expires_at, browsersMax }) {
      await Promise.all([
        transaction.ask(PUT_BROWSER, { tenant, sub, browser, expires_at }),
        transaction.ask(TRIM_BROWSERS, { tenant, sub, browsers_max: browsersMax }),
      ]);
      return undefined;
    },
  },
  sweepKnownBrowsers: {
    turn: false,
    quick: (transaction, { tenant, now, limit }) =>
      changed(transaction.ask(SWEEP_BROWSERS, { tenant, now, limit })),
  },
};
