import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredTenant, TenantRecord, TenantStore } from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { completeChanges } from '../tenant-changes.ts';
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
  | 'deleted'
  | 'contents';

// One statement sees one state, so a tenant never appears with the names of another version.
const SELECT = `
  SELECT tenant, version, settings, created_at, disabled_at,
    (SELECT json_group_array(issuer ORDER BY position) FROM tenant_issuer AS name WHERE name.tenant = tenant.tenant),
    listed, deleted_at, cleared_at
  FROM tenant`;

const storedTenant = (row: Row): StoredTenant => {
  const [id, version, settings, created_at, disabled_at, names, , deleted_at] = row;
  const [issuer, ...aliases] = JSON.parse(names) as [string, ...string[]];
  return { id, version, issuer, aliases, settings, created_at, disabled_at, deleted_at };
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
  },
  writes: {
    create(database) {
      const known = database.prepare('SELECT deleted_at FROM tenant WHERE tenant = ?');
      const isTaken = nameHolding(database);
      const insert = database.prepare(`
        INSERT INTO tenant (tenant, version, settings, created_at, disabled_at, listed)
        VALUES (?, ?, ?, ?, ?, ${NEXT_VERSION})`);
      const insertNames = nameInsertion(database);
      const changeList = database.prepare(CHANGE_LIST);
      const record = eventRecording(database);
      return ({ id, version, issuer, aliases, settings, created_at, disabled_at }, event) => {
        const holder = known.get(id);
        if (holder !== undefined) return holder['deleted_at'] === null ? 'id_taken' : 'id_deleted';
        const names = [issuer, ...aliases];
        if (isTaken(id, names)) return 'issuer_taken';
        insert.run(id, version, settings, created_at, disabled_at);
        insertNames(id, names, 0);
        changeList.run();
        record(id, event);
        return 'created';
      };
    },
    replace(database) {
      const atVersion = database.prepare(
        'SELECT 1 FROM tenant WHERE tenant = ? AND version = ? AND deleted_at IS NULL',
      );
      const isTaken = nameHolding(database);
      const update = database.prepare(`
        UPDATE tenant SET version = version + 1, settings = ?, disabled_at = ?, listed = ${NEXT_VERSION}
        WHERE tenant = ? AND version = ?`);
      const removeAliases = database.prepare('DELETE FROM tenant_issuer WHERE tenant = ? AND position > 0');
      const insertNames = nameInsertion(database);
      const changeList = database.prepare(CHANGE_LIST);
      const record = eventRecording(database);
      return (id, expectedVersion, { aliases, settings, disabled_at }, event) => {
        if (atVersion.get(id, expectedVersion) === undefined) return 'conflict';
        if (isTaken(id, aliases)) return 'issuer_taken';
        update.run(settings, disabled_at, id, expectedVersion);
        removeAliases.run(id);
        insertNames(id, aliases, 1);
        changeList.run();
        record(id, event);
        return 'replaced';
      };
    },
    ...deletion.writes,
  },
};

/** Whether another tenant has one of the names. */
function nameHolding(database: DatabaseSync): (tenant: TenantId, names: readonly string[]) => boolean {
  const nameOfAnother = database.prepare('SELECT 1 FROM tenant_issuer WHERE issuer = ? AND tenant <> ?');
  return (tenant, names) => names.some((name) => nameOfAnother.get(name, tenant) !== undefined);
}

function nameInsertion(
  database: DatabaseSync,
): (tenant: TenantId, names: readonly string[], first: number) => void {
  const insert = database.prepare('INSERT INTO tenant_issuer (tenant, position, issuer) VALUES (?, ?, ?)');
  return (tenant, names, first) => {
    for (const [index, name] of names.entries()) insert.run(tenant, first + index, name);
  };
}
