import { GRANT_TYPES } from '../spec/grant-types.ts';
import { SIGNED_RESPONSE_MODES } from '../spec/server-capabilities.ts';
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

type ListPath = {
  [Path in SettingPath]: Settings[Path] extends readonly string[] ? Path : never;
}[SettingPath];
type NumberPath = { [Path in SettingPath]: Settings[Path] extends number ? Path : never }[SettingPath];

/** Declares a list that may be shorter, and not longer. */
function within(path: ListPath, value: readonly string[]): ProfileRow {
  const holds = (given: unknown): boolean =>
    Array.isArray(given) && given.length > 0 && given.every((item) => value.includes(String(item)));
  return { path, value, rule: `must hold no value but ${value.join(', ')}, and at least one`, holds };
}

/** Declares a number that may be smaller. */
function atMost(path: NumberPath, most: number, value = most, least = 0): ProfileRow {
  const holds = (given: unknown): boolean => typeof given === 'number' && given >= least && given <= most;
  return { path, value, rule: `must be from ${least} to ${most}`, holds };
}

/** Declares a choice among several values. */
function among<Path extends SettingPath>(
  path: Path,
  [value, ...others]: readonly [Settings[Path], ...Settings[Path][]],
): ProfileRow {
  const allowed = [value, ...others];
  const words = allowed.map((one) => JSON.stringify(one)).join(' or ');
  return { path, value, rule: `must be ${words}`, holds: (given) => allowed.some((one) => one === given) };
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
  usual('registration.open-openid-scope', true),
  usual('registration.open-other-grants', 'drop'),
  usual('registration.open-rate-per-network', 60),
  usual('registration.open-rate', 600),
  usual('registration.open-clients-max', 100_000),
  usual('registration.idle-client-lifetime', 90 * DAY),
];

/** FAPI 2.0 Security Profile §5.4.1. */
const FAPI_ALGORITHMS = ['PS256', 'ES256', 'EdDSA'] as const;

/** FAPI 2.0 Security Profile §5.3.2.2: `request_uri` "with expires_in values of less than 600 seconds". */
const PUSHED_LIFETIME_MAX = 599;

/** FAPI 2.0 Message Signing §5.3.1: 60 minutes. */
const REQUEST_OBJECT_LIFETIME_MAX = 3600;

/** The FAPI 2.0 Security Profile of 22 February 2025. Its other demands hold in every profile (docs/guides/fapi.md). */
const FAPI_2_0: readonly ProfileRow[] = [
  ...OAUTH_2_1,
  required('authorization.pushed-requests', 'all-clients'),
  within('client-authentication.methods', [
    'private_key_jwt',
    'tls_client_auth',
    'self_signed_tls_client_auth',
  ]),
  required('client-authentication.assertion-audience', 'issuer-string'),
  required('access-token.binding', 'all-clients'),
  within('signatures.algorithms', FAPI_ALGORITHMS),
  among('access-token.signature-algorithm', FAPI_ALGORITHMS),
  atMost('authorization-code.lifetime', 60, 60, 1),
  atMost('pushed-request.lifetime', PUSHED_LIFETIME_MAX, 60, 5),
  required('refresh-token.rotate', false),
  required('authorization.http-redirects', 'native'),
  usual('authorization.request-uri-by-reference', false),
  // Pushed tokens cannot be bound to a key (OpenID Connect CIBA Core 1.0 §10.3.1).
  within('ciba.delivery-modes', ['poll', 'ping']),
  // The console is a public client with bearer tokens.
  required('console.enabled', false),
];

/** FAPI 2.0 Message Signing of September 2025, with signed requests and responses for every client. */
const FAPI_2_0_MESSAGE_SIGNING: readonly ProfileRow[] = [
  ...FAPI_2_0,
  required('authorization.signed-requests', 'all-clients'),
  atMost(
    'authorization.request-object-lifetime',
    REQUEST_OBJECT_LIFETIME_MAX,
    REQUEST_OBJECT_LIFETIME_MAX,
    1,
  ),
  within('authorization.response-modes', SIGNED_RESPONSE_MODES),
];

/** The rows of each profile. No profile switches off what `standard` refuses. */
export const PROFILES: Readonly<Record<Profile, readonly ProfileRow[]>> = {
  standard: [],
  'oauth-2.1': OAUTH_2_1,
  mcp: MCP,
  'fapi-2.0': FAPI_2_0,
  'fapi-2.0-message-signing': FAPI_2_0_MESSAGE_SIGNING,
};

/** Returns the values of a profile by path, for a program that has no settings of its own. */
export function valuesOfProfile(profile: Profile): Partial<Settings> {
  return {
    ...Object.fromEntries(PROFILES[profile].map(({ path, value }) => [path, value] as const)),
    profile,
  };
}

/** Returns the settings as they would be with another profile: values that suit it stay. */
export function settingsUnder(settings: Settings, profile: Profile): Settings {
  const changed = PROFILES[profile].filter(
    ({ path, holds, rule }) => rule !== undefined && !holds(settings[path]),
  );
  return {
    ...settings,
    ...Object.fromEntries(changed.map(({ path, value }) => [path, value] as const)),
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
