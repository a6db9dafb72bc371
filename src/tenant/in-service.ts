import type { Settings } from '../config/settings.ts';
import { buildRouter, type Router } from '../http/router.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { Awaitable } from '../spec/awaitable.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { OpenTenant, OpenTenants } from './open-tenants.ts';
import type { Tenant } from './tenant.ts';

/** A tenant that is not disabled. It is opened when it is needed: a thousand do not make keys at start. */
export interface TenantInService {
  readonly id: TenantId;
  readonly settings: Settings;
  readonly storage: TenantStorage;
  /** Opens it once, whoever asks meanwhile; after a failure again, but not at once; again after it was closed for another one. */
  opened(): Awaitable<Tenant>;
  /** The tenant where it is open; undefined where it is not. */
  current(): Tenant | undefined;
  /** What stands below one of its names. */
  router(issuer: string): Awaitable<Router>;
  /** For good. */
  close(): Promise<void>;
}

/** A tenant that cannot be opened is not tried for so long: whoever calls it must not be able to keep the others waiting. */
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
  const opened = (): Awaitable<Tenant> => {
    if (tenant !== undefined) return tenant;
    opening ??= openOnce();
    return opening;
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
    router(issuer) {
      if (among !== undefined) lastCall = among.called();
      const router = routers.get(issuer);
      if (router !== undefined) return router;
      const known = opened();
      return known instanceof Promise
        ? known.then((made) => routers.get(issuer) ?? routerOf(made, issuer))
        : routerOf(known, issuer);
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
