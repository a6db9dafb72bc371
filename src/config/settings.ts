import { parseIpNetwork } from '../spec/ip-network.ts';
import { ADDRESS_SETTINGS } from './address-settings.ts';
import { ADMIN_SETTINGS } from './admin-settings.ts';
import { ASSERTION_GRANT_SETTINGS } from './assertion-grant-settings.ts';
import { AUTHORIZATION_DETAILS_SETTINGS } from './authorization-details-settings.ts';
import { BACKCHANNEL_SETTINGS } from './backchannel-settings.ts';
import { BACKUP_SETTINGS } from './backup-settings.ts';
import { CLIENT_AUTHENTICATION_SETTINGS } from './client-authentication-settings.ts';
import { CLIENT_DOCUMENT_SETTINGS } from './client-document-settings.ts';
import { CLOCK_SETTINGS } from './clock-settings.ts';
import { CONSOLE_SETTINGS } from './console-settings.ts';
import { DEVICE_SETTINGS } from './device-settings.ts';
import { DPOP_SETTINGS } from './dpop-settings.ts';
import { encryptionKey } from './encryption-key.ts';
import { END_USER_SETTINGS } from './end-user-settings.ts';
import { EVENT_SETTINGS } from './event-settings.ts';
import { FEDERATION_SETTINGS } from './federation-settings.ts';
import { HISTORY_SETTINGS } from './history-settings.ts';
import { KEY_SETTINGS } from './key-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { LOGOUT_SETTINGS } from './logout-settings.ts';
import { PROCESS_SETTINGS } from './process-settings.ts';
import { PROFILE_SETTINGS } from './profile-settings.ts';
import { REGISTRATION_SETTINGS } from './registration-settings.ts';
import { choice, flag, integer, list, type Setting, SHA256_HEX, seconds, text } from './setting.ts';
import { SIGNAL_SETTINGS } from './signal-settings.ts';
import { STORAGE_SETTINGS } from './storage-settings.ts';
import { CERTIFICATE_SETTINGS, LISTEN_TLS_SETTINGS } from './tls-settings.ts';
import { TOKEN_EXCHANGE_SETTINGS } from './token-exchange-settings.ts';
import { TOKEN_SETTINGS } from './token-settings.ts';
import { TRACING_SETTINGS } from './tracing-settings.ts';
import { WEBFINGER_SETTINGS } from './webfinger-settings.ts';

const DAY = 86_400;
const YEAR = 31_536_000;

/** All settings by their path in chancery.yaml. Durations are in seconds, sizes in bytes. */
export const SETTINGS = {
  issuer: text({
    defaultWords: '`http://127.0.0.1:<listen.port>` in development; none in production',
    required: 'production',
    pattern: /^https?:\/\/[^\s?#]*[^\s?#/]$/u,
    rule: 'must be an https URL without query, fragment, user information and trailing slash',
    description:
      'The issuer identifier. Every address that the server publishes begins with it, and it may have a path (`https://op.example.com/c2`). Development accepts plain http for loopback hosts. Clients and tokens depend on it: choose it once.',
  }),

  'issuer-aliases': list({
    default: [],
    items: 'issuers',
    pattern: /^https?:\/\/[^\s?#]*[^\s?#/]$/u,
    rule: 'must be a list of https URLs without query, fragment, user information and trailing slash',
    description:
      'Additional issuer identifiers. Each one serves all endpoints and publishes its own addresses. A token issued under one name is not valid under another. Set it while you move to a new name.',
  }),

  ...PROFILE_SETTINGS,
  'listen.host': text({
    default: '127.0.0.1',
    pattern: /^[A-Za-z0-9.:_-]+$/u,
    rule: 'must be a host name or an IP address without brackets',
    description:
      'The address that the protocol endpoints listen on. The default reaches only this machine: set `0.0.0.0` or `::` where a proxy or load balancer runs elsewhere.',
  }),
  'listen.port': integer({
    default: 8080,
    min: 0,
    max: 65_535,
    description: 'The TCP port of the protocol endpoints. 0 takes a free port; `issuer` must then be set.',
  }),
  'listen.max-connections': integer({
    default: 4096,
    min: 1,
    max: 1_000_000,
    unit: 'connections',
    description:
      'The maximum number of open connections. The server drops new connections beyond it. Raise it, and the limit of open files, for many clients without a proxy.',
  }),
  'listen.connections-per-network': integer({
    default: 0,
    min: 0,
    max: 1_000_000,
    unit: 'connections',
    description:
      'The maximum number of open connections of one network (an IPv4 address or an IPv6 /64), in each process. The server closes new connections beyond it, logs that at most once a minute, and counts each one. 0 = no limit. Set it for a server without a proxy. `listen.trusted-proxies` have no limit; other clients behind one address share it.',
  }),
  'listen.headers-timeout': seconds({
    default: 5,
    min: 1,
    max: 3600,
    description:
      'The time a client has to send the headers of a request. It must not exceed `listen.request-timeout`. The server then answers 408.',
  }),
  'listen.request-timeout': seconds({
    default: 10,
    min: 1,
    max: 3600,
    description:
      'The time a client has to send a whole request. The server then answers 408. Raise it only for clients on very slow lines.',
  }),
  'listen.timeout-check-interval': seconds({
    default: 1,
    min: 1,
    max: 60,
    description:
      'How often the server checks connections against the two timeouts above. A connection may exceed its timeout by this much.',
  }),
  'listen.keep-alive-timeout': seconds({
    default: 75,
    min: 1,
    max: 3600,
    description:
      'How long an idle connection stays open for the next request. Bytes that begin no request extend it by `listen.headers-timeout` at most. Set the idle timeout of a proxy in front to less than this: many have 60 seconds. While more than half of `listen.max-connections` are open, idle ones stay for at most 5 seconds.',
  }),

  'listen.trusted-proxies': list({
    default: [],
    items: 'networks',
    pattern: /^[0-9A-Fa-f:.]+\/[0-9]{1,3}$/u,
    accepts: (network) => parseIpNetwork(network) !== undefined,
    rule: 'must be a list of networks such as 10.0.0.0/8 or fd00::/8',
    description:
      'Networks of the proxies in front of the server. For requests from them, the client’s address is the right-most address in X-Forwarded-For that is not a trusted proxy. Limits per network and the log use that address. Empty: the server ignores the header.',
  }),
  ...LISTEN_TLS_SETTINGS,
  'management.listen-host': text({
    default: '127.0.0.1',
    pattern: /^[A-Za-z0-9.:_-]+$/u,
    rule: 'must be a host name or an IP address without brackets',
    description:
      'The address that health, metrics and the administration API listen on. Health and metrics need no token: keep the address off public networks.',
  }),
  'management.listen-port': integer({
    default: 9090,
    min: 0,
    max: 65_535,
    description: 'The TCP port of health, metrics and the administration API. 0 takes a free port.',
  }),

  ...ADMIN_SETTINGS,
  ...CONSOLE_SETTINGS,
  ...EVENT_SETTINGS,
  ...SIGNAL_SETTINGS,

  ...PROCESS_SETTINGS,
  ...STORAGE_SETTINGS,
  'storage.sweep-interval': seconds({
    default: 60,
    min: 1,
    max: 86_400,
    description: 'How often the server deletes expired rows.',
  }),
  'storage.sweep-batch': integer({
    default: 500,
    min: 1,
    max: 100_000,
    unit: 'rows',
    description:
      'The maximum number of expired rows that one transaction deletes. Lower it if other requests wait while the server deletes.',
  }),
  'storage.process-interval': seconds({
    default: 10,
    min: 1,
    max: 60,
    description:
      'How often each server process records in the database that it runs and which encryption keys it has, and checks that `encryption.key` still opens the database. `chancery keys encryption rotate` asks these records.',
  }),
  'storage.tenant-check-interval': seconds({
    default: 1,
    min: 1,
    max: 60,
    description:
      'How often a server without tenants checks whether the first tenant was created. Every later change takes effect with the next request.',
  }),
  ...BACKUP_SETTINGS,

  ...CLOCK_SETTINGS,
  'audit.lifetime': seconds({
    tenants: 'inherited',
    default: 400 * DAY,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long the database keeps audit events. 0 = for ever. The default of 400 days keeps a whole year, and a month to evaluate it. Set it longer if your rules demand that, and watch the size of the database.',
  }),

  'cache.memory': integer({
    default: 0,
    min: 0,
    max: 1_048_576,
    unit: 'MiB',
    description:
      'The memory of all caches of the server together, shared by its workers and tenants. 0 = derived from the limit of the container and of the heap, at most 384 MiB in each process. The log of the start says how much it is. Raise it if the active clients and tokens do not fit (`chancery_cache_evictions_total`), and give the heap about twice as much.',
  }),
  'cache.clients': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 100_000_000,
    unit: 'clients',
    description:
      'A further bound beside `cache.memory`: the maximum number of client records in memory, for each tenant. 0 = no such bound. The server checks the journal of changes before each answer, so a cached record is never out of date.',
  }),
  'cache.open-tenants': integer({
    default: 100,
    min: 1,
    max: 1_000_000,
    unit: 'tenants',
    description:
      'The maximum number of open tenants in a process, besides the default tenant. They share `cache.memory`. Beyond it, the process closes one that is not in regular use, and opens it again when it is called. Set it above the number of tenants that are in use at the same time.',
  }),
  'cache.access-tokens': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 1_000_000_000,
    unit: 'tokens',
    description:
      'A further bound beside `cache.memory`: the maximum number of access-token records in memory, for each tenant. 0 = no such bound.',
  }),

  'encryption.key': encryptionKey,

  ...REGISTRATION_SETTINGS,
  ...HISTORY_SETTINGS,

  ...CLIENT_DOCUMENT_SETTINGS,
  ...CLIENT_AUTHENTICATION_SETTINGS,
  ...CERTIFICATE_SETTINGS,

  ...ASSERTION_GRANT_SETTINGS,

  'direct-authorization.token-sha256': list({
    ...SHA256_HEX,
    description:
      'SHA-256 digests of the tokens that open the direct authorisation endpoint. List several during a rotation. Empty: the endpoint is closed.',
  }),

  'introspection.audience': choice({
    tenants: 'inherited',
    default: 'any',
    values: ['any', 'match'],
    description:
      'Which callers learn about a token. `any`: every caller with the introspection scope. `match`: only a caller that the token’s `aud` names by client_id or by a registered `resource_identifiers` value; the token is inactive for others. A token without `aud` is active for all callers.',
  }),
  'introspection.legacy-jwt': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether the server answers `Accept: application/jwt` as drafts before RFC 9701 did: the introspection members are top-level claims of the JWT. A recipient that ignores `typ` can take such a JWT for an ID token. Switch it on only for clients that support nothing newer.',
  }),

  ...TOKEN_SETTINGS,
  ...TOKEN_EXCHANGE_SETTINGS,
  ...DPOP_SETTINGS,
  ...WEBFINGER_SETTINGS,
  ...DEVICE_SETTINGS,
  ...BACKCHANNEL_SETTINGS,
  ...AUTHORIZATION_DETAILS_SETTINGS,

  'key-set.max-age': seconds({
    tenants: 'inherited',
    default: 300,
    min: 0,
    max: 86_400,
    description: 'How long clients may cache the published key set (`max-age` of its Cache-Control).',
  }),

  ...KEY_SETTINGS,

  'cors.origins': list({
    tenants: 'own',
    default: [],
    items: 'origins',
    pattern: /^https?:\/\/[^\s/?#@]+$/u,
    accepts: (origin) => URL.parse(origin)?.origin === origin,
    rule: 'must be a list of origins such as https://app.example.com, without path and default port',
    description: 'Origins whose scripts may call the endpoints that are not open to every origin.',
  }),

  'openapi.enabled': flag({
    tenants: 'inherited',
    default: false,
    defaultWords: '`false`; `true` in development',
    description:
      'Whether the server describes its endpoints at `/openapi.json` (OpenAPI 3.1). Everyone can read the description. It names the endpoints that the settings allow, and nothing that they hold. The package has the same description as a file, so that production rarely needs this.',
  }),

  ...END_USER_SETTINGS,

  ...LOGOUT_SETTINGS,

  ...FEDERATION_SETTINGS,

  ...LIMIT_SETTINGS,

  'log.level': choice({
    default: 'info',
    values: ['silent', 'error', 'warn', 'info', 'debug'],
    description: 'The lowest severity that the server logs.',
  }),
  'log.format': choice({
    default: 'auto',
    values: ['auto', 'json', 'text'],
    description:
      'The form of log lines. `auto`: text on a terminal, JSON elsewhere. `json` is for programs, `text` for people. Both have the same members.',
  }),
  ...ADDRESS_SETTINGS,
  ...TRACING_SETTINGS,
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingPath = keyof typeof SETTINGS;

type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never;

/** The effective value of every setting, by path. */
export type Settings = { readonly [Path in SettingPath]: ValueOf<(typeof SETTINGS)[Path]> };

export const SETTING_PATHS = Object.keys(SETTINGS) as readonly SettingPath[];

/** Returns the row of a setting without its value type, for code that treats all settings alike. */
export function settingAt(path: SettingPath): Setting {
  return SETTINGS[path];
}
