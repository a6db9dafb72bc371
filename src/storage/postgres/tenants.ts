import type {
  StoredTenant,
  TenantChange,
  TenantConflict,
  TenantRecord,
  TenantStore,
} from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { completeChanges } from '../tenant-changes.ts';
import {
  creationOutcome,
  idOf,
  namesOf,
  type PresentTenants,
  replacementOutcome,
  tenantConflicts,
} from '../tenant-conflicts.ts';
import { STATE_CONDITIONS } from '../tenant-states.ts';
import { record } from './audit.ts';
import type { PostgresStore, Transaction } from './noun.ts';
import { ENTER_TENANT, LOCK_TENANT, type Row, statement } from './statement.ts';
import { tenantDeletion as deletion } from './tenant-deletion.ts';
import { CHANGE_LIST, INSERT_NAME, NEXT_VERSION, TAKE_LIST } from './tenant-list.ts';

const VERSION = statement('tenant_list_version', 'SELECT version FROM tenant_list WHERE id = 1');
// One statement sees one state, so a tenant never appears with the names of another version.
const ALL = statement(
  'tenant_all',
  `SELECT tenant.tenant AS tenant, version, settings, owner, created_at, disabled_at, deleted_at, issuer
   FROM tenant JOIN tenant_issuer ON tenant_issuer.tenant = tenant.tenant
   WHERE tenant.cleared_at IS NULL ORDER BY tenant.tenant, tenant_issuer.position`,
);
const CHANGED_SINCE = statement(
  'tenant_changed_since',
  `SELECT tenant.tenant AS tenant, version, settings, owner, created_at, disabled_at, deleted_at, cleared_at, issuer, listed
   FROM tenant JOIN tenant_issuer ON tenant_issuer.tenant = tenant.tenant
   WHERE tenant.listed > :after ORDER BY tenant.tenant, tenant_issuer.position`,
);
const FIND = statement(
  'tenant_find',
  `SELECT tenant.tenant AS tenant, version, settings, owner, created_at, disabled_at, deleted_at, cleared_at, issuer
   FROM tenant JOIN tenant_issuer ON tenant_issuer.tenant = tenant.tenant
   WHERE tenant.tenant = :id ORDER BY tenant_issuer.position`,
);
/** An empty text is in every name. */
const PAGES = new Map<string, ReturnType<typeof statement>>(
  STATE_CONDITIONS.map(([state, condition]) => [
    state,
    statement(
      `tenant_page_${state}`,
      `SELECT chosen.tenant AS tenant, version, settings, owner, created_at, disabled_at, deleted_at, cleared_at, issuer
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
const KNOWN = statement(
  'tenant_known',
  'SELECT tenant, version, deleted_at FROM tenant WHERE tenant = ANY(:ids::text[])',
);
const HOLDERS = statement(
  'tenant_name_holders',
  'SELECT issuer, tenant, position FROM tenant_issuer WHERE issuer = ANY(:names::text[])',
);
const WITH_WEBHOOKS = statement('tenant_with_webhooks', 'SELECT tenant FROM webhook_tenant ORDER BY tenant');
const WITH_BACKCHANNEL = statement(
  'tenant_with_backchannel',
  'SELECT tenant FROM backchannel_tenant ORDER BY tenant',
);
const WITH_EVENT_STREAMS = statement(
  'tenant_with_event_streams',
  'SELECT tenant FROM event_stream_tenant ORDER BY tenant',
);
const INSERT = statement(
  'tenant_insert',
  `INSERT INTO tenant (tenant, version, settings, owner, created_at, disabled_at, listed)
   VALUES (:tenant, :version, :settings, :owner, :created_at, :disabled_at, ${NEXT_VERSION})`,
);
const REMOVE_ALIASES = statement(
  'tenant_remove_aliases',
  'DELETE FROM tenant_issuer WHERE tenant = ANY(:ids::text[]) AND position > 0',
);
const UPDATE = statement(
  'tenant_update',
  `UPDATE tenant SET version = version + 1, settings = :settings, owner = :owner, disabled_at = :disabled_at,
   listed = ${NEXT_VERSION} WHERE tenant = :tenant`,
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
  | 'withBackchannel'
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
    withBackchannel:
      ({ primary }) =>
      async () =>
        (await primary.rows(undefined, WITH_BACKCHANNEL, {})).map(({ tenant }) => String(tenant) as TenantId),
  },
  writes: {
    create: {
      locksTenant: true,
      interactive: async (transaction, tenant, event) =>
        creationOutcome(await change(transaction, [{ kind: 'create', tenant, event }])),
    },
    replace: {
      locksTenant: true,
      interactive: async (transaction, id, expectedVersion, content, event) =>
        replacementOutcome(
          await change(transaction, [{ kind: 'replace', id, expectedVersion, content, event }]),
        ),
    },
    changeTogether: { locksTenant: false, interactive: changeTogether },
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
  const { tenant: id, version, settings, owner, created_at, disabled_at, deleted_at } = rows[0] ?? {};
  const times = { created_at, disabled_at, deleted_at };
  return { id, version, issuer, aliases, settings, owner, ...times } as unknown as StoredTenant;
}

/** Locks each tenant before the list, as writes to one tenant do: the other order would be a deadlock. */
async function changeTogether(
  transaction: Transaction,
  changes: readonly TenantChange[],
): Promise<readonly TenantConflict[]> {
  for (const tenant of [...new Set(changes.map(idOf))].toSorted()) {
    await transaction.query(ENTER_TENANT, { tenant });
    await transaction.query(LOCK_TENANT, { tenant });
  }
  return await change(transaction, changes);
}

/** Changes tenants in a transaction that holds their locks. It finds every conflict before it writes anything. */
async function change(
  transaction: Transaction,
  changes: readonly TenantChange[],
): Promise<readonly TenantConflict[]> {
  await transaction.query(TAKE_LIST, {});
  const conflicts = tenantConflicts(changes, await presentTenants(transaction, changes));
  if (conflicts.length > 0 || changes.length === 0) return conflicts;
  // First, because a name may go from one tenant to another.
  const replaced = changes.filter(({ kind }) => kind === 'replace').map(idOf);
  if (replaced.length > 0) await transaction.query(REMOVE_ALIASES, { ids: replaced });
  for (const one of changes) await execute(transaction, one, changes.length > 1);
  await transaction.query(CHANGE_LIST, {});
  return [];
}

async function presentTenants(
  transaction: Transaction,
  changes: readonly TenantChange[],
): Promise<PresentTenants> {
  const known = await transaction.query(KNOWN, { ids: changes.map(idOf) });
  const held = await transaction.query(HOLDERS, { names: changes.flatMap(namesOf) });
  const tenants = new Map(known.rows.map((row) => [row['tenant'], row]));
  const holders = new Map(held.rows.map((row) => [row['issuer'], row]));
  return {
    tenant: (id) => tenants.get(id) as ReturnType<PresentTenants['tenant']>,
    holder: (name) => holders.get(name) as ReturnType<PresentTenants['holder']>,
  };
}

/** @param entersTenant whether the transaction is about several tenants, so that it enters each one for its event */
async function execute(transaction: Transaction, change: TenantChange, entersTenant: boolean): Promise<void> {
  const tenant = idOf(change);
  if (entersTenant) await transaction.query(ENTER_TENANT, { tenant });
  if (change.kind === 'create') {
    const { version, settings, owner, created_at, disabled_at } = change.tenant;
    await transaction.query(INSERT, { tenant, version, settings, owner, created_at, disabled_at });
  } else {
    const { settings, owner, disabled_at } = change.content;
    await transaction.query(UPDATE, { tenant, settings, owner, disabled_at });
  }
  const first = change.kind === 'create' ? 0 : 1;
  for (const [index, issuer] of namesOf(change).entries())
    await transaction.query(INSERT_NAME, { tenant, position: first + index, issuer });
  await record(transaction, tenant, change.event);
}
