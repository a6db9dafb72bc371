import type { DatabaseSync } from 'node:sqlite';
import type { AccountStore, StoredAccount } from '../../ports/account-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { OfTenant } from '../of-tenant.ts';

export type AccountReads = OfTenant<Pick<AccountStore, 'find' | 'findByLoginName' | 'page' | 'knowsBrowser'>>;

const COLUMNS = `sub, version, login_name, username, password_hash, claims, created_at, updated_at, disabled_at`;

export function accountReads(database: DatabaseSync): AccountReads {
  const find = database.prepare(`SELECT ${COLUMNS} FROM account WHERE tenant = ? AND sub = ?`);
  const findByLoginName = database.prepare(
    `SELECT ${COLUMNS} FROM account WHERE tenant = ? AND login_name = ?`,
  );
  const page = database.prepare(`
    SELECT ${COLUMNS} FROM account WHERE tenant = ? AND login_name > ? ORDER BY login_name LIMIT ?`);
  const knowsBrowser = database.prepare(
    'SELECT 1 FROM known_browser WHERE tenant = ? AND sub = ? AND browser = ? AND expires_at >= ?',
  );
  const account = (row: object | undefined): StoredAccount | undefined =>
    row === undefined ? undefined : ({ ...row } as StoredAccount);
  return {
    find: (tenant, sub) => account(find.get(tenant, sub)),
    findByLoginName: (tenant, login_name) => account(findByLoginName.get(tenant, login_name)),
    page: (tenant: TenantId, after, limit) =>
      page.all(tenant, after ?? '', limit).map((row) => ({ ...row }) as unknown as StoredAccount),
    knowsBrowser: (tenant, sub, browser, now) => knowsBrowser.get(tenant, sub, browser, now) !== undefined,
  };
}
