import { parseIpNetwork } from '../spec/ip-network.ts';
import { ASSERTION_GRANT_SETTINGS } from './assertion-grant-settings.ts';
import { encryptionKey } from './encryption-key.ts';
import { END_USER_SETTINGS } from './end-user-settings.ts';
import { FEDERATION_SETTINGS } from './federation-settings.ts';
import { KEY_SETTINGS } from './key-settings.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import { LOGOUT_SETTINGS } from './logout-settings.ts';
import { PROCESS_SETTINGS } from './process-settings.ts';
import { choice, flag, integer, list, type Setting, SHA256_HEX, seconds, text } from './setting.ts';
import { softwareStatementIssuers } from './software-statement-issuers.ts';
import { STORAGE_SETTINGS } from './storage-settings.ts';
import { CERTIFICATE_SETTINGS, LISTEN_TLS_SETTINGS } from './tls-settings.ts';
import { TOKEN_SETTINGS } from './token-settings.ts';

const YEAR = 31_536_000;

/** Every setting, once, by its path in chancery.yaml. Durations are in seconds, sizes in bytes. */
export const SETTINGS = {
  issuer: text({
    defaultWords: '`http://127.0.0.1:<listen.port>` in development; none in production',
    required: 'production',
    pattern: /^https?:\/\/[^\s?#]*[^\s?#/]$/u,
    rule: 'must be an https URL without query, fragment, user information and trailing slash',
    description:
      'The issuer identifier: every address the server names begins with it, and it may have a path (`https://op.example.com/c2`). Plain http is accepted for loopback hosts in development only.',
  }),

  'issuer-aliases': list({
    default: [],
    items: 'issuers',
    pattern: /^https?:\/\/[^\s?#]*[^\s?#/]$/u,
    rule: 'must be a list of https URLs without query, fragment, user information and trailing slash',
    description:
      'Further names of the issuer. Everything answers under each of them and names itself by it; what was issued under one name is not valid under another.',
  }),

  'listen.host': text({
    default: '127.0.0.1',
    pattern: /^[A-Za-z0-9.:_-]+$/u,
    rule: 'must be a host name or an IP address without brackets',
    description: 'The address that the protocol endpoints listen on.',
  }),
  'listen.port': integer({
    default: 8080,
    min: 0,
    max: 65_535,
    description:
      'The TCP port of the protocol endpoints; 0 takes any free one, and then `issuer` must be set.',
  }),
  'listen.max-connections': integer({
    default: 4096,
    min: 1,
    max: 1_000_000,
    unit: 'connections',
    description: 'How many connections may be open at a time; further ones are dropped.',
  }),
  'listen.headers-timeout': seconds({
    default: 5,
    min: 1,
    max: 3600,
    description:
      'The time a client has to send the header section of a request; not longer than `listen.request-timeout`.',
  }),
  'listen.request-timeout': seconds({
    default: 10,
    min: 1,
    max: 3600,
    description: 'The time a client has to send a whole request.',
  }),
  'listen.timeout-check-interval': seconds({
    default: 1,
    min: 1,
    max: 60,
    description: 'How often connections are checked against the two time-outs above.',
  }),
  'listen.keep-alive-timeout': seconds({
    default: 5,
    min: 1,
    max: 3600,
    description:
      'How long an idle connection stays open for the next request. A proxy in front should give up earlier.',
  }),

  'listen.trusted-proxies': list({
    default: [],
    items: 'networks',
    pattern: /^[0-9A-Fa-f:.]+\/[0-9]{1,3}$/u,
    accepts: (network) => parseIpNetwork(network) !== undefined,
    rule: 'must be a list of networks such as 10.0.0.0/8 or fd00::/8',
    description:
      'Proxies in front of the server: from them, the right-most address of X-Forwarded-For that is not one of them is taken for the client in limits per network.',
  }),
  ...LISTEN_TLS_SETTINGS,
  'management.listen-host': text({
    default: '127.0.0.1',
    pattern: /^[A-Za-z0-9.:_-]+$/u,
    rule: 'must be a host name or an IP address without brackets',
    description:
      'The address that health and metrics listen on. They need no token: keep it off public networks.',
  }),
  'management.listen-port': integer({
    default: 9090,
    min: 0,
    max: 65_535,
    description: 'The TCP port of health and metrics; 0 takes any free one.',
  }),

  ...PROCESS_SETTINGS,
  ...STORAGE_SETTINGS,
  'storage.sweep-interval': seconds({
    default: 60,
    min: 1,
    max: 86_400,
    description: 'How often expired rows are removed.',
  }),
  'storage.sweep-batch': integer({
    default: 500,
    min: 1,
    max: 100_000,
    unit: 'rows',
    description: 'How many expired rows one transaction removes at most.',
  }),
  'storage.tenant-check-interval': seconds({
    default: 1,
    min: 1,
    max: 60,
    description:
      'How often a server without tenants looks whether the first one was created. Later changes show in the next request.',
  }),

  'audit.lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long audit events are kept in the database; 0 = for ever. Anyone who can reach the registry can cause refusals, which are events too.',
  }),

  'cache.clients': integer({
    tenants: 'inherited',
    default: 100_000,
    min: 2,
    max: 100_000_000,
    unit: 'clients',
    description:
      'How many client records are kept in memory, about 2 KB each; a larger one counts as several. Kept records are checked against the journal of changes before each answer.',
  }),
  'cache.open-tenants': integer({
    default: 100,
    min: 1,
    max: 1_000_000,
    unit: 'tenants',
    description:
      'How many tenants besides the default one a process keeps open, each with caches of its own; for one more the one that was called longest ago is closed, and opened again when it is called.',
  }),
  'cache.access-tokens': integer({
    tenants: 'inherited',
    default: 200_000,
    min: 2,
    max: 1_000_000_000,
    unit: 'tokens',
    description:
      'How many records of access tokens are kept in memory, about 1 KB each; counted and checked as clients are.',
  }),

  'encryption.key': encryptionKey,

  'registration.master-token-sha256': list({
    ...SHA256_HEX,
    description:
      'SHA-256 digests of the master tokens of the client registry; several at once for a roll-over. `LABEL:DIGEST` names a token in the audit. Without any, the list of clients is closed.',
  }),
  'registration.allow-open-registration': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether anyone may register a client for the grants authorization_code, implicit and refresh_token. Otherwise every registration needs a token.',
  }),
  'registration.open-scope-values': list({
    tenants: 'own',
    default: [],
    items: 'scope values',
    // RFC 6749 §3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E )
    pattern: /^[\x21\x23-\x5B\x5D-\x7E]+$/u,
    rule: 'must be a list of scope values, without spaces, quotes and backslashes',
    description: 'Scope values that open registration may ask for without a token.',
  }),
  'registration.software-statement-issuers': softwareStatementIssuers,
  'registration.open-rate-per-network': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 1_000_000,
    unit: 'registrations per minute',
    description:
      'How many registrations without a token one network (an IPv4 address, an IPv6 /64) may make, as many at once as in a minute; further ones are answered 429. 0 = no limit, because behind a proxy that `listen.trusted-proxies` does not name everybody is one network.',
  }),
  'registration.open-rate': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 1_000_000,
    unit: 'registrations per minute',
    description: 'How many registrations without a token all networks together may make; 0 = no limit.',
  }),
  'registration.open-clients-max': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 1_000_000_000,
    unit: 'clients',
    description:
      'How many clients registered without a token there may be; beyond it a registration needs a token. 0 = no limit.',
  }),
  'registration.open-idempotent': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether a public client that is registered again with the same metadata, without a token, is the client that is there already. Such a client belongs to nobody in particular: answers carry no registration token, and only the master token manages it.',
  }),
  'registration.idle-client-lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description:
      'When a client registered without a token is ended: after so long without being used (but never while it may have live tokens). 0 = never.',
  }),
  'registration.advertise': choice({
    tenants: 'inherited',
    default: 'register',
    values: ['register', 'clients'],
    description:
      'Which address discovery names as registration_endpoint: `/register`, which answers 201 as RFC 7591 §3.2.1 says, or `/clients`, which answers 200.',
  }),
  'registration.client-secret-lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description: 'How long a client secret is valid; 0 means that it does not expire (RFC 7591 §3.2.1).',
  }),
  'registration.previous-secret-grace': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: YEAR,
    description: 'How long the previous client secret stays valid after an update has made a new one.',
  }),
  'registration.client-id-length': integer({
    tenants: 'inherited',
    default: 24,
    min: 16,
    max: 80,
    unit: 'characters',
    description: 'The length of generated client identifiers, at 5.95 bits a character.',
  }),
  'registration.client-secret-length': integer({
    tenants: 'inherited',
    default: 43,
    min: 43,
    max: 128,
    unit: 'characters',
    description: 'The length of generated client secrets. 43 characters hold 256 bits.',
  }),
  'registration.registration-token-length': integer({
    tenants: 'inherited',
    default: 43,
    min: 43,
    max: 128,
    unit: 'characters',
    description: 'The length of registration access tokens. 43 characters hold 256 bits.',
  }),

  'client-authentication.assertion-audience': choice({
    tenants: 'inherited',
    default: 'issuer',
    values: ['issuer', 'legacy'],
    description:
      'What client assertions (`client_secret_jwt`, `private_key_jwt`) must be meant for: the issuer as their only `aud`; or, for clients from before draft-ietf-oauth-rfc7523bis, also the addresses of the endpoints for tokens, introspection and pushed requests, and one of several. An assertion with several audiences can be used by each of them against the others.',
  }),
  ...CERTIFICATE_SETTINGS,

  ...ASSERTION_GRANT_SETTINGS,

  'direct-authorization.token-sha256': list({
    ...SHA256_HEX,
    description:
      'SHA-256 digests of the tokens that open the direct authorisation endpoint; several at once for a roll-over. Without any it is closed.',
  }),

  'introspection.audience': choice({
    tenants: 'inherited',
    default: 'any',
    values: ['any', 'match'],
    description:
      'Whom a token is told to: every caller with the introspection scope, or only callers that the token is meant for. With `match` a token is inactive unless its `aud` names the caller’s client_id or one of its registered `resource_identifiers`; a token without `aud` is meant for everybody.',
  }),
  'introspection.legacy-jwt': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether `Accept: application/jwt` is answered as the drafts before RFC 9701 had it: a JWT with the members of the introspection response among its claims. One that names a `sub` and the caller as `aud` can be taken for an ID token by whoever does not look at `typ`; for clients that know nothing newer.',
  }),

  ...TOKEN_SETTINGS,

  'key-set.max-age': seconds({
    tenants: 'inherited',
    default: 300,
    min: 0,
    max: 86_400,
    description: 'How long others may keep the published key set: the max-age of its Cache-Control.',
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

  ...END_USER_SETTINGS,

  ...LOGOUT_SETTINGS,

  ...FEDERATION_SETTINGS,

  ...LIMIT_SETTINGS,

  'log.level': choice({
    default: 'info',
    values: ['silent', 'error', 'warn', 'info', 'debug'],
    description: 'The least severe lines that are still logged.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingPath = keyof typeof SETTINGS;

type ValueOf<Row> = Row extends Setting<infer Value> ? Value : never;

/** The effective value of every setting, by path. */
export type Settings = { readonly [Path in SettingPath]: ValueOf<(typeof SETTINGS)[Path]> };

export const SETTING_PATHS = Object.keys(SETTINGS) as readonly SettingPath[];

/** The row of a setting without its value type, for code that treats all of them alike. */
export function settingAt(path: SettingPath): Setting {
  return SETTINGS[path];
}
