import { isIP } from 'node:net';
import type { OutboundFailure, OutboundProblem } from '../ports/outbound-http.ts';
import type { PortRange } from '../spec/port-range.ts';
import { type HttpParts, parseUri } from '../spec/uri.ts';
import { NetworkList, specialUse } from './special-use.ts';

const URL_LENGTH_MAX = 2048;

/** RFC 6761 §6.3: "name resolution APIs … SHOULD always return the IP loopback address". */
const LOOPBACK_NAMES = new Set(['localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback']);

/** Top-level names without public hosts: RFC 6761, RFC 6762, RFC 7686, RFC 8375, and ICANN for `internal`. */
const PRIVATE_NAMES = new Set([
  'alt',
  'arpa',
  'internal',
  'invalid',
  'local',
  'localdomain',
  'onion',
  'test',
]);

export interface UrlPolicyOptions {
  /** Whether http URLs may be fetched; for development. */
  readonly allowHttp: boolean;
  readonly ports: readonly PortRange[];
  /** Special-use networks that may be reached all the same, in CIDR notation. */
  readonly allowNetworks: readonly string[];
  /** Origins of this server, which never fetches from itself. The set may change. */
  readonly ownOrigins: ReadonlySet<string>;
}

export interface UrlPolicy {
  urlProblem(url: string): OutboundProblem | undefined;
  /** Returns why the address must not be connected to; undefined if it may. */
  addressProblem(address: string): string | undefined;
}

/** Returns the rules for URLs, and for the addresses that their hosts resolve to. */
export function urlPolicy(options: UrlPolicyOptions): UrlPolicy {
  const allowed = new NetworkList(options.allowNetworks);
  const addressProblem = (address: string): string | undefined => {
    const use = specialUse(address);
    return use === undefined || (isIP(address) !== 0 && allowed.has(address)) ? undefined : use;
  };
  const hostProblem = (host: string): OutboundProblem | undefined => {
    const literal = literalAddress(host);
    const addresses = literal === undefined ? loopbackAddresses(host) : [literal];
    if (addresses === undefined) return nameProblem(host, options.allowNetworks.length > 0);
    if (addresses.some((address) => addressProblem(address) === undefined)) return undefined;
    const words = addresses.map((address) => `${address}: ${addressProblem(address)}`).join('; ');
    return problem(literal === undefined ? 'forbidden-host' : 'forbidden-address', words);
  };
  const urlProblem = (url: string): OutboundProblem | undefined => {
    const parts = url.length > URL_LENGTH_MAX ? undefined : parseUri(url);
    if (parts === undefined) return problem('invalid-url', 'not a URL that all parsers read alike');
    if (parts.http === undefined || (parts.scheme === 'http' && !options.allowHttp)) {
      return problem('forbidden-scheme', `${parts.scheme} is not fetched`);
    }
    return (
      portProblem(parts.http, parts.scheme, options.ports) ??
      ownProblem(url, options.ownOrigins) ??
      hostProblem(parts.http.host)
    );
  };
  return { urlProblem, addressProblem };
}

/** Returns the host of a URL if it is an address, without the brackets of RFC 3986 §3.2.2; undefined for a name. */
export function literalAddress(host: string): string | undefined {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  return isIP(address) === 0 ? undefined : address;
}

/** Returns the addresses of `localhost` and similar names without asking a name server; undefined for other names. */
export function loopbackAddresses(host: string): readonly string[] | undefined {
  return LOOPBACK_NAMES.has(host) || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : undefined;
}

/** Refuses private names, unless private networks are allowed: then the addresses of the name decide. */
function nameProblem(host: string, privateNamesAllowed: boolean): OutboundProblem | undefined {
  const labels = host.split('.');
  const isPrivate = labels.length === 1 || PRIVATE_NAMES.has(labels.at(-1) ?? '');
  return isPrivate && !privateNamesAllowed ? problem('forbidden-host', 'not a public name') : undefined;
}

function portProblem(
  { port }: HttpParts,
  scheme: string,
  ports: readonly PortRange[],
): OutboundProblem | undefined {
  const effective = port ?? (scheme === 'https' ? 443 : 80);
  return ports.some(({ first, last }) => first <= effective && effective <= last)
    ? undefined
    : problem('forbidden-port', `port ${effective} is not among outbound.ports`);
}

function ownProblem(url: string, ownOrigins: ReadonlySet<string>): OutboundProblem | undefined {
  return ownOrigins.has(new URL(url).origin)
    ? problem('forbidden-host', 'an address of this server')
    : undefined;
}

function problem(reason: OutboundFailure, detail: string): OutboundProblem {
  return { reason, detail };
}
