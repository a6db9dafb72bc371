import type { DatabaseSync } from 'node:sqlite';
import type { TenantStore } from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit.ts';
import { dataVersion } from './journal.ts';
import type { SqliteStore } from './noun.ts';

type Row = readonly [
  tenant: TenantId,
  version: number,
  settings: string,
  created_at: number,
  disabled_at: number | null,
  names: string,
];

const CHANGE_LIST = 'UPDATE tenant_list SET version = version + 1 WHERE id = 1';

export const tenants: SqliteStore<TenantStore, 'version' | 'all'> = {
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
      // One statement sees one state, so a tenant never appears with the names of another version.
      const tenants = lookUps.prepare(`
        SELECT tenant, version, settings, created_at, disabled_at,
          (SELECT json_group_array(issuer ORDER BY position) FROM tenant_issuer AS name WHERE name.tenant = tenant.tenant)
        FROM tenant ORDER BY tenant`);
      tenants.setReturnArrays(true);
      return () =>
        (tenants.all() as unknown as readonly Row[]).map(
          ([id, version, settings, created_at, disabled_at, names]) => {
            const [issuer, ...aliases] = JSON.parse(names) as [string, ...string[]];
            return { id, version, issuer, aliases, settings, created_at, disabled_at };
          },
        );
    },
  },
  writes: {
    create(database) {
      const known = database.prepare('SELECT 1 FROM tenant WHERE tenant = ?');
      const isTaken = nameHolding(database);
      const insert = database.prepare(`
        INSERT INTO tenant (tenant, version, settings, created_at, disabled_at) VALUES (?, ?, ?, ?, ?)`);
      const insertNames = nameInsertion(database);
      const changeList = database.prepare(CHANGE_LIST);
      const record = eventRecording(database);
      return ({ id, version, issuer, aliases, settings, created_at, disabled_at }, event) => {
        if (known.get(id) !== undefined) return 'id_taken';
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
      const atVersion = database.prepare('SELECT 1 FROM tenant WHERE tenant = ? AND version = ?');
      const isTaken = nameHolding(database);
      const update = database.prepare(`
        UPDATE tenant SET version = version + 1, settings = ?, disabled_at = ? WHERE tenant = ? AND version = ?`);
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
