import type { Mode } from '../config/rules.ts';
import { type SettingPath, type Settings, settingAt } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import { keptOverrides, type TenantOverrides } from '../config/tenant-overrides.ts';
import type { Clock } from '../ports/clock.ts';
import type { TenantDirectory, TenantMistakes } from '../ports/tenant-directory.ts';
import type { StoredTenant, TenantStore } from '../ports/tenant-store.ts';
import { tenantSettings } from './settings.ts';
import { TakenNames } from './taken-names.ts';
import { removeTenantRows } from './tenant-deletion.ts';

export interface TenantRules {
  /** The settings of the process, which the default tenant has. */
  readonly settings: Settings;
  readonly mode: Mode;
  /** Returns the paths of the endpoints, as the contracts have them. They are the same for every tenant. */
  readonly endpointPaths: () => readonly string[];
}

export function overridesOf({ settings }: Pick<StoredTenant, 'settings'>): TenantOverrides {
  return JSON.parse(settings) as TenantOverrides;
}

/** Returns the tenant with its settings as they are stored. @throws SettingsError */
export function inStoredForm(
  { settings, mode }: Omit<TenantRules, 'endpointPaths'>,
  tenant: StoredTenant,
): StoredTenant {
  const own = tenantSettings(settings, tenant, mode);
  return { ...tenant, settings: JSON.stringify(keptOverrides(own, overridesOf(tenant))) };
}

/** Returns the names that no further tenant may have: those of the default tenant, and of the others. */
export function takenNames(
  { settings, endpointPaths }: Omit<TenantRules, 'mode'>,
  others: readonly StoredTenant[],
): TakenNames {
  const names = new TakenNames(endpointPaths());
  const taken = others.flatMap(({ issuer, aliases }) => [issuer, ...aliases]);
  for (const name of [settings.issuer, ...settings['issuer-aliases'], ...taken]) names.add(name);
  return names;
}

/** Adds the names of a tenant to those that are taken. Returns why it cannot have one of them; undefined if it can. */
export function takeNames({ issuer, aliases }: StoredTenant, taken: TakenNames): string | undefined {
  const names = [issuer, ...aliases];
  const problem = names.map((name) => taken.problem(name)).find((each) => each !== undefined);
  if (problem === undefined) for (const name of names) taken.add(name);
  return problem;
}

const MASK = '******';

/** Returns the settings of a tenant for a reader, with digests of tokens masked. */
export function shownSettings(tenant: Pick<StoredTenant, 'settings'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(overridesOf(tenant)).map(([path, value]) => [path, isSecretSetting(path) ? MASK : value]),
  );
}

/** A setting that this program does not know may be a secret. */
export function isSecretSetting(path: string): boolean {
  return (settingAt(path as SettingPath) as { secret: boolean } | undefined)?.secret ?? true;
}

function patchedSettings(
  tenant: Pick<StoredTenant, 'settings'>,
  patch: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const own = overridesOf(tenant);
  const changed = Object.entries(patch).filter(
    ([path, value]) => !(value === MASK && isSecretSetting(path) && Object.hasOwn(own, path)),
  );
  const merged = { ...own, ...Object.fromEntries(changed) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/** Writes that one request waits for, at most. */
const WRITES_MAX = 20;

export interface TenantDirectoryNeeds extends TenantRules {
  readonly tenants: TenantStore;
  readonly clock: Clock;
}

export function tenantDirectory({ tenants, clock, ...rules }: TenantDirectoryNeeds): TenantDirectory {
  return {
    store: tenants,
    shownSettings,
    patchedSettings,
    async checked(tenant) {
      try {
        const stored = inStoredForm(rules, tenant);
        const others = (await tenants.all()).filter(({ id }) => id !== tenant.id);
        const problem = takeNames(stored, takenNames(rules, others));
        return problem === undefined
          ? stored
          : { kind: 'taken', mistakes: [{ pointer: '', detail: problem }] };
      } catch (failure) {
        if (failure instanceof SettingsError) return invalid(failure);
        throw failure;
      }
    },
    async removeSome(id, by) {
      let writes = 0;
      const goOn = (): boolean => (writes += 1) < WRITES_MAX;
      const batch = rules.settings['storage.sweep-batch'];
      return await removeTenantRows({ tenants, clock, batch }, id, { ...by, goOn });
    },
  };
}

/** A map, because a path from outside may be the name of a member of every object. */
const POINTERS: ReadonlyMap<string, string> = new Map([
  ['issuer', '/issuer'],
  ['issuer-aliases', '/aliases'],
]);

const invalid = ({ problems }: SettingsError): TenantMistakes => ({
  kind: 'invalid',
  mistakes: problems.map(({ path, rule, found }) => ({
    pointer: POINTERS.get(path) ?? `/settings/${path}`,
    detail: found === undefined ? rule : `${rule}, found ${found}`,
  })),
});
