import { trustedPeer } from './client-address.ts';
import type { RequestHeaders } from './raw-headers.ts';
import type { Match, Router } from './router.ts';
import type { TenantName, TenantNames } from './tenant-names.ts';

/** The tenants behind one host; they come and go while it listens. */
export interface Tenancy {
  /** Whether there is anything to choose, as far as is known without asking: asked for each request. */
  several(): boolean;
  /** The names as of this call. */
  names(): Promise<TenantNames>;
  /** What stands below this name. Rejects where the tenant cannot be opened. */
  router(name: TenantName): Promise<Router>;
}

/** Undefined: there is no such path below the chosen name. */
type Found = Match | 'unknown' | 'contradiction' | undefined;

/** What choices depend on, for caches (RFC 9110 §12.5.5). */
export const VARY_BY_TENANT: readonly string[] = ['vary', 'Issuer, Tenant-ID'];

/** Whether this request could be for another than the only site that is known. */
export function namesTenant(headers: RequestHeaders): boolean {
  return headers['issuer'] !== undefined || headers['tenant-id'] !== undefined;
}

/** Decision 38: from trusted proxies only, where some are named; otherwise from everybody. */
export function tenantNaming(trustedProxies: readonly string[]): (peer: string) => boolean {
  return trustedProxies.length === 0 ? () => true : trustedPeer(trustedProxies);
}

/** @param believed whether the headers `Issuer` and `Tenant-ID` come from where they may come from */
export async function findAmongTenants(
  tenancy: Tenancy,
  headers: RequestHeaders,
  path: string,
  believed: boolean,
): Promise<Found> {
  const names = await tenancy.names();
  const heeded = believed && names.several;
  const { host } = headers;
  const issuer = heeded ? headers['issuer'] : undefined;
  const tenantId = heeded ? headers['tenant-id'] : undefined;
  const choice = names.choose({ issuer, tenantId, host, path });
  if (typeof choice === 'string') return choice;
  const router = await tenancy.router(choice);
  const match = router.find(path);
  if (match !== undefined || (issuer === undefined && tenantId === undefined)) return match;
  // A request that names the tenant in a header need not name it in the path.
  return router.find(choice.path + path);
}
