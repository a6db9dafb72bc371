import type { StoredTenant, TenantRecord, TenantStore } from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { completeChanges } from '../tenant-changes.ts';
import { STATE_CONDITIONS } from '../tenant-states.ts';
import { record } from './audit.ts';
import { changed, one, type PostgresStore, type Transaction } from './noun.ts';
import { type Row, statement } from './statement.ts';
import { tenantDeletion as deletion } from './tenant-deletion.ts';
import { CHANGE_LIST, INSERT_NAME, NEXT_VERSION, TAKE_LIST } from './tenant-list.ts';

const VERSION = statement('tenant_list_version', 'SELECT version FROM tenant_list WHERE id = 1');
// One statement sees one state, so a tenant never appears with the names of another version.
const ALL = statement(
  'tenant_all',
  `SELECT tenant.tenant AS tenant, version, settings, created_at, disabled_at, deleted_at, issuer
   FROM tenant JOIN tenant_issuer ON tenant_issuer.tenant = tenant.tenant
   WHERE tenant.cleared_at IS NULL ORDER BY tenant.tenant, tenant_issuer.position`,
);
const CHANGED_SINCE = statement(
  'tenant_changed_since',
  `SELECT tenant.tenant AS tenant, version, settings, created_at, disabled_at, deleted_at, cleared_at, issuer, listed
   FROM tenant JOIN tenant_issuer ON tenant_issuer.tenant = tenant.tenant
   WHERE tenant.listed > :after ORDER BY tenant.tenant, tenant_issuer.position`,
);
const FIND = statement(
  'tenant_find',
  `SELECT tenant.tenant AS tenant, version, settings, created_at, disabled_at, deleted_at, cleared_at, issuer
   FROM tenant JOIN tenant_issuer ON tenant_issuer.tenant = tenant.tenant
   WHERE tenant.tenant = :id ORDER BY tenant_issuer.position`,
);
/** An empty text is in every name. */
const PAGES = new Map<string, ReturnType<typeof statement>>(
  STATE_CONDITIONS.map(([state, condition]) => [
    state,
    statement(
      `tenant_page_${state}`,
      `SELECT chosen.tenant AS tenant, version, settings, created_at, disabled_at, deleted_at, cleared_at, issuer
       FROM (
         SELECT * FROM tenant WHERE tenant > :after AND ${condition} AND (
           strpos(tenant, lower(:search)) > 0 OR (
             SELECT count(*) FROM tenant_issuer AS named
             WHERE named.tenant = tenant.tenant AND strpos(lower(named.issuer), lower(:search)) > 0) > 0)
         ORDER BY tenant LIMIT :limit) AS chosen
       JOIN tenant_issuer ON tenant_issuer.tenant = chosen.tenant
       ORDER BY chosen.tenant, tenant_issuer.position`,
    ),
  ]),
);
const WITH_LOGOUTS = statement('tenant_with_logouts', 'SELECT tenant FROM logout_waiting ORDER BY tenant');
const KNOWN = statement('tenant_known', 'SELECT deleted_at FROM tenant WHERE tenant = :tenant');
const WITH_WEBHOOKS = statement('tenant_with_webhooks', 'SELECT tenant FROM webhook_tenant ORDER BY tenant');
const WITH_EVENT_STREAMS = statement(
  'tenant_with_event_streams',
  'SELECT tenant FROM event_stream_tenant ORDER BY tenant',
);
const NAME_OF_ANOTHER = statement(
  'tenant_name_of_another',
  'SELECT 1 AS present FROM tenant_issuer WHERE issuer = ANY(:names) AND tenant <> :tenant LIMIT 1',
);
const INSERT = statement(
  'tenant_insert',
  `INSERT INTO tenant (tenant, version, settings, created_at, disabled_at, listed)
   VALUES (:tenant, :version, :settings, :created_at, :disabled_at, ${NEXT_VERSION})`,
);
const REMOVE_ALIASES = statement(
  'tenant_remove_aliases',
  'DELETE FROM tenant_issuer WHERE tenant = :tenant AND position > 0',
);
const UPDATE = statement(
  'tenant_update',
  `UPDATE tenant SET version = version + 1, settings = :settings, disabled_at = :disabled_at, listed = ${NEXT_VERSION}
   WHERE tenant = :tenant AND version = :expected`,
);
const AT_VERSION = statement(
  'tenant_at_version',
  'SELECT 1 AS present FROM tenant WHERE tenant = :tenant AND version = :expected AND deleted_at IS NULL',
);

type TenantRead =
  | 'version'
  | 'all'
  | 'find'
  | 'page'
  | 'changedSince'
  | 'withLogouts'
  | 'withWebhooks'
  | 'withEventStreams'
  | 'deleted'
  | 'contents';

export const tenants: PostgresStore<TenantStore, TenantRead> = {
  reads: {
    version:
      ({ primary }) =>
      async () => {
        const [row] = await primary.rows(undefined, VERSION, {});
        return Number(row?.['version']);
      },
    all:
      ({ primary }) =>
      async () => {
        return storedTenants(await primary.rows(undefined, ALL, {}));
      },
    find:
      ({ primary }) =>
      async (id) =>
        tenantRecords(await primary.rows(undefined, FIND, { id }))[0],
    page:
      ({ primary }) =>
      async ({ after = '', limit, search = '', state = 'any' }) => {
        const page = PAGES.get(state);
        return page === undefined
          ? []
          : tenantRecords(await primary.rows(undefined, page, { after, limit, search }));
      },
    changedSince:
      ({ primary }) =>
      async (after, until) => {
        const rows = await primary.rows(undefined, CHANGED_SINCE, { after });
        const tenants = [...Map.groupBy(rows, ({ tenant }) => tenant).values()];
        return completeChanges(
          tenants.map((names) => ({
            tenant: storedTenant(names),
            listed: Number(names[0]?.['listed']),
            isGone: names[0]?.['cleared_at'] !== null,
          })),
          after,
          until,
        );
      },
    withLogouts:
      ({ primary }) =>
      async () =>
        (await primary.rows(undefined, WITH_LOGOUTS, {})).map(({ tenant }) => String(tenant) as TenantId),
    ...deletion.reads,
    withWebhooks:
      ({ primary }) =>
      async () =>
        (await primary.rows(undefined, WITH_WEBHOOKS, {})).map(({ tenant }) => String(tenant) as TenantId),
    withEventStreams:
      ({ primary }) =>
      async () =>
        (await primary.rows(undefined, WITH_EVENT_STREAMS, {})).map(
          ({ tenant }) => String(tenant) as TenantId,
        ),
  },
  writes: {
    create: {
      locksTenant: true,
      async interactive(transaction, tenant, event) {
        const { id, version, issuer, aliases, settings, created_at, disabled_at } = tenant;
        await transaction.query(TAKE_LIST, {});
        const holder = await one(transaction.query(KNOWN, { tenant: id }));
        if (holder !== undefined) return holder['deleted_at'] === null ? 'id_taken' : 'id_deleted';
        const names = [issuer, ...aliases];
        if (await isTaken(transaction, id, names)) return 'issuer_taken';
        await transaction.query(INSERT, { tenant: id, version, settings, created_at, disabled_at });
        await insertNames(transaction, id, names, 0);
        await transaction.query(CHANGE_LIST, {});
        await record(transaction, id, event);
        return 'created';
      },
    },
    replace: {
      locksTenant: true,
      async interactive(transaction, id, expectedVersion, { aliases, settings, disabled_at }, event) {
        await transaction.query(TAKE_LIST, {});
        const place = { tenant: id, expected: expectedVersion };
        if ((await one(transaction.query(AT_VERSION, place))) === undefined) return 'conflict';
        if (await isTaken(transaction, id, aliases)) return 'issuer_taken';
        await changed(transaction.query(UPDATE, { ...place, settings, disabled_at }));
        await transaction.query(REMOVE_ALIASES, place);
        await insertNames(transaction, id, aliases, 1);
        await transaction.query(CHANGE_LIST, {});
        await record(transaction, id, event);
        return 'replaced';
      },
    },
    ...deletion.writes,
  },
};

const storedTenants = (rows: readonly Row[]): readonly StoredTenant[] =>
  [...Map.groupBy(rows, ({ tenant }) => tenant).values()].map(storedTenant);

const tenantRecords = (rows: readonly Row[]): readonly TenantRecord[] =>
  [...Map.groupBy(rows, ({ tenant }) => tenant).values()].map((names) => ({
    ...storedTenant(names),
    cleared_at: (names[0]?.['cleared_at'] ?? null) as number | null,
  }));

/** @param rows one for each name of the tenant, the issuer first */
function storedTenant(rows: readonly Row[]): StoredTenant {
  const [issuer, ...aliases] = rows.map((row) => row['issuer']);
  const { tenant: id, version, settings, created_at, disabled_at, deleted_at } = rows[0] ?? {};
  const times = { created_at, disabled_at, deleted_at };
  return { id, version, issuer, aliases, settings, ...times } as unknown as StoredTenant;
}

async function isTaken(
  transaction: Transaction,
  tenant: TenantId,
  names: readonly string[],
): Promise<boolean> {
  return (await one(transaction.query(NAME_OF_ANOTHER, { tenant, names }))) !== undefined;
}

async function insertNames(
  transaction: Transaction,
  tenant: TenantId,
  names: readonly string[],
  first: number,
): Promise<void> {
  for (const [index, issuer] of names.entries()) {
    await transaction.query(INSERT_NAME, { tenant, position: first + index, issuer });
  }
}
