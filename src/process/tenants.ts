import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { Tenancy } from '../http/tenancy.ts';
import { type NamedTenant, type TenantNames, tenantNames } from '../http/tenant-names.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import type { TenantCaches } from '../spec/caches.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { followJournal } from '../storage/journal-follower.ts';
import { processElapsed } from '../system/clock.ts';
import { startRounds } from '../system/rounds.ts';
import type { Platform } from '../tenant/platform.ts';
import { tenantSettings } from '../tenant/settings.ts';
import { openTenant, type Tenant, type TenantNeeds } from '../tenant/tenant.ts';
import { unhurriedKeyMaker } from './key-making.ts';
import { openTenantsUpTo } from './open-tenants.ts';
import { type OpenedParts, openPlatform } from './platform.ts';
import { type AmongTenants, type TenantInService, tenantInService } from './tenant-in-service.ts';
import { type OpeningTime, tenantOpenings } from './tenant-openings.ts';

/** Parts that the process has opened for its tenants. */
export interface TenantsNeeds extends Omit<OpenedParts, 'storage' | 'ownOrigins' | 'metrics'> {
  readonly metrics: OpenedParts['metrics'] & Pick<Metrics, 'countTenant'>;
  readonly mode: Mode;
  readonly storage: Storage;
}

/** The default tenant, and those of the table as they come and go. */
export interface Tenants {
  readonly first: Tenant;
  readonly tenancy: Tenancy;
  /** Returns the tenants that are not disabled, the default one first. */
  all(): Promise<readonly TenantInService[]>;
  close(): Promise<void>;
}

/** Router for a tenant that has just been disabled: it matches nothing. */
const NOTHING = { find: () => undefined };

/**
 * Opens the default tenant; the others open when they are first called. Each choice reads the version of the table
 * first, so a change shows in the next request. A server without tenants looks for the first one every
 * `storage.tenant-check-interval`, and when a request names an unknown tenant.
 */
export async function openTenants(needs: TenantsNeeds): Promise<Tenants> {
  const { settings, storage, log } = needs;
  const register = tenantRegister(needs);
  const follower = followJournal(
    { head: () => storage.tenants.version(), since: () => undefined },
    () => undefined,
  );
  let adopted = 0;
  const catchUp = async (): Promise<void> => {
    await follower.catchUp();
    const updates = follower.updates();
    if (updates === adopted) return;
    const tenants = await storage.tenants.all();
    // A list that was asked for earlier may arrive later.
    if (updates <= adopted) return;
    adopted = updates;
    register.adopt(tenants);
  };
  const lookForFirst = async (): Promise<void> => {
    if (!register.names().several) await catchUp();
  };
  await catchUp();
  const first = await register.find(DEFAULT_TENANT)?.opened();
  if (first === undefined) throw new Error('there is no default tenant');
  const looking = startRounds(settings['storage.tenant-check-interval'], lookForFirst, {
    log,
    failure: 'the tenants could not be read',
  });
  return {
    first,
    tenancy: {
      several: () => register.names().several,
      async names() {
        await catchUp();
        return register.names();
      },
      router: async ({ tenant, issuer }, from) =>
        (await register.find(tenant)?.router(issuer, from)) ?? NOTHING,
    },
    async all() {
      await catchUp();
      return register.all();
    },
    async close() {
      await looking.stop();
      await Promise.all(register.all().map((tenant) => tenant.close()));
    },
  };
}

/** The tenants that are served, as of the last list of tenants. */
interface TenantRegister {
  names(): TenantNames;
  find(id: TenantId): TenantInService | undefined;
  /** The default tenant first. */
  all(): readonly TenantInService[];
  /** Replaces the tenants beside the default one. A tenant that did not change stays open. */
  adopt(tenants: readonly StoredTenant[]): void;
}

const TIME: OpeningTime = {
  seconds: processElapsed.seconds,
  later: (seconds, act) => void setTimeout(act, seconds * 1000).unref(),
};

/** Bounds what strangers cause who call one tenant after the other. */
function boundsOf({ settings, log, metrics }: TenantsNeeds): AmongTenants {
  const perSecond = settings['limits.tenant-openings'];
  return {
    count: (event) => metrics.countTenant(event),
    open: openTenantsUpTo(settings['cache.open-tenants'], TIME, () =>
      log.warn(
        {},
        'more tenants are called than cache.open-tenants keeps open: the others are opened anew when they are called',
      ),
    ),
    openings: tenantOpenings(
      { perSecond, burst: 2 * perSecond, waitingMax: settings['limits.tenants-waiting'] },
      TIME,
    ),
  };
}

interface Serving {
  readonly version: number;
  readonly tenant: TenantInService;
}

function tenantRegister(needs: TenantsNeeds): TenantRegister {
  const { settings, storage, log } = needs;
  const ownOrigins = new Set<string>();
  const platform = openPlatform({ ...needs, ownOrigins });
  const bounds = boundsOf(needs);
  const unhurried = { ...platform.jose, keyMaker: unhurriedKeyMaker(platform.jose.keyMaker, TIME) };
  const inService = (id: TenantId, own: Settings): TenantInService => {
    const isFirst = id === DEFAULT_TENANT;
    const jose = isFirst ? platform.jose : unhurried;
    return tenantInService({
      id,
      settings: own,
      storage: storage.forTenant(id),
      open: async () =>
        await openApart(
          { ...platform, jose, outbound: platform.outbound.apart(id), caches: platform.caches.forTenant() },
          { id, settings: own },
        ),
      among: isFirst ? undefined : bounds,
    });
  };
  const names: NamedTenant = {
    tenant: DEFAULT_TENANT,
    issuers: [settings.issuer, ...settings['issuer-aliases']],
  };
  const first = inService(DEFAULT_TENANT, settings);
  let serving = new Map<TenantId, Serving>();
  let known = tenantNames(names, []);

  const serve = (stored: StoredTenant): Serving | undefined => {
    const { id, version } = stored;
    const kept = serving.get(id);
    if (kept?.version === version) return kept;
    try {
      return { version, tenant: inService(id, settingsOf(needs, stored, names)) };
    } catch (failure) {
      if (!(failure instanceof SettingsError)) throw failure;
      log.error({ tenant: id, detail: failure.message }, 'a tenant with these settings is not served');
      return undefined;
    }
  };
  const adopt = (tenants: readonly StoredTenant[]): void => {
    const before = serving;
    const next = tenants.flatMap((stored): [TenantId, Serving][] => {
      const served = stored.disabled_at === null ? serve(stored) : undefined;
      return served === undefined ? [] : [[stored.id, served]];
    });
    serving = new Map(next);
    for (const [id, { tenant }] of before) if (serving.get(id)?.tenant !== tenant) void tenant.close();
    const others = tenants.map(
      ({ id, issuer, aliases }): NamedTenant => ({
        tenant: id,
        issuers: [issuer, ...aliases],
        closed: !serving.has(id),
      }),
    );
    known = tenantNames(names, others);
    ownOrigins.clear();
    for (const issuer of [names, ...others].flatMap(({ issuers }) => issuers)) {
      ownOrigins.add(new URL(issuer).origin);
    }
  };
  adopt([]);
  return {
    names: () => known,
    find: (id) => (id === DEFAULT_TENANT ? first : serving.get(id)?.tenant),
    all: () => [first, ...[...serving.values()].map(({ tenant }) => tenant)],
    adopt,
  };
}

/** Opens a tenant whose caches give their memory back when it closes, and when it cannot be opened. */
async function openApart(
  platform: Platform & { readonly caches: TenantCaches },
  needs: TenantNeeds,
): Promise<Tenant> {
  const { caches } = platform;
  try {
    const tenant = await openTenant(platform, needs);
    return {
      ...tenant,
      async close() {
        caches.close();
        await tenant.close();
      },
    };
  } catch (failure) {
    caches.close();
    throw failure;
  }
}

/** The table cannot know the names of the default tenant, which the configuration may have changed since. */
function settingsOf(needs: TenantsNeeds, stored: StoredTenant, first: NamedTenant): Settings {
  const { id, issuer, aliases } = stored;
  const taken = [issuer, ...aliases].find((name) => first.issuers.includes(name));
  if (taken !== undefined) {
    throw new SettingsError([
      { path: 'issuer', source: `tenant ${id}`, rule: `must not be one of the default tenant: ${taken}` },
    ]);
  }
  return tenantSettings(needs.settings, stored, needs.mode);
}
