import type { DatabaseSync } from 'node:sqlite';
import type { StoredTenant } from '../../ports/tenant-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';

interface TenantReads {
  version(): number;
  all(): readonly StoredTenant[];
}

type Row = readonly [
  tenant: TenantId,
  version: number,
  settings: string,
  created_at: number,
  disabled_at: number | null,
  names: string,
];

export function tenantReads(database: DatabaseSync): TenantReads {
  // Changes when any other connection, in any process, has committed anything; asking costs less than a look-up.
  const dataVersion = database.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const current = database.prepare('SELECT version FROM tenant_list WHERE id = 1');
  current.setReturnArrays(true);
  // One statement sees one state: never a tenant with the names of another version.
  const tenants = database.prepare(`
    SELECT tenant, version, settings, created_at, disabled_at,
      (SELECT json_group_array(issuer ORDER BY position) FROM tenant_issuer AS name WHERE name.tenant = tenant.tenant)
    FROM tenant ORDER BY tenant`);
  tenants.setReturnArrays(true);
  let readAt: number | undefined;
  let version = 0;

  return {
    version() {
      const [now] = dataVersion.get() as unknown as [number];
      if (now !== readAt) {
        [version] = current.get() as unknown as [number];
        readAt = now;
      }
      return version;
    },
    all() {
      return (tenants.all() as unknown as readonly Row[]).map(
        ([id, version, settings, created_at, disabled_at, names]) => {
          const [issuer, ...aliases] = JSON.parse(names) as [string, ...string[]];
          return { id, version, issuer, aliases, settings, created_at, disabled_at };
        },
      );
    },
  };
}
