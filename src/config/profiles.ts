import { GRANT_TYPES } from '../spec/grant-types.ts';
import type { GivenValues } from './environment.ts';
import type { SettingPath, Settings } from './settings.ts';
import type { SettingsProblem } from './settings-error.ts';

/** The name of a profile (decision 52). */
export type Profile = Settings['profile'];

/** The value that a profile gives one setting. */
export interface ProfileRow {
  readonly path: SettingPath;
  readonly value: Settings[SettingPath];
  /**
   * The rule that the profile stands for, as words that follow the path. A value that breaks it stops the program.
   * Undefined for a mere default, which any other value replaces.
   */
  readonly rule: string | undefined;
  readonly holds: (value: unknown) => boolean;
}

/** Declares a value that the profile requires. */
function required<Path extends SettingPath>(path: Path, value: Settings[Path]): ProfileRow {
  return { path, value, rule: `must be ${JSON.stringify(value)}`, holds: (given) => given === value };
}

/** Declares a value that any other may replace. */
function usual<Path extends SettingPath>(path: Path, value: Settings[Path]): ProfileRow {
  return { path, value, rule: undefined, holds: () => true };
}

const DAY = 86_400;

/**
 * The grants that OAuth 2.1 has left out. RFC 9700 §2.1.2: "clients SHOULD NOT use the implicit grant"; §2.4: "The resource
 * owner password credentials grant MUST NOT be used".
 */
const LEFT_OUT = ['implicit', 'password'];

const GRANTS_OF_OAUTH_2_1: ProfileRow = {
  path: 'authorization.grant-types',
  value: Object.keys(GRANT_TYPES).filter((grant) => !LEFT_OUT.includes(grant)),
  rule: `must not contain ${LEFT_OUT.join(' and ')}`,
  holds: (given) => Array.isArray(given) && !given.some((grant) => LEFT_OUT.includes(String(grant))),
};

/** draft-ietf-oauth-v2-1 and RFC 9700. The other demands of both hold in every profile (docs/operate/profiles.md). */
const OAUTH_2_1: readonly ProfileRow[] = [required('authorization.pkce', 'all-clients'), GRANTS_OF_OAUTH_2_1];

/** The authorisation specification of the Model Context Protocol of 28 July 2026. */
const MCP: readonly ProfileRow[] = [
  ...OAUTH_2_1,
  required('access-token.require-resource', true),
  usual('authorization.offline-access', 'when-asked'),
  usual('registration.client-id-metadata-documents', true),
  usual('registration.allow-open-registration', true),
  usual('registration.client-id-metadata-documents', true),
  usual('registration.open-rate-per-network', 60),
  usual('registration.open-rate', 600),
  usual('registration.open-clients-max', 100_000),
  usual('registration.idle-client-lifetime', 90 * DAY),
];

/** The rows of each profile. No profile switches off what `standard` refuses. */
export const PROFILES: Readonly<Record<Profile, readonly ProfileRow[]>> = {
  standard: [],
  'oauth-2.1': OAUTH_2_1,
  mcp: MCP,
};

/** Returns the values of a profile by path, for a program that has no settings of its own. */
export function valuesOfProfile(profile: Profile): Partial<Settings> {
  return {
    ...Object.fromEntries(PROFILES[profile].map(({ path, value }) => [path, value] as const)),
    profile,
  };
}

/**
 * Returns a problem for each value that breaks a rule of the profile. It names the setting and the profile, each with its
 * source: nothing switches a rule off silently.
 * @param profileSource names the file, variable or tenant that chose the profile
 */
export function profileProblems(
  profile: Profile,
  profileSource: string,
  given: GivenValues,
): SettingsProblem[] {
  return PROFILES[profile].flatMap(({ path, rule, holds }): SettingsProblem[] => {
    const explicit = given.get(path);
    if (explicit === undefined || rule === undefined || holds(explicit.value)) return [];
    const { source, value } = explicit;
    const words = `${rule} with profile ${profile} (${profileSource})`;
    return [{ path, source, rule: words, found: JSON.stringify(value) }];
  });
}
