import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { type NamedTenant, type TenantNames, tenantNames } from '../http/tenant-names.ts';
import type { KeyEvent } from '../keys/server-key-life.ts';
import type { Log } from '../ports/log.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Storage } from '../ports/storage.ts';
import type { StoredTenant } from '../ports/tenant-store.ts';
import { DEFAULT_TENANT, type TenantId } from '../spec/identifiers.ts';
import { type TenantInService, tenantInService } from './in-service.ts';
import { openTenantsUpTo } from './open-tenants.ts';
import { openOutbound } from './outbound.ts';
import { tenantSettings } from './settings.ts';
import { openTenant, type Tenant, type TenantNeeds } from './tenant.ts';

export interface TenantsNeeds {
  readonly settings: Settings;
  readonly mode: Mode;
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly log: Log;
  readonly passwords: PasswordHasher;
  readonly onKeyEvent: (event: KeyEvent) => void;
  readonly onLogoutAttempt: NonNullable<TenantNeeds['onLogoutAttempt']>;
  readonly certificateAuthorities: TenantNeeds['certificateAuthorities'];
}

/** Who is served, as of the last list of tenants. */
export interface TenantRegister {
  names(): TenantNames;
  find(id: TenantId): TenantInService | undefined;
  /** The default tenant first. */
  all(): readonly TenantInService[];
  /** From now on these are the tenants beside the default one. What did not change stays open. */
  adopt(tenants: readonly StoredTenant[]): void;
}

/** Making the keys of a new tenant takes a core for a moment: the others go on meanwhile. */
const OPENINGS_AT_ONCE = 2;

interface Serving {
  readonly version: number;
  readonly tenant: TenantInService;
}

export function tenantRegister(needs: TenantsNeeds): TenantRegister {
  const { settings, storage, log } = needs;
  const ownOrigins = new Set<string>();
  const outbound = openOutbound(settings, ownOrigins);
  const inTurn = atMost(OPENINGS_AT_ONCE);
  const among = openTenantsUpTo(settings['cache.open-tenants'], () =>
    log.warn(
      {},
      'more tenants are called than cache.open-tenants keeps open: the others are opened anew when they are called',
    ),
  );
  const inService = (id: TenantId, own: Settings): TenantInService => {
    const open = async (): Promise<Tenant> =>
      await openTenant({ ...needs, id, settings: own, outbound: outbound.apart() });
    return tenantInService({
      id,
      settings: own,
      storage: storage.forTenant(id),
      open: () => inTurn(open),
      among: id === DEFAULT_TENANT ? undefined : among,
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

/** Runs so many acts at a time; the others wait for their turn. */
function atMost(limit: number): <T>(act: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = limit;
  return async (act) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
