import { trustedPeer } from './client-address.ts';
import type { RequestHeaders } from './raw-headers.ts';
import type { Match, Router } from './router.ts';
import type { TenantName, TenantNames } from './tenant-names.ts';

/** The tenants of one host. They come and go while it listens. */
export interface Tenancy {
  /** Endpoints that belong to no tenant, whatever a request names. */
  readonly own?: Router;
  /** Tells whether there are several names, without a look into storage. The edge calls it for each request. */
  several(): boolean;
  /** Reads the names as of this call. */
  names(): Promise<TenantNames>;
  /**
   * Returns the router of this name. Rejects if the tenant cannot be opened, with `TenantsBusy` if too many wait for that.
   * @param from returns the network of the requester; called if the tenant is closed
   */
  router(name: TenantName, from: () => string): Promise<Router>;
}

/** Says that more closed tenants are called than may wait for their opening. */
export class TenantsBusy extends Error {
  override readonly name = 'TenantsBusy';
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super('too many tenants wait to be opened (limits.tenants-waiting)');
    this.retryAfterSeconds = Math.max(1, retryAfterSeconds);
  }
}

/** Undefined if the chosen tenant has no such path. */
type Found = Match | 'unknown' | 'contradiction' | undefined;

/** Tells caches which headers the choice of the tenant depends on (RFC 9110 §12.5.5). */
export const VARY_BY_TENANT: readonly string[] = ['vary', 'Issuer, Tenant-ID'];

/** Tells whether a request may be for another tenant than the only one that is known. */
export function namesTenant(headers: RequestHeaders): boolean {
  return headers['issuer'] !== undefined || headers['tenant-id'] !== undefined;
}

/** Returns a function that tells whether a peer may name the tenant: every peer, or only trusted proxies if some are configured (decision 38). */
export function tenantNaming(trustedProxies: readonly string[]): (peer: string) => boolean {
  return trustedProxies.length === 0 ? () => true : trustedPeer(trustedProxies);
}

/**
 * Finds the tenant of a request, and in it the endpoints of a path.
 * @param believed whether the peer may send the headers `Issuer` and `Tenant-ID`
 * @param from returns the network of the requester
 */
export async function findAmongTenants(
  tenancy: Tenancy,
  headers: RequestHeaders,
  path: string,
  believed: boolean,
  from: () => string,
): Promise<Found> {
  const names = await tenancy.names();
  const heeded = believed && names.several;
  const { host } = headers;
  const issuer = heeded ? headers['issuer'] : undefined;
  const tenantId = heeded ? headers['tenant-id'] : undefined;
  const choice = names.choose({ issuer, tenantId, host, path });
  if (typeof choice === 'string') return choice;
  const router = await tenancy.router(choice, from);
  const match = router.find(path);
  if (match !== undefined || (issuer === undefined && tenantId === undefined)) return match;
  // A request that names the tenant in a header need not name it in the path.
  return router.find(choice.path + path);
}
