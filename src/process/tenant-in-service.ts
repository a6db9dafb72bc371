import type { Settings } from '../config/settings.ts';
import { buildRouter, type Router } from '../http/router.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { Tenant } from '../tenant/tenant.ts';

/** A tenant that is not disabled. It opens when it is first needed, so that a start with a thousand tenants makes no keys. */
export interface TenantInService {
  readonly id: TenantId;
  readonly settings: Settings;
  readonly storage: TenantStorage;
  /** Opens the tenant at most once at a time. Retries after a failure (not sooner than 1 s) and after an eviction. */
  opened(): Promise<Tenant>;
  /** Returns the open tenant; undefined while it is closed. */
  current(): Tenant | undefined;
  /** Returns the router of one of its names. */
  router(issuer: string): Promise<Router>;
  /** Closes the tenant for good. */
  close(): Promise<void>;
}

/** Pause after a tenant could not be opened: calls of a broken tenant must not delay the others. */
const RETRY_MS = 1000;

type Opening = Pick<TenantInService, 'id' | 'settings' | 'storage'> & {
  readonly open: () => Promise<Tenant>;
  /** Undefined for one that stays open. */
  readonly among: OpenTenants | undefined;
};

export function tenantInService({ id, settings, storage, open, among }: Opening): TenantInService {
  const routers = new Map<string, Router>();
  let tenant: Tenant | undefined;
  let opening: Promise<Tenant> | undefined;
  let released = Promise.resolve();
  let lastCall = 0;
  let isOver = false;
  const own: OpenTenant = {
    lastCall: () => lastCall,
    release() {
      const leaving = tenant;
      [tenant, opening] = [undefined, undefined];
      routers.clear();
      // Requests that it has under way go on with what they hold.
      if (leaving !== undefined) released = Promise.all([released, leaving.close()]).then(() => undefined);
    },
  };
  const openOnce = async (): Promise<Tenant> => {
    try {
      const made = await open();
      tenant = made;
      lastCall = among?.called() ?? 0;
      if (!isOver) among?.opened(own);
      return made;
    } catch (failure) {
      setTimeout(() => {
        opening = undefined;
      }, RETRY_MS).unref();
      throw failure;
    }
  };
  const opened = async (): Promise<Tenant> => {
    if (tenant !== undefined) return tenant;
    opening ??= openOnce();
    return await opening;
  };
  const routerOf = (known: Tenant, issuer: string): Router => {
    const router = buildRouter([known.site(issuer)]);
    // It may have been closed while it was waited for.
    if (known === tenant) routers.set(issuer, router);
    return router;
  };
  return {
    id,
    settings,
    storage,
    opened,
    current: () => tenant,
    async router(issuer) {
      if (among !== undefined) lastCall = among.called();
      const router = routers.get(issuer);
      if (router !== undefined) return router;
      const made = await opened();
      return routers.get(issuer) ?? routerOf(made, issuer);
    },
    async close() {
      isOver = true;
      among?.left(own);
      await released;
      // One that could not be opened has nothing to record.
      await opening?.then((made) => made.close()).catch(() => undefined);
    },
  };
}

/** A tenant that is open, as far as it matters for which one is closed. */
interface OpenTenant {
  /** When it was called last, in the order of all calls (`OpenTenants.called`). */
  lastCall(): number;
  /** Closes the tenant. The next request opens it again. */
  release(): void;
}

/** Limits the number of open tenants, and so their caches. Beyond the limit it closes the tenant with the oldest request. */
interface OpenTenants {
  /** Counts a request and returns its number. */
  called(): number;
  opened(tenant: OpenTenant): void;
  /** Called when the tenant is closed, for whatever reason. */
  left(tenant: OpenTenant): void;
}

/** @param onFirstRelease called once: more tenants are called than may be open */
export function openTenantsUpTo(max: number, onFirstRelease: () => void): OpenTenants {
  const open = new Set<OpenTenant>();
  let calls = 0;
  let wasReleased = false;
  return {
    called() {
      calls += 1;
      return calls;
    },
    opened(tenant) {
      let oldest: OpenTenant | undefined;
      if (open.size >= max) {
        for (const each of open)
          if (oldest === undefined || each.lastCall() < oldest.lastCall()) oldest = each;
      }
      open.add(tenant);
      if (oldest === undefined) return;
      open.delete(oldest);
      oldest.release();
      if (!wasReleased) onFirstRelease();
      wasReleased = true;
    },
    left: (tenant) => void open.delete(tenant),
  };
}
