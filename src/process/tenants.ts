import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Mode } from '../config/rules.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { TenantOverrides } from '../config/tenant-overrides.ts';
import type { ConsoleNeeds } from '../endpoints/console/endpoint.ts';
import type { Tenancy } from '../http/tenancy.ts';
import { type NamedTenant, type TenantNames, tenantNames } from '../http/tenant-names.ts';
import type { Backups } from '../ports/backup-store.ts';
import type { Storage, TenantStorage } from '../ports/storage.ts';
import type { StoredTenant, TenantChanges } from '../ports/tenant-store.ts';
import type { TenantCaches } from '../spec/caches.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { followJournal } from '../storage/journal-follower.ts';
import { processElapsed } from '../system/clock.ts';
import { startRounds } from '../system/rounds.ts';
import type { Platform } from '../tenant/platform.ts';
import { resolvedTenant, tenantSettings } from '../tenant/settings.ts';
import { openTenant, type Tenant, type TenantNeeds } from '../tenant/tenant.ts';
import { tenancyByHeaders } from './administration.ts';
import { inTurn } from './in-turn.ts';
import { unhurriedKeyMaker } from './key-making.ts';
import { openTenantsUpTo } from './open-tenants.ts';
import { type OpenedParts, openPlatform } from './platform.ts';
import { type AmongTenants, type TenantInService, tenantInService } from './tenant-in-service.ts';
import { type OpeningTime, tenantOpenings } from './tenant-openings.ts';

/** Parts that the process has opened for its tenants. */
export interface TenantsNeeds extends Omit<OpenedParts, 'storage' | 'ownOrigins' | 'metrics'> {
  readonly metrics: OpenedParts['metrics'];
  readonly mode: Mode;
  readonly storage: Storage;
  /** Absent for commands. */
  readonly backups?: Backups;
  readonly console?: ConsoleNeeds;
}

/** The default tenant, and those of the table as they come and go. */
export interface Tenants {
  readonly first: Tenant;
  readonly tenancy: Tenancy;
  /** The administration of the tenants, for the management listener. */
  readonly administration: Tenancy;
  /** Returns the tenants that have logout tokens to deliver. Asks once for all tenants. */
  withLogouts(): Promise<readonly TenantInService[]>;
  /** Returns the tenants that have webhooks. Asks once for all tenants. */
  withWebhooks(): Promise<readonly TenantInService[]>;
  /** Returns the tenants that have streams of security events. Asks once for all tenants. */
  withEventStreams(): Promise<readonly TenantInService[]>;
  /** The tenants whose clients wait for a notification about a request without a browser. */
  withBackchannel(): Promise<readonly TenantInService[]>;
  /** Returns the open tenants, the default one first. */
  open(): Promise<readonly TenantInService[]>;
  /** Returns how many tenants are not disabled, as of the last look. */
  count(): number;
  /** Returns a tenth of the closed tenants: each has its turn in ten calls. */
  someClosed(): Promise<readonly ClosedTenant[]>;
  close(): Promise<void>;
}

/** A tenant that is not open, as far as its upkeep asks. Its settings are not parsed, because tenants may be many. */
export interface ClosedTenant {
  readonly id: TenantId;
  storage(): TenantStorage;
  /** Returns one of its settings, which may be its own. */
  seconds(
    path:
      | 'audit.lifetime'
      | 'federation.expired-client-retention'
      | 'history.deleted-lifetime'
      | 'history.lifetime'
      | 'history.versions-per-client'
      | 'logout.log-lifetime'
      | 'registration.idle-client-lifetime',
  ): number;
  /** Returns undefined if the settings are not valid. */
  tenant(): TenantInService | undefined;
}

/** Router for a tenant that has just been disabled: it matches nothing. */
const NOTHING = { find: () => undefined };

/** A closed tenant gets no new rows here, so its expired ones may wait for some rounds. */
const ROUNDS_FOR_CLOSED = 10;

/**
 * Opens the default tenant; the others open when they are first called. Each choice reads the version of the table
 * first, so a change shows in the next request. A server without tenants looks for the first one every
 * `storage.tenant-check-interval`, and when a request names an unknown tenant.
 */
export async function openTenants(needs: TenantsNeeds): Promise<Tenants> {
  const { settings, storage, log } = needs;
  const register = tenantRegister(needs);
  const closedInTurn = inTurn<ClosedTenant>(ROUNDS_FOR_CLOSED);
  const heads = { head: () => storage.tenants.version(), since: () => undefined };
  const follower = followJournal(heads, () => undefined);
  let adopted = { updates: 0, version: Infinity };
  const catchUp = async (): Promise<void> => {
    await follower.catchUp();
    const updates = follower.updates();
    if (updates === adopted.updates) return;
    const now = { updates, version: await storage.tenants.version() };
    // A version that went back belongs to another list, for example after a restoration.
    const isOlder = now.version < adopted.version;
    const changed = isOlder ? undefined : await storage.tenants.changedSince(adopted.version, now.version);
    const changes = changed ?? { tenants: await storage.tenants.all(), gone: [] };
    // An earlier question may be answered later.
    if (now.updates <= adopted.updates) return;
    adopted = now;
    register.adopt(changes, changed === undefined);
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
  const names = async (): Promise<TenantNames> => {
    await catchUp();
    return register.names();
  };
  const found = foundAfter(catchUp, register);
  return {
    first,
    tenancy: {
      several: () => register.names().several,
      names,
      router: async ({ tenant, issuer }, from) =>
        (await register.find(tenant)?.router(issuer, from)) ?? NOTHING,
    },
    administration: tenancyByHeaders(
      {
        names,
        router: async ({ tenant, issuer }, from) =>
          (await register.find(tenant)?.router(issuer, from, 'management')) ?? NOTHING,
      },
      settings.issuer,
    ),
    withLogouts: async () => await found(() => storage.tenants.withLogouts()),
    withWebhooks: async () => await found(() => storage.tenants.withWebhooks()),
    withEventStreams: async () => await found(() => storage.tenants.withEventStreams()),
    withBackchannel: async () => await found(() => storage.tenants.withBackchannel()),
    async open() {
      await catchUp();
      return register.open();
    },
    count: () => register.open().length + register.closed().length,
    async someClosed() {
      await catchUp();
      return closedInTurn(register.closed());
    },
    async close() {
      await looking.stop();
      await Promise.all(register.made().map((tenant) => tenant.close()));
    },
  };
}

/** Returns a function that returns those of some tenants that are served. The list is read after the catch-up: an unhandled rejection ends the process. */
function foundAfter(
  catchUp: () => Promise<void>,
  register: Pick<TenantRegister, 'find'>,
): (ids: () => Promise<readonly TenantId[]>) => Promise<readonly TenantInService[]> {
  return async (ids) => {
    await catchUp();
    return (await ids()).flatMap((id) => register.find(id) ?? []);
  };
}

/** The tenants that are served, as of the last change of the list of tenants. */
interface TenantRegister {
  names(): TenantNames;
  /** Returns a tenant that is not disabled; undefined if there is none, or if its settings are not valid. */
  find(id: TenantId): TenantInService | undefined;
  /** Returns the tenants that are open, the default one first. */
  open(): readonly TenantInService[];
  /** Returns the tenants that are not disabled and not open. */
  closed(): readonly ClosedTenant[];
  /** Returns the tenants that were called since they changed last, the default one first. */
  made(): readonly TenantInService[];
  /**
   * Replaces tenants beside the default one, and closes those that are gone. A tenant that did not change stays open.
   * @param isWhole whether tenants that are not among these are gone
   */
  adopt(changes: TenantChanges, isWhole: boolean): void;
}

const TIME: OpeningTime = {
  seconds: processElapsed.seconds,
  later: (seconds, act) => void setTimeout(act, seconds * 1000).unref(),
};

/** Bounds what strangers cause who call one tenant after the other. */
function boundsOf({ settings, log, metrics }: TenantsNeeds): AmongTenants {
  const perSecond = settings['limits.tenant-openings'];
  return {
    count: (outcome) => metrics.count('chancery_tenant_openings_total', { outcome }),
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

/** A tenant of the table. Its settings are read when it is first called. */
interface Listed extends ClosedTenant {
  readonly version: number;
  /** Returns the tenant if it was called. */
  made(): TenantInService | undefined;
}

function listed(
  { id, version, settings: own }: StoredTenant,
  { settings, storage }: TenantsNeeds,
  make: () => TenantInService | undefined,
): Listed {
  let known: { readonly tenant: TenantInService | undefined } | undefined;
  return {
    id,
    version,
    storage: () => storage.forTenant(id),
    seconds(path) {
      const value = (JSON.parse(own) as TenantOverrides)[path];
      return typeof value === 'number' ? value : settings[path];
    },
    tenant() {
      known ??= { tenant: make() };
      return known.tenant;
    },
    made: () => known?.tenant,
  };
}

const isOpen = (tenant: TenantInService | undefined): boolean => tenant?.current() !== undefined;

function tenantRegister(needs: TenantsNeeds): TenantRegister {
  const { settings, log } = needs;
  const names: NamedTenant = {
    tenant: DEFAULT_TENANT,
    issuers: [settings.issuer, ...settings['issuer-aliases']],
  };
  const known = tenantNames(names);
  const inService = servingWith(needs, known.origins, () => first.current()?.adminTokens);
  const first: TenantInService = inService(DEFAULT_TENANT, { settings });
  const serving = new Map<TenantId, Listed>();
  /** With the disabled ones. */
  const ids = new Set<TenantId>();

  const serve = (stored: StoredTenant): TenantInService | undefined => {
    try {
      return inService(stored.id, settingsOf(needs, stored, names));
    } catch (failure) {
      if (!(failure instanceof SettingsError)) throw failure;
      log.error({ tenant: stored.id, detail: failure.message }, 'a tenant with these settings is not served');
      return undefined;
    }
  };
  const end = (id: TenantId): void => {
    void serving.get(id)?.made()?.close();
    serving.delete(id);
  };
  /** Their names may belong to other tenants from now on. */
  const leave = (gone: readonly TenantId[]): void => {
    gone.forEach(end);
    for (const id of gone) ids.delete(id);
    known.remove(gone);
  };
  const made = (): readonly TenantInService[] => [
    first,
    ...[...serving.values()].flatMap((each) => each.made() ?? []),
  ];
  return {
    names: () => known,
    find: (id) => (id === DEFAULT_TENANT ? first : serving.get(id)?.tenant()),
    made,
    open: () => made().filter(isOpen),
    closed: () =>
      serving
        .values()
        .filter((each) => !isOpen(each.made()))
        .toArray(),
    adopt({ tenants, gone }, isWhole) {
      leave(gone);
      const changed = tenants.filter(({ id, version }) => serving.get(id)?.version !== version);
      for (const stored of changed) {
        end(stored.id);
        ids.add(stored.id);
        if (stored.disabled_at === null)
          serving.set(
            stored.id,
            listed(stored, needs, () => serve(stored)),
          );
      }
      known.put(
        changed.map(({ id, issuer, aliases, disabled_at }) => ({
          tenant: id,
          issuers: [issuer, ...aliases],
          closed: disabled_at !== null,
        })),
      );
      if (!isWhole) return;
      const there = new Set(tenants.map(({ id }) => id));
      leave([...ids].filter((id) => !there.has(id)));
    },
  };
}

/** The settings of a tenant, and the source of each; absent for the default tenant, which has those of the process. */
type OwnSettings = Pick<ResolvedSettings, 'settings'> & Partial<ResolvedSettings>;

/** Returns a function that takes a tenant into service. */
function servingWith(
  needs: TenantsNeeds,
  ownOrigins: ReadonlySet<string>,
  superiorAdmins: NonNullable<Platform['superiorAdmins']>,
): (id: TenantId, own: OwnSettings) => TenantInService {
  const platform = openPlatform({ ...needs, ownOrigins });
  const bounds = boundsOf(needs);
  const unhurried = { ...platform.jose, keyMaker: unhurriedKeyMaker(platform.jose.keyMaker, TIME) };
  return (id, own) => {
    const isFirst = id === DEFAULT_TENANT;
    const jose = isFirst ? platform.jose : unhurried;
    return tenantInService({
      id,
      settings: own.settings,
      storage: needs.storage.forTenant(id),
      open: async () =>
        await openApart(
          {
            ...platform,
            ...(isFirst
              ? {
                  tenants: { store: needs.storage.tenants, mode: needs.mode },
                  ...(needs.backups === undefined ? {} : { backups: needs.backups }),
                  ...(needs.console === undefined ? {} : { console: needs.console }),
                }
              : { superiorAdmins }),
            jose,
            outbound: platform.outbound.apart(id),
            caches: platform.caches.forTenant(),
          },
          { id, ...own },
        ),
      among: isFirst ? undefined : bounds,
    });
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
function settingsOf(needs: TenantsNeeds, stored: StoredTenant, first: NamedTenant): OwnSettings {
  const { id, issuer, aliases } = stored;
  const taken = [issuer, ...aliases].find((name) => first.issuers.includes(name));
  if (taken !== undefined) {
    throw new SettingsError([
      { path: 'issuer', source: `tenant ${id}`, rule: `must not be one of the default tenant: ${taken}` },
    ]);
  }
  const { settings, server, mode } = needs;
  if (server === undefined) return { settings: tenantSettings(settings, stored, mode) };
  const origins = server.origins as ResolvedSettings['origins'];
  return resolvedTenant({ settings, origins }, stored, mode);
}
