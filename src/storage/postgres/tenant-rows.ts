import type { StoredTenant, TenantStore } from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { type Acts, changed, one, type Transaction } from './act.ts';
import { record } from './audit-rows.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { type Row, statement } from './statement.ts';

const VERSION = statement('tenant_list_version', 'SELECT version FROM tenant_list WHERE id = 1');
// One statement sees one state: never a tenant with the names of another version.
const ALL = statement(
  'tenant_all',
  `SELECT tenant.tenant AS tenant, version, settings, created_at, disabled_at, issuer
   FROM tenant JOIN tenant_issuer ON tenant_issuer.tenant = tenant.tenant
   ORDER BY tenant.tenant, tenant_issuer.position`,
);
/** Names are unique among all tenants: of acts that give some, one happens at a time. */
const TAKE_LIST = statement('tenant_list_take', 'UPDATE tenant_list SET version = version WHERE id = 1');
const CHANGE_LIST = statement(
  'tenant_list_change',
  'UPDATE tenant_list SET version = version + 1 WHERE id = 1',
);
const KNOWN = statement('tenant_known', 'SELECT 1 AS present FROM tenant WHERE tenant = :tenant');
const NAME_OF_ANOTHER = statement(
  'tenant_name_of_another',
  'SELECT 1 AS present FROM tenant_issuer WHERE issuer = ANY(:names) AND tenant <> :tenant LIMIT 1',
);
const INSERT = statement(
  'tenant_insert',
  `INSERT INTO tenant (tenant, version, settings, created_at, disabled_at)
   VALUES (:tenant, :version, :settings, :created_at, :disabled_at)`,
);
const INSERT_NAME = statement(
  'tenant_insert_name',
  'INSERT INTO tenant_issuer (tenant, position, issuer) VALUES (:tenant, :position, :issuer)',
);
const REMOVE_ALIASES = statement(
  'tenant_remove_aliases',
  'DELETE FROM tenant_issuer WHERE tenant = :tenant AND position > 0',
);
const UPDATE = statement(
  'tenant_update',
  `UPDATE tenant SET version = version + 1, settings = :settings, disabled_at = :disabled_at
   WHERE tenant = :tenant AND version = :expected`,
);
const AT_VERSION = statement(
  'tenant_at_version',
  'SELECT 1 AS present FROM tenant WHERE tenant = :tenant AND version = :expected',
);

export function tenantReads(reads: GatheredReads): Pick<TenantStore, 'version' | 'all'> {
  return {
    async version() {
      const [row] = await reads.rows(undefined, VERSION, {});
      return Number(row?.['version']);
    },
    async all() {
      const rows = await reads.rows(undefined, ALL, {});
      return [...Map.groupBy(rows, ({ tenant }) => tenant).values()].map(storedTenant);
    },
  };
}

/** A row for each of its names, the issuer first. */
function storedTenant(rows: readonly Row[]): StoredTenant {
  const [issuer, ...aliases] = rows.map((row) => row['issuer']);
  const { tenant: id, version, settings, created_at, disabled_at } = rows[0] ?? {};
  return { id, version, issuer, aliases, settings, created_at, disabled_at } as unknown as StoredTenant;
}

async function isTaken(
  transaction: Transaction,
  tenant: TenantId,
  names: readonly string[],
): Promise<boolean> {
  return (await one(transaction.ask(NAME_OF_ANOTHER, { tenant, names }))) !== undefined;
}

async function insertNames(
  transaction: Transaction,
  tenant: TenantId,
  names: readonly string[],
  first: number,
): Promise<void> {
  for (const [index, issuer] of names.entries()) {
    await transaction.ask(INSERT_NAME, { tenant, position: first + index, issuer });
  }
}

export const TENANT_ACTS: Acts<'createTenant' | 'replaceTenant'> = {
  createTenant: {
    turn: true,
    async steps(transaction, { tenant, event }) {
      const { id, version, issuer, aliases, settings, created_at, disabled_at } = tenant;
      await transaction.ask(TAKE_LIST, {});
      if ((await one(transaction.ask(KNOWN, { tenant: id }))) !== undefined) return 'id_taken';
      const names = [issuer, ...aliases];
      if (await isTaken(transaction, id, names)) return 'issuer_taken';
      await transaction.ask(INSERT, { tenant: id, version, settings, created_at, disabled_at });
      await insertNames(transaction, id, names, 0);
      await transaction.ask(CHANGE_LIST, {});
      await record(transaction, id, event);
      return 'created';
    },
  },
  replaceTenant: {
    turn: true,
    async steps(transaction, { id, expectedVersion, content, event }) {
      const { aliases, settings, disabled_at } = content;
      await transaction.ask(TAKE_LIST, {});
      const place = { tenant: id, expected: expectedVersion };
      if ((await one(transaction.ask(AT_VERSION, place))) === undefined) return 'conflict';
      if (await isTaken(transaction, id, aliases)) return 'issuer_taken';
      await changed(transaction.ask(UPDATE, { ...place, settings, disabled_at }));
      await transaction.ask(REMOVE_ALIASES, place);
      await insertNames(transaction, id, aliases, 1);
      await transaction.ask(CHANGE_LIST, {});
      await record(transaction, id, event);
      return 'replaced';
    },
  },
};
