import type { Router } from '../http/router.ts';
import type { Tenancy } from '../http/tenancy.ts';
import { StorageUnavailable } from '../ports/storage.ts';

/**
 * Chooses the tenant of a request on the management listener: by the headers `Issuer` and `Tenant-ID`, otherwise the default
 * tenant. Host and path name none there. An unknown tenant is refused, also where the default one is the only one.
 * @param issuer of the default tenant
 */
export function tenancyByHeaders(tenants: Pick<Tenancy, 'names' | 'router'>, issuer: string): Tenancy {
  return {
    // Health and metrics are found without a look into storage.
    several: () => false,
    async names() {
      const names = await tenants.names();
      return {
        several: true,
        choose: (asked) =>
          names.choose(
            asked.issuer === undefined && asked.tenantId === undefined ? { ...asked, issuer } : asked,
          ),
      };
    },
    router: tenants.router,
  };
}

/**
 * Answers for the management listener: health and metrics from the first moment, the administration while the service runs.
 * @param prefix stands in front of each path of the administration
 */
export function managementTenancy(own: Router, service: () => Tenancy | undefined, prefix: string): Tenancy {
  const running = (): Tenancy => {
    const tenancy = service();
    if (tenancy === undefined)
      throw new StorageUnavailable('the service has not started', { mayComeBack: true });
    return tenancy;
  };
  return {
    own,
    several: () => false,
    names: async () => await running().names(),
    async router(name, from) {
      const router = await running().router(name, from);
      return {
        find: (path) => (path.startsWith(prefix) ? router.find(path.slice(prefix.length)) : undefined),
      };
    },
  };
}
