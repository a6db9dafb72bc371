import { isAllowableNetwork } from '../spec/ip-network.ts';
import { parsePortRange } from '../spec/port-range.ts';
import { flag, integer, list, type Setting, seconds } from './setting.ts';

/** Limits of requests that arrive, and of fetches that the server makes. */
export const LIMIT_SETTINGS = {
  'limits.body': integer({
    default: 65_536,
    min: 1024,
    max: 16_777_216,
    unit: 'bytes',
    description: 'The maximum size of a request body. The server answers 413 beyond it.',
  }),
  'limits.bodies': integer({
    default: 67_108_864,
    min: 1_048_576,
    max: 17_179_869_184,
    unit: 'bytes',
    description:
      'The memory that request bodies take in total while they arrive, in each process, and as much again for complete bodies whose requests are being served. It must not be less than `limits.body`. Beyond it the server answers 503 with `Retry-After`: to a body that does not arrive in one piece, or to a complete one. Lower it for a container with little memory; raise it if many clients send large bodies over slow lines.',
  }),
  'limits.header': integer({
    default: 16_384,
    min: 4096,
    max: 262_144,
    unit: 'bytes',
    description:
      'The maximum size of a request’s headers, request line included. The server answers 431 beyond it.',
  }),
  'limits.json-depth': integer({
    default: 16,
    min: 4,
    max: 128,
    unit: 'levels',
    description: 'The maximum nesting of arrays and objects in a JSON body.',
  }),
  'limits.json-members': integer({
    default: 200,
    min: 32,
    max: 10_000,
    unit: 'members',
    description: 'The maximum number of members in one object of a JSON body.',
  }),
  'limits.form-parameters': integer({
    default: 32,
    min: 8,
    max: 1000,
    unit: 'parameters',
    description: 'The maximum number of parameters in a form body.',
  }),
  'limits.redirect-uris': integer({
    default: 100,
    min: 1,
    max: 10_000,
    unit: 'URIs',
    description: 'The maximum number of redirect URIs of a client.',
  }),
  'limits.uri-length': integer({
    default: 2000,
    min: 256,
    max: 16_384,
    unit: 'characters',
    description: 'The maximum length of a URI in client metadata, and of a `resource` in a token request.',
  }),
  'limits.bearer-token': integer({
    default: 8192,
    min: 128,
    max: 16_384,
    unit: 'characters',
    description:
      'The maximum length of a bearer token. A longer token is invalid without a look-up. Raise it if self-contained access tokens carry many claims.',
  }),
  'limits.tenant-openings': integer({
    default: 50,
    min: 1,
    max: 10_000,
    unit: 'tenants per second',
    description:
      'How many closed tenants a process opens per second; twice as many after a rest. An opening takes about a millisecond of CPU, and the keys of a new tenant 200 milliseconds on another thread. Requests for closed tenants wait in turn, each network in a line of its own. Raise it if many more tenants are in use than `cache.open-tenants`.',
  }),
  'limits.tenants-waiting': integer({
    default: 100,
    min: 1,
    max: 10_000,
    unit: 'tenants',
    description:
      'How many closed tenants may wait for their opening, in each process. Beyond it the server answers 503 with `Retry-After` to the network that calls most of them. Open tenants are not affected.',
  }),

  'outbound.allow-networks': list({
    default: [],
    items: 'networks',
    pattern: /^[0-9A-Fa-f:.]+\/[0-9]{1,3}$/u,
    accepts: isAllowableNetwork,
    rule: 'must be a list of networks such as 10.0.0.0/8 or fd00::/8, no wider than /8 for IPv4 and /7 for IPv6',
    description:
      'Private networks that the server may fetch from. Anyone who may register can then name a `jwks_uri` or `sector_identifier_uri` there. Empty: the server fetches from public addresses only.',
  }),
  'outbound.allow-http': flag({
    default: false,
    description: 'Whether the server also fetches plain http URLs. Development only.',
  }),
  'outbound.ports': list({
    default: ['443', '8443'],
    items: 'ports',
    pattern: /^(any|[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?)$/u,
    accepts: (ports) => parsePortRange(ports) !== undefined,
    rule: 'must be a list of ports or ranges in quotation marks such as "443" and "8000-8999", or "any"',
    description: 'TCP ports that the server may fetch from.',
  }),
  'outbound.timeout': seconds({
    default: 3,
    min: 1,
    max: 60,
    description: 'The time limit of one fetch: queueing, DNS, connecting and reading together.',
  }),
  'outbound.body-limit': integer({
    default: 65_536,
    min: 1024,
    max: 16_777_216,
    unit: 'bytes',
    description: 'The maximum size of a fetched document.',
  }),
  'outbound.fetches-per-host': integer({
    default: 2,
    min: 1,
    max: 1000,
    unit: 'fetches',
    description: 'The maximum number of concurrent fetches from one host.',
  }),
  'outbound.fetches-per-address': integer({
    default: 8,
    min: 1,
    max: 1000,
    unit: 'fetches',
    description:
      'The maximum number of concurrent fetches from one IPv4 address or one IPv6 /64, whatever names it has. Raise it if many key sets are served from one address.',
  }),
  'outbound.fetches': integer({
    default: 64,
    min: 1,
    max: 1000,
    unit: 'fetches',
    description:
      'The maximum number of concurrent fetches of a process. Purposes, tenants, networks of requesters and parties share them: when all slots are taken, a fetch of the party with the most gives way. Raise it if `chancery_outbound_fetches_total` often counts `busy`.',
  }),
  'outbound.key-set-fetches': integer({
    default: 4,
    min: 1,
    max: 1000,
    unit: 'fetches per minute',
    tenants: 'inherited',
    description:
      'How often in a minute the server fetches one key set at most: forged requests in the name of a client cause no more. Beyond it a request that needs another fetch gets 503 with `Retry-After`. Raise it for clients that change their keys very often.',
  }),
  'outbound.stale-key-sets': seconds({
    default: 3600,
    min: 0,
    max: 86_400,
    tenants: 'inherited',
    description:
      'How long a key set stays in use beyond its 300 seconds while its server gives no answer. A key that its owner removes meanwhile stays good for that time. 0 = the server then verifies nothing and answers 503.',
  }),
  'outbound.negative-cache': seconds({
    default: 60,
    min: 0,
    max: 3600,
    description:
      'How long the server remembers a failed fetch before it tries again. 0 = every request tries again.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
