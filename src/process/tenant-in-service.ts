import type { Settings } from '../config/settings.ts';
import { buildRouter, type Router } from '../http/router.ts';
import { TenantsBusy } from '../http/tenancy.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { Tenant } from '../tenant/tenant.ts';
import type { OpenTenants, TenantPlace } from './open-tenants.ts';
import { OWN_WORK, type TenantOpenings, type WaitingOpening } from './tenant-openings.ts';

/** A tenant that is not disabled. It opens when it is first needed, so that a start with a thousand tenants makes no keys. */
export interface TenantInService {
  readonly id: TenantId;
  readonly settings: Settings;
  readonly storage: TenantStorage;
  /**
   * Opens the tenant for the server's own work, at most once at a time. Retries after a failure (not sooner than 1 s) and
   * after an eviction.
   */
  opened(): Promise<Tenant>;
  /** Returns the open tenant; undefined while it is closed. */
  current(): Tenant | undefined;
  /**
   * Returns the router of one of its names. A closed tenant opens in the turn of the network that calls it.
   * @rejects TenantsBusy if too many wait
   */
  router(issuer: string, network: () => string, listener?: Listener): Promise<Router>;
  /** Closes the tenant for good. */
  close(): Promise<void>;
}

/** The listeners on which a tenant has endpoints. */
type Listener = 'public' | 'management';

/** Pause after a tenant could not be opened: calls of a broken tenant must not delay the others. */
const RETRY_MS = 1000;

/** The tenants of a process, as one of them sees them. */
export interface AmongTenants {
  readonly open: OpenTenants;
  readonly openings: TenantOpenings;
  readonly count: (outcome: 'opened' | 'failed' | 'refused' | 'closed') => void;
}

type Opening = Pick<TenantInService, 'id' | 'settings' | 'storage'> & {
  readonly open: () => Promise<Tenant>;
  /** Undefined for one that opens at once and stays open. */
  readonly among: AmongTenants | undefined;
};

/** A tenant that opens when it is needed, and may be released again. */
interface HeldTenant {
  current(): Tenant | undefined;
  /** Opens the tenant in the turn of a network. */
  opened(network: string): Promise<Tenant>;
  /** Notes a request: the tenant keeps its place longer. */
  called(): void;
  /** Closes the tenant for good. */
  close(): Promise<void>;
}

function heldTenant({ open, among }: Pick<Opening, 'open' | 'among'>, onRelease: () => void): HeldTenant {
  let tenant: Tenant | undefined;
  let place: TenantPlace | undefined;
  let opening: Promise<Tenant> | undefined;
  let waiting: WaitingOpening | undefined;
  let released = Promise.resolve();
  let isOver = false;
  const release = (): void => {
    const leaving = tenant;
    [tenant, opening, place] = [undefined, undefined, undefined];
    onRelease();
    // Requests that it has under way go on with what they hold.
    if (leaving === undefined) return;
    among?.count('closed');
    released = Promise.all([released, leaving.close()]).then(() => undefined);
  };
  const inTurn = async (network: string): Promise<Tenant> => {
    if (among === undefined) {
      tenant = await open();
      return tenant;
    }
    waiting = among.openings.enter(network);
    const end = await waiting.begins;
    waiting = undefined;
    try {
      const made = await open();
      // Before it takes a place: another opening may release it at once.
      tenant = made;
      among.count('opened');
      if (!isOver) place = among.open.opened({ release }, network);
      return made;
    } finally {
      end();
    }
  };
  const openOnce = async (network: string): Promise<Tenant> => {
    try {
      return await inTurn(network);
    } catch (failure) {
      const again = (): void => {
        opening = undefined;
      };
      waiting = undefined;
      among?.count(failure instanceof TenantsBusy ? 'refused' : 'failed');
      if (failure instanceof TenantsBusy) again();
      else setTimeout(again, RETRY_MS).unref();
      throw failure;
    }
  };
  const openedFor = async (network: string): Promise<Tenant> => {
    if (tenant !== undefined) return tenant;
    if (opening === undefined) opening = openOnce(network);
    else waiting?.join(network);
    return await opening;
  };
  return {
    current: () => tenant,
    opened: openedFor,
    called: () => place?.called(),
    async close() {
      isOver = true;
      place?.leave();
      await released;
      // One that could not be opened has nothing to record.
      await opening?.then((made) => made.close()).catch(() => undefined);
    },
  };
}

export function tenantInService({ id, settings, storage, open, among }: Opening): TenantInService {
  const routers = { public: new Map<string, Router>(), management: new Map<string, Router>() };
  const held = heldTenant({ open, among }, () => {
    routers.public.clear();
    routers.management.clear();
  });
  const routerOf = async (known: Tenant, issuer: string, listener: Listener): Promise<Router> => {
    const site = await (listener === 'public' ? known.site(issuer) : known.managementSite(issuer));
    const router = buildRouter([site]);
    // It may have been closed while it was waited for.
    if (known === held.current()) routers[listener].set(issuer, router);
    return router;
  };
  return {
    id,
    settings,
    storage,
    opened: async () => await held.opened(OWN_WORK),
    current: () => held.current(),
    async router(issuer, network, listener = 'public') {
      held.called();
      const router = routers[listener].get(issuer);
      if (router !== undefined) return router;
      const made = held.current() ?? (await held.opened(network()));
      return routers[listener].get(issuer) ?? (await routerOf(made, issuer, listener));
    },
    close: async () => await held.close(),
  };
}
