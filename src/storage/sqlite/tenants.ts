import type { DatabaseSync, StatementSync } from 'node:sqlite';
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
import { eventRecording } from './audit.ts';
import { dataVersion } from './journal.ts';
import type { SqliteStore } from './noun.ts';
import { tenantDeletion as deletion } from './tenant-deletion.ts';
import { CHANGE_LIST, NEXT_VERSION } from './tenant-list.ts';

type Row = readonly [
  tenant: TenantId,
  version: number,
  settings: string,
  created_at: number,
  disabled_at: number | null,
  names: string,
  listed: number,
  deleted_at: number | null,
  cleared_at: number | null,
  owner: string | null,
];

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

// One statement sees one state, so a tenant never appears with the names of another version.
const SELECT = `
  SELECT tenant, version, settings, created_at, disabled_at,
    (SELECT json_group_array(issuer ORDER BY position) FROM tenant_issuer AS name WHERE name.tenant = tenant.tenant),
    listed, deleted_at, cleared_at, owner
  FROM tenant`;

const storedTenant = (row: Row): StoredTenant => {
  const [id, version, settings, created_at, disabled_at, names, , deleted_at, , owner] = row;
  const [issuer, ...aliases] = JSON.parse(names) as [string, ...string[]];
  return { id, version, issuer, aliases, settings, owner, created_at, disabled_at, deleted_at };
};

const tenantRecord = (row: Row): TenantRecord => ({ ...storedTenant(row), cleared_at: row[8] });

/** An empty text is in every name. */
const MATCHES = `(instr(tenant.tenant, lower(?2)) > 0 OR EXISTS (
  SELECT 1 FROM tenant_issuer AS named WHERE named.tenant = tenant.tenant AND instr(lower(named.issuer), lower(?2)) > 0))`;

/** Goes from tenant to tenant by the index, however many notifications one has. */
const WITH_LOGOUTS = `
  WITH RECURSIVE waiting (tenant) AS (
    SELECT min(tenant) FROM logout_notification WHERE due_at IS NOT NULL
    UNION ALL
    SELECT (SELECT min(tenant) FROM logout_notification WHERE due_at IS NOT NULL AND tenant > waiting.tenant)
    FROM waiting WHERE waiting.tenant IS NOT NULL)
  SELECT tenant FROM waiting WHERE tenant IS NOT NULL`;

export const tenants: SqliteStore<TenantStore, TenantRead> = {
  reads: {
    version({ lookUps }) {
      const changes = dataVersion(lookUps);
      const current = lookUps.prepare('SELECT version FROM tenant_list WHERE id = 1');
      current.setReturnArrays(true);
      let readAt: number | undefined;
      let version = 0;
      return () => {
        const now = changes();
        if (now !== readAt) {
          [version] = current.get() as unknown as [number];
          readAt = now;
        }
        return version;
      };
    },
    all({ lookUps }) {
      const tenants = lookUps.prepare(`${SELECT} WHERE cleared_at IS NULL ORDER BY tenant`);
      tenants.setReturnArrays(true);
      return () => (tenants.all() as unknown as readonly Row[]).map(storedTenant);
    },
    find({ lookUps }) {
      const tenant = lookUps.prepare(`${SELECT} WHERE tenant = ?`);
      tenant.setReturnArrays(true);
      return (id) => {
        const row = tenant.get(id) as unknown as Row | undefined;
        return row === undefined ? undefined : tenantRecord(row);
      };
    },
    page({ scans }) {
      const pages = new Map<string, StatementSync>(
        STATE_CONDITIONS.map(([state, condition]) => {
          const page = scans.prepare(
            `${SELECT} WHERE tenant > ?1 AND ${condition} AND ${MATCHES} ORDER BY tenant LIMIT ?3`,
          );
          page.setReturnArrays(true);
          return [state, page] as const;
        }),
      );
      return ({ after = '', limit, search = '', state = 'any' }) => {
        const rows = pages.get(state)?.all(after, search, limit) ?? [];
        return (rows as unknown as readonly Row[]).map(tenantRecord);
      };
    },
    changedSince({ lookUps }) {
      const tenants = lookUps.prepare(`${SELECT} WHERE listed > ? ORDER BY tenant`);
      tenants.setReturnArrays(true);
      return (after, until) => {
        const rows = tenants.all(after) as unknown as readonly Row[];
        return completeChanges(
          rows.map((row) => ({ tenant: storedTenant(row), listed: row[6], isGone: row[8] !== null })),
          after,
          until,
        );
      };
    },
    withLogouts({ lookUps }) {
      const waiting = lookUps.prepare(WITH_LOGOUTS);
      return () => waiting.all().map(({ tenant }) => String(tenant) as TenantId);
    },
    ...deletion.reads,
    withWebhooks({ lookUps }) {
      const listed = lookUps.prepare('SELECT tenant FROM webhook_tenant ORDER BY tenant');
      return () => listed.all().map(({ tenant }) => String(tenant) as TenantId);
    },
    withEventStreams({ lookUps }) {
      const listed = lookUps.prepare('SELECT tenant FROM event_stream_tenant ORDER BY tenant');
      return () => listed.all().map(({ tenant }) => String(tenant) as TenantId);
    },
    withBackchannel({ lookUps }) {
      const listed = lookUps.prepare('SELECT tenant FROM backchannel_tenant ORDER BY tenant');
      return () => listed.all().map(({ tenant }) => String(tenant) as TenantId);
    },
  },
  writes: {
    create(database) {
      const change = changing(database);
      return (tenant, event) => creationOutcome(change([{ kind: 'create', tenant, event }]));
    },
    replace(database) {
      const change = changing(database);
      return (id, expectedVersion, content, event) =>
        replacementOutcome(change([{ kind: 'replace', id, expectedVersion, content, event }]));
    },
    changeTogether: changing,
    ...deletion.writes,
  },
};

/** Prepares changes of several tenants. It finds every conflict before it writes anything. */
function changing(database: DatabaseSync): (changes: readonly TenantChange[]) => readonly TenantConflict[] {
  const tenant = database.prepare('SELECT version, deleted_at FROM tenant WHERE tenant = ?');
  const holder = database.prepare('SELECT tenant, position FROM tenant_issuer WHERE issuer = ?');
  const present = {
    tenant: (id: TenantId) => tenant.get(id) as ReturnType<PresentTenants['tenant']>,
    holder: (name: string) => holder.get(name) as ReturnType<PresentTenants['holder']>,
  };
  const insert = database.prepare(`
    INSERT INTO tenant (tenant, version, settings, owner, created_at, disabled_at, listed)
    VALUES (?, ?, ?, ?, ?, ?, ${NEXT_VERSION})`);
  const update = database.prepare(`
    UPDATE tenant SET version = version + 1, settings = ?, owner = ?, disabled_at = ?, listed = ${NEXT_VERSION}
    WHERE tenant = ?`);
  const removeAliases = database.prepare('DELETE FROM tenant_issuer WHERE tenant = ? AND position > 0');
  const insertName = database.prepare(
    'INSERT INTO tenant_issuer (tenant, position, issuer) VALUES (?, ?, ?)',
  );
  const changeList = database.prepare(CHANGE_LIST);
  const record = eventRecording(database);
  const execute = (change: TenantChange): void => {
    const id = idOf(change);
    if (change.kind === 'create') {
      const { version, settings, owner, created_at, disabled_at } = change.tenant;
      insert.run(id, version, settings, owner, created_at, disabled_at);
    } else {
      const { settings, owner, disabled_at } = change.content;
      update.run(settings, owner, disabled_at, id);
    }
    const first = change.kind === 'create' ? 0 : 1;
    for (const [index, name] of namesOf(change).entries()) insertName.run(id, first + index, name);
    record(id, change.event);
  };
  return (changes) => {
    const conflicts = tenantConflicts(changes, present);
    if (conflicts.length > 0 || changes.length === 0) return conflicts;
    // First, because a name may go from one tenant to another.
    for (const change of changes) if (change.kind === 'replace') removeAliases.run(change.id);
    for (const change of changes) execute(change);
    changeList.run();
    return [];
  };
}
