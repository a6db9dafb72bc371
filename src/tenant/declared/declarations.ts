import type { TenantDeclarations } from '../../ports/declared-tenants.ts';
import type { StoredTenant } from '../../ports/tenant-store.ts';
import { prepareTenants, storeTenants } from './apply-tenants.ts';
import type { DeclaredNeeds } from './declared-tenant.ts';
import { planTenants } from './plan-tenants.ts';

/** Returns the acts on tenants that files declare. */
export function tenantDeclarations(needs: DeclaredNeeds): TenantDeclarations {
  return {
    plan: async (declared, options) => await planTenants(needs, declared, options),
    ownedBy: async (owner) => (await needs.tenants.all()).filter((tenant) => isOf(tenant, owner)),
    prepare: async (steps, options) => await prepareTenants(needs, steps, options),
    store: async (prepared) => await storeTenants(needs, prepared),
  };
}

/** A tenant that is being deleted has no owner any longer: its row stays for its id. */
const isOf = (tenant: StoredTenant, owner: string): boolean =>
  tenant.owner === owner && tenant.deleted_at === null;
