import { issuerProblem } from '../spec/issuer.ts';
import { redirectUriProblem } from '../spec/redirect-uri.ts';
import type { SettingPath, Settings } from './settings.ts';
import { TLS_RULES } from './tls-rules.ts';

export type Mode = 'development' | 'production';

/** A rule that depends on the mode or on another setting, so that one row cannot express it. */
export interface Rule {
  readonly path: SettingPath;
  /** Other settings that it reads. The rule is not checked when one of them is missing or refused. */
  readonly reads: readonly SettingPath[];
  /** Returns words that follow the path, or undefined if the rule holds. */
  readonly problem: (settings: Settings, mode: Mode) => string | undefined;
}

/**
 * The development mode generates tokens whose SHA-256 begins with these hex digits. A production server recognises
 * and refuses such a token, because it was printed on a screen.
 */
export const DEVELOPMENT_DIGEST_PREFIX = 'dede';

/** In MiB. With less, single records of clients do not fit. */
const CACHE_MEMORY_MIN = 16;

/** The console is a web client of the server. */
const CONSOLE_ADDRESS = {
  application_type: 'web',
  implicit: false,
  privateSchemes: 'reverse-domain',
  httpForWeb: true,
} as const;

export const RULES: readonly Rule[] = [
  {
    path: 'issuer',
    reads: ['listen.port'],
    problem: ({ issuer, 'listen.port': port }, mode) =>
      port === 0 && issuer === developmentIssuer(0)
        ? 'must be set when listen.port is 0'
        : issuerProblem(issuer, mode === 'development'),
  },
  {
    path: 'issuer-aliases',
    reads: ['issuer'],
    problem: ({ issuer, 'issuer-aliases': aliases }, mode) => aliasesProblem(issuer, aliases, mode),
  },
  {
    path: 'cache.memory',
    reads: [],
    problem: ({ 'cache.memory': mebibytes }) =>
      mebibytes > 0 && mebibytes < CACHE_MEMORY_MIN ? `must be 0 or at least ${CACHE_MEMORY_MIN}` : undefined,
  },
  notGreater('listen.headers-timeout', 'listen.request-timeout'),
  notGreater('limits.body', 'limits.bodies'),
  notGreater('access-token.lifetime', 'access-token.lifetime-max'),
  notGreater('initial-access-token.lifetime', 'initial-access-token.lifetime-max'),
  notGreater('id-token.lifetime', 'id-token.lifetime-max'),
  {
    path: 'refresh-token.lifetime',
    reads: ['refresh-token.lifetime-max'],
    problem: ({ 'refresh-token.lifetime': lifetime, 'refresh-token.lifetime-max': max }) =>
      max > 0 && (lifetime === 0 || lifetime > max)
        ? `must not be greater than refresh-token.lifetime-max (${max})`
        : undefined,
  },
  {
    path: 'keys.announcement',
    reads: ['key-set.max-age', 'keys.rotation-interval'],
    problem: announcementProblem,
  },
  {
    path: 'workers',
    reads: ['listen.port'],
    problem: ({ workers, 'listen.port': port }) =>
      workers > 1 && port === 0
        ? 'must be 1 where listen.port is 0: each would take a port of its own'
        : undefined,
  },
  {
    path: 'management.listen-port',
    reads: ['listen.port', 'listen.host', 'management.listen-host'],
    problem: (settings) =>
      settings['management.listen-port'] !== 0 &&
      settings['management.listen-port'] === settings['listen.port'] &&
      settings['management.listen-host'] === settings['listen.host']
        ? 'must differ from listen.port'
        : undefined,
  },
  {
    path: 'console.url',
    reads: [],
    problem: ({ 'console.url': url }) =>
      url === 'auto' ? undefined : redirectUriProblem(url, CONSOLE_ADDRESS),
  },
  {
    path: 'outbound.allow-http',
    reads: [],
    problem: (settings, mode) =>
      mode === 'production' && settings['outbound.allow-http'] ? 'must be false in production' : undefined,
  },
  noDevelopmentToken('registration.master-token-sha256'),
  noDevelopmentToken('direct-authorization.token-sha256'),
  noDevelopmentToken('sign-in.token-sha256'),
  noDevelopmentToken('global-revocation.token-sha256'),
  {
    path: 'sign-in.token-sha256',
    reads: ['sign-in.external-url'],
    problem: ({ 'sign-in.external-url': url, 'sign-in.token-sha256': tokens }) =>
      url !== 'none' && tokens.length === 0 ? 'must be set where sign-in.external-url is' : undefined,
  },
  {
    path: 'sign-in.acr-values',
    reads: ['sign-in.external-url'],
    problem: ({ 'sign-in.external-url': url, 'sign-in.acr-values': values }) =>
      url === 'none' && values.length > 0
        ? 'must be empty where sign-in.external-url is none: the built-in page has one acr of its own'
        : undefined,
  },
  {
    path: 'access-token.signature-algorithm',
    reads: ['signatures.algorithms'],
    problem: ({ 'access-token.signature-algorithm': algorithm, 'signatures.algorithms': allowed }) =>
      allowed.includes(algorithm)
        ? undefined
        : `must be one of signatures.algorithms (${allowed.join(', ')})`,
  },
  {
    path: 'access-token.binding',
    reads: ['direct-authorization.token-sha256', 'authorization.grant-types'],
    problem: unboundTokens,
  },
  {
    path: 'client-authentication.methods',
    reads: [],
    problem: ({ 'client-authentication.methods': methods }) =>
      methods.length === 0 ? 'must hold at least one method' : undefined,
  },
  {
    path: 'authorization.response-modes',
    reads: [],
    problem: ({ 'authorization.response-modes': modes }) =>
      modes.length === 0 ? 'must hold at least one response mode' : undefined,
  },
  ...TLS_RULES,
];

/** Tokens of both kinds go to a party that proves no key. */
function unboundTokens(settings: Settings): string | undefined {
  if (settings['access-token.binding'] === 'registered') return undefined;
  if (settings['direct-authorization.token-sha256'].length > 0)
    return 'must be registered where direct-authorization.token-sha256 is set: its tokens cannot be bound';
  return settings['authorization.grant-types'].includes('implicit')
    ? 'must be registered where authorization.grant-types contains implicit: its tokens cannot be bound'
    : undefined;
}

/** Returns the default issuer of the development mode. */
export function developmentIssuer(port: number): string {
  return port === 80 ? 'http://127.0.0.1' : `http://127.0.0.1:${port}`;
}

/** Returns why these cannot be aliases of an issuer, as words that follow the name of the setting. */
function aliasesProblem(issuer: string, aliases: readonly string[], mode: Mode): string | undefined {
  if (new Set([issuer, ...aliases]).size <= aliases.length)
    return 'must not hold a name twice, nor the issuer';
  const problems = aliases.flatMap((alias) => {
    const problem = issuerProblem(alias, mode === 'development');
    return problem === undefined ? [] : [`must hold issuers only: ${alias} ${problem}`];
  });
  return problems[0];
}

/** Checks that a key is published for longer than clients cache the set, and that one key at a time is announced. */
function announcementProblem(settings: Settings): string | undefined {
  const announcement = settings['keys.announcement'];
  const interval = settings['keys.rotation-interval'];
  if (announcement <= settings['key-set.max-age'])
    return `must be greater than key-set.max-age (${settings['key-set.max-age']})`;
  return interval !== 0 && announcement > interval
    ? `must not be greater than keys.rotation-interval (${interval})`
    : undefined;
}

type PathOf<Value> = { [Path in SettingPath]: Settings[Path] extends Value ? Path : never }[SettingPath];

function notGreater(path: PathOf<number>, bound: PathOf<number>): Rule {
  const problem = (settings: Settings) =>
    settings[path] > settings[bound] ? `must not be greater than ${bound} (${settings[bound]})` : undefined;
  return { path, reads: [bound], problem };
}

function noDevelopmentToken(path: PathOf<readonly string[]>): Rule {
  const problem = (settings: Settings, mode: Mode) => {
    const made = settings[path].some((entry) => entry.slice(-64).startsWith(DEVELOPMENT_DIGEST_PREFIX));
    return mode === 'production' && made
      ? 'must not hold the digest of a token that was printed by the development mode'
      : undefined;
  };
  return { path, reads: [], problem };
}
