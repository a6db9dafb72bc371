import { suggestion } from '../spec/nearest.ts';
import type { GivenValues } from './environment.ts';
import { brokenRules, checkAll } from './load-settings.ts';
import { PROFILES, type Profile, type ProfileRow, profileProblems } from './profiles.ts';
import type { Mode } from './rules.ts';
import { SETTING_PATHS, type SettingPath, type Settings, settingAt } from './settings.ts';
import { SettingsError, type SettingsProblem } from './settings-error.ts';

/** JSON values by the path of their setting. */
export type TenantOverrides = Readonly<Record<string, unknown>>;

export interface TenantIssuer {
  readonly issuer: string;
  readonly aliases: readonly string[];
}

const OVERRIDABLE = SETTING_PATHS.filter((path) => settingAt(path).tenants !== 'process');

export interface ResolvedTenant {
  readonly settings: Settings;
  /** The source of each value that the tenant has for itself: the tenant, or `profile NAME` of the tenant. */
  readonly sources: ReadonlyMap<SettingPath, string>;
}

/**
 * Returns the settings of a tenant with their sources: its own values where a row permits them, then those of its own profile, otherwise the
 * process's. The values that the process's profile set are the process's: a tenant inherits them, and may change a rule only with
 * a profile of its own. Settings that grant access are not inherited that way either.
 * @param source names the tenant in problems
 * @throws SettingsError with all problems, in the words of the configuration
 */
export function resolveTenant(
  process: Settings,
  { issuer, aliases }: TenantIssuer,
  overrides: TenantOverrides,
  mode: Mode,
  source: string,
): ResolvedTenant {
  const problems: SettingsProblem[] = [];
  const given: GivenValues = new Map();
  for (const [path, value] of Object.entries(overrides)) {
    if (isOverridable(path)) given.set(path, { value, source });
    else problems.push({ path, source, rule: notOverridable(path) });
  }
  const names = new Map([
    ['issuer', { value: issuer, source }],
    ['issuer-aliases', { value: aliases, source }],
  ] as const);
  const checked: GivenValues = new Map([...checkAll(given, problems), ...checkAll(names, problems)]);
  const profile = checked.get('profile')?.value as Profile | undefined;
  const all: GivenValues = new Map([...profileValues(process, profile, source), ...checked]);
  const values = SETTING_PATHS.map((path) => {
    const { tenants, default: value } = settingAt(path);
    return [path, all.get(path)?.value ?? (tenants === 'own' ? value : process[path])] as const;
  });
  // Every path holds a value of its schema's type, except refused paths, which no rule reads.
  const settings = Object.freeze(Object.fromEntries(values)) as unknown as Settings;
  const refused = new Set<string>(problems.map(({ path }) => path));
  problems.push(
    ...profileProblems(settings.profile, profile === undefined ? 'of the process' : source, checked),
  );
  problems.push(...brokenRules(settings, mode, refused, () => source));
  if (problems.length > 0) throw new SettingsError(problems);
  return { settings, sources: new Map([...all].map(([path, value]) => [path, value.source])) };
}

/** Returns what the tenant's own profile sets: nothing that the process has set and that suits the profile too. */
function profileValues(process: Settings, profile: Profile | undefined, source: string): GivenValues {
  const rows = profile === undefined ? [] : PROFILES[profile];
  return new Map(
    rows
      .filter((row) => !isInherited(process, row))
      .map(({ path, value }) => [path, { value, source: `profile ${profile}, ${source}` }]),
  );
}

function isInherited(process: Settings, { path, holds }: ProfileRow): boolean {
  const { tenants, default: usual } = settingAt(path);
  const isSet = JSON.stringify(process[path]) !== JSON.stringify(usual);
  return tenants === 'inherited' && isSet && holds(process[path]);
}

/** Returns the value of `path=value` in a command, read as an environment variable would be. */
export function overrideFromText(path: string, text: string): unknown {
  return isOverridable(path) ? settingAt(path).fromText(text) : text;
}

/** Returns the overrides in the canonical spelling of their rows. */
export function keptOverrides(settings: Settings, overrides: TenantOverrides): TenantOverrides {
  return Object.fromEntries(
    Object.keys(overrides).map((path) => [path, settings[path as SettingPath]] as const),
  );
}

function isOverridable(path: string): path is SettingPath {
  return (OVERRIDABLE as readonly string[]).includes(path);
}

function notOverridable(path: string): string {
  return (SETTING_PATHS as readonly string[]).includes(path)
    ? 'is a setting of the process, which no tenant has for itself'
    : `is not a setting${suggestion(path, OVERRIDABLE)}`;
}
