import type { Settings } from './config/settings.ts';
import { buildRouter, type Router } from './http/router.ts';
import type { TenantStorage } from './ports/storage.ts';
import type { Awaitable } from './spec/awaitable.ts';
import type { TenantId } from './spec/identifiers.ts';
import type { Tenant } from './tenant.ts';

/** A tenant that is not disabled. It is opened when it is first needed: a thousand do not make keys at start. */
export interface TenantInService {
  readonly id: TenantId;
  readonly settings: Settings;
  readonly storage: TenantStorage;
  /** Opens it once, whoever asks meanwhile; after a failure again, but not at once. */
  opened(): Awaitable<Tenant>;
  /** The tenant where it is open; undefined where it is not. */
  current(): Tenant | undefined;
  /** What stands below one of its names. */
  router(issuer: string): Awaitable<Router>;
  close(): Promise<void>;
}

/** A tenant that cannot be opened is not tried for so long: whoever calls it must not be able to keep the others waiting. */
const RETRY_MS = 1000;

type Opening = Pick<TenantInService, 'id' | 'settings' | 'storage'> & {
  readonly open: () => Promise<Tenant>;
};

export function tenantInService({ id, settings, storage, open }: Opening): TenantInService {
  const routers = new Map<string, Router>();
  let tenant: Tenant | undefined;
  let opening: Promise<Tenant> | undefined;
  const openOnce = async (): Promise<Tenant> => {
    try {
      tenant = await open();
      return tenant;
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
  const routerOf = (own: Tenant, issuer: string): Router => {
    const router = buildRouter([own.site(issuer)]);
    routers.set(issuer, router);
    return router;
  };
  return {
    id,
    settings,
    storage,
    opened,
    current: () => tenant,
    router(issuer) {
      const router = routers.get(issuer);
      if (router !== undefined) return router;
      const own = opened();
      return own instanceof Promise
        ? own.then((known) => routers.get(issuer) ?? routerOf(known, issuer))
        : routerOf(own, issuer);
    },
    async close() {
      // One that could not be opened has nothing to record.
      await opening?.then((own) => own.close()).catch(() => undefined);
    },
  };
}
