import type * as z from 'zod/mini';
import {
  type Environment,
  environmentName,
  type GivenValue,
  type GivenValues,
  readEnvironment,
} from './environment.ts';
import { PROFILES, type Profile, profileProblems } from './profiles.ts';
import { developmentIssuer, type Mode, RULES } from './rules.ts';
import { secretFileProblem } from './secret-file.ts';
import type { Setting } from './setting.ts';
import { SETTING_PATHS, type SettingPath, type Settings, settingAt } from './settings.ts';
import { SettingsError, type SettingsProblem } from './settings-error.ts';
import { readYamlFile } from './yaml-file.ts';

export interface SettingsSources {
  readonly mode: Mode;
  /** The YAML file, if there is one. */
  readonly file?: string;
  readonly environment: Environment;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  /** The source of each value: `default`, `profile NAME`, the name of the file, or that of the variable. */
  readonly origins: Readonly<Record<SettingPath, string>>;
}

/**
 * Returns the settings: the environment overrides the YAML file, the file overrides the profile, and the profile overrides
 * the defaults.
 * @throws SettingsError with all problems
 */
export function loadSettings(sources: SettingsSources): Settings {
  return resolveSettings(sources).settings;
}

/** Returns the settings with the source of each value. Throws like `loadSettings`. */
export function resolveSettings({ mode, file, environment }: SettingsSources): ResolvedSettings {
  const problems: SettingsProblem[] = [];
  const fromFile: GivenValues = file === undefined ? new Map() : readYamlFile(file, problems);
  const fromEnvironment = readEnvironment(environment, problems);
  // A bad value is reported even if a later source overrides it: it would take effect once that override is removed.
  const checkedFile = checkAll(fromFile, problems);
  const given: GivenValues = new Map([...checkedFile, ...checkAll(fromEnvironment, problems)]);
  const values = new Map(
    SETTING_PATHS.map((path) => [path, given.get(path)?.value ?? settingAt(path).default]),
  );
  const profile = values.get('profile') as Profile;
  const profiled = PROFILES[profile].filter(({ path }) => !given.has(path));
  for (const { path, value } of profiled) values.set(path, value);
  addDevelopmentIssuer(values, mode);
  const refused = new Set(problems.map(({ path }) => path));
  const sourceOf = (path: SettingPath) => given.get(path)?.source ?? file ?? environmentName(path);
  problems.push(...missing(values, mode, refused), ...profileProblems(profile, sourceOf('profile'), given));
  // Every path holds a value of its schema's type, except refused paths, which no rule reads.
  const settings = Object.freeze(Object.fromEntries(values)) as unknown as Settings;
  problems.push(...brokenRules(settings, mode, refused, sourceOf));
  // The development mode has secrets of its own, and they open nothing elsewhere.
  if (mode === 'production') {
    const worldReadable = settings['secret-files.world-readable'];
    problems.push(...openSecretFiles([...fromFile, ...fromEnvironment], worldReadable));
    if (file !== undefined) problems.push(...openYamlFile(file, checkedFile, worldReadable));
  }
  if (problems.length > 0) throw new SettingsError(problems);
  const origins = new Map<SettingPath, string>(SETTING_PATHS.map((path) => [path, 'default']));
  for (const { path } of profiled) origins.set(path, `profile ${profile}`);
  for (const [path, { source }] of given) origins.set(path, source);
  return { settings, origins: Object.fromEntries(origins) as Record<SettingPath, string> };
}

/** Returns a problem for each secret file that other users of the machine can read or change. */
function openSecretFiles(
  given: readonly (readonly [SettingPath, GivenValue])[],
  worldReadable: boolean,
): SettingsProblem[] {
  return given.flatMap(([path, { source, secretFile }]): SettingsProblem[] => {
    const problem = secretFile === undefined ? undefined : secretFileProblem(secretFile, worldReadable);
    return problem === undefined ? [] : [{ path, source, rule: `names a file that ${problem}` }];
  });
}

/** A URL of a database with a password. */
const WITH_PASSWORD = /^[a-z]+:\/\/[^/?#@]*:[^/?#@]+@/u;

/** The settings whose values are secrets. Digests are none. */
const IS_SECRET: Partial<Readonly<Record<SettingPath, (value: unknown) => boolean>>> = {
  'encryption.key': () => true,
  'keys.jwk-set': () => true,
  'storage.url': (value) => WITH_PASSWORD.test(String(value)),
  'storage.replica-url': (value) => WITH_PASSWORD.test(String(value)),
};

/** Returns a problem for each secret in the YAML file, if other users of the machine can read or change the file. */
function openYamlFile(file: string, given: GivenValues, worldReadable: boolean): SettingsProblem[] {
  const secrets = [...given].filter(
    ([path, { value, source }]) => source === file && IS_SECRET[path]?.(value) === true,
  );
  const problem = secrets.length === 0 ? undefined : secretFileProblem(file, worldReadable);
  if (problem === undefined) return [];
  return secrets.map(([path, { source }]) => ({ path, source, rule: `is in a file that ${problem}` }));
}

export function checkAll(given: GivenValues, problems: SettingsProblem[]): GivenValues {
  const checked: GivenValues = new Map();
  for (const [path, { value, source }] of given) {
    const setting = settingAt(path);
    const result = setting.schema.safeParse(value);
    if (result.success) checked.set(path, { value: result.data, source });
    else if (setting.structured === true) problems.push(...refusals(path, source, result.error.issues));
    else problems.push(refusal(path, setting, { value, source }, result.error.issues[0]));
  }
  return checked;
}

/** Returns every problem inside a value made of maps, each with its path: `registration.software-statement-issuers[0].jwks`. */
function refusals(path: SettingPath, source: string, issues: readonly z.core.$ZodIssue[]): SettingsProblem[] {
  return issues.flatMap((issue): SettingsProblem[] => {
    const at = path + issue.path.map(step).join('');
    if (issue.code !== 'unrecognized_keys') return [{ path: at, source, rule: issue.message }];
    return issue.keys.map((key) => ({ path: at + step(key), source, rule: 'is not a setting' }));
  });
}

const step = (key: PropertyKey): string => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`);

/** @param issue its path begins with the index of the refused item in a list; a secret may have a flaw that can be told */
function refusal(
  path: SettingPath,
  setting: Setting,
  given: GivenValue,
  issue: z.core.$ZodIssue | undefined,
): SettingsProblem {
  const { rule, secret } = setting;
  const { value, source } = given;
  const flaw: unknown = issue?.code === 'custom' ? issue.params?.['flaw'] : undefined;
  if (secret) return { path, source, rule: typeof flaw === 'string' ? `${flaw}; it ${rule}` : rule };
  const item = issue?.path[0];
  const offending: unknown = Array.isArray(value) && typeof item === 'number' ? value[item] : value;
  return { path, source, rule, found: shown(offending) };
}

const SHOWN_MAX = 80;

function shown(value: unknown): string {
  if (value instanceof Map) return 'a map';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

function addDevelopmentIssuer(values: Map<SettingPath, unknown>, mode: Mode): void {
  const port = values.get('listen.port');
  if (mode === 'development' && values.get('issuer') === undefined && typeof port === 'number') {
    values.set('issuer', developmentIssuer(port));
  }
}

function missing(
  values: ReadonlyMap<SettingPath, unknown>,
  mode: Mode,
  refused: ReadonlySet<string>,
): SettingsProblem[] {
  return SETTING_PATHS.filter(
    (path) => settingAt(path).required === mode && values.get(path) === undefined && !refused.has(path),
  ).map((path) => ({ path, source: environmentName(path), rule: 'must be set in production' }));
}

export function brokenRules(
  settings: Settings,
  mode: Mode,
  refused: ReadonlySet<string>,
  sourceOf: (path: SettingPath) => string,
): SettingsProblem[] {
  return RULES.flatMap(({ path, reads, problem }) => {
    if ([path, ...reads].some((read) => refused.has(read) || settings[read] === undefined)) return [];
    const rule = problem(settings, mode);
    return rule === undefined ? [] : [{ path, source: sourceOf(path), rule }];
  });
}
