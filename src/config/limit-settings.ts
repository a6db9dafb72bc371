import { isAllowableNetwork } from '../spec/ip-network.ts';
import { parsePortRange } from '../spec/port-range.ts';
import { flag, integer, list, type Setting, seconds } from './setting.ts';

/** What bounds requests from outside, and requests to the outside. */
export const LIMIT_SETTINGS = {
  'limits.body': integer({
    default: 65_536,
    min: 1024,
    max: 16_777_216,
    unit: 'bytes',
    description: 'The largest request body; a larger one is 413.',
  }),
  'limits.header': integer({
    default: 16_384,
    min: 4096,
    max: 262_144,
    unit: 'bytes',
    description: 'The largest header section of a request, its first line included; a larger one is 431.',
  }),
  'limits.json-depth': integer({
    default: 16,
    min: 4,
    max: 128,
    unit: 'levels',
    description: 'How deep the arrays and objects of a JSON body may be nested.',
  }),
  'limits.json-members': integer({
    default: 200,
    min: 32,
    max: 10_000,
    unit: 'members',
    description: 'How many members one object of a JSON body may have.',
  }),
  'limits.form-parameters': integer({
    default: 32,
    min: 8,
    max: 1000,
    unit: 'parameters',
    description: 'How many parameters a form body may have.',
  }),
  'limits.redirect-uris': integer({
    default: 100,
    min: 1,
    max: 10_000,
    unit: 'URIs',
    description: 'How many redirect URIs a client may register.',
  }),
  'limits.uri-length': integer({
    default: 2000,
    min: 256,
    max: 16_384,
    unit: 'characters',
    description: 'The longest URI in client metadata, and the longest resource that a token is asked for.',
  }),
  'limits.bearer-token': integer({
    default: 8192,
    min: 128,
    max: 16_384,
    unit: 'characters',
    description: 'The longest bearer token that is looked at; a longer one is invalid.',
  }),

  'outbound.allow-networks': list({
    default: [],
    items: 'networks',
    pattern: /^[0-9A-Fa-f:.]+\/[0-9]{1,3}$/u,
    accepts: isAllowableNetwork,
    rule: 'must be a list of networks such as 10.0.0.0/8 or fd00::/8, no wider than /8 for IPv4 and /7 for IPv6',
    description:
      'Private networks that may be fetched from: a `jwks_uri` or `sector_identifier_uri` there is then accepted from anyone who may register. Without any, only public addresses are.',
  }),
  'outbound.allow-http': flag({
    default: false,
    description: 'Whether plain http URLs are fetched too. Development only.',
  }),
  'outbound.ports': list({
    default: ['443', '8443'],
    items: 'ports',
    pattern: /^(any|[1-9][0-9]{0,4}(-[1-9][0-9]{0,4})?)$/u,
    accepts: (ports) => parsePortRange(ports) !== undefined,
    rule: 'must be a list of ports or ranges in quotation marks such as "443" and "8000-8999", or "any"',
    description: 'The TCP ports that may be fetched from.',
  }),
  'outbound.timeout': seconds({
    default: 3,
    min: 1,
    max: 60,
    description: 'The time a whole fetch may take: waiting, looking up, connecting and reading.',
  }),
  'outbound.body-limit': integer({
    default: 65_536,
    min: 1024,
    max: 16_777_216,
    unit: 'bytes',
    description: 'The largest document that is fetched.',
  }),
  'outbound.fetches-per-host': integer({
    default: 2,
    min: 1,
    max: 1000,
    unit: 'fetches',
    description: 'How many fetches from one host may be under way.',
  }),
  'outbound.fetches': integer({
    default: 16,
    min: 1,
    max: 1000,
    unit: 'fetches',
    description: 'How many fetches may be under way in all.',
  }),
  'outbound.negative-cache': seconds({
    default: 60,
    min: 0,
    max: 3600,
    description: 'How long a failed fetch is not tried again; 0 means that each call tries.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
