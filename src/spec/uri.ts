import { domainToUnicode } from 'node:url';
import { formDecode } from './percent-encoding.ts';

/** RFC 3986 §2: the characters of a URI, every `%` followed by two hexadecimal digits. */
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const HTTP_URI = /^(https?):\/\/([^/?#]+)/i;
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(0|[1-9][0-9]{0,4}))?$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** A URI that all parsers read the same way. It is not normalised: the server stores and compares the text itself. */
export interface Uri {
  /** Lower case, without the colon. */
  readonly scheme: string;
  /** The host and port of an http or https URI; undefined for other schemes. */
  readonly http?: HttpParts;
  readonly hasFragment: boolean;
}

export interface HttpParts {
  /** Lower case; an IPv6 literal keeps its brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Parses an absolute URI. @returns undefined for anything else, and for a URI that a browser would read differently */
export function parseUri(text: string): Uri | undefined {
  if (!URI_CHARACTERS.test(text)) return undefined;
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  const hasFragment = text.includes('#');
  if (scheme !== 'http' && scheme !== 'https')
    return URL.canParse(text) ? { scheme, hasFragment } : undefined;
  const http = parseHttp(text);
  return http === undefined ? undefined : { scheme, http, hasFragment };
}

function parseHttp(text: string): HttpParts | undefined {
  const [, , authority = ''] = HTTP_URI.exec(text) ?? [];
  const [, host, port] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined || !isHost(host)) return undefined;
  if (port !== undefined && Number(port) > 65_535) return undefined;
  // Browsers read `127.1` or `0x7f.1` as another host.
  const lower = host.toLowerCase();
  if (URL.parse(text)?.hostname !== lower || hasInvalidALabel(lower)) return undefined;
  return { host: lower, port: port === undefined ? undefined : Number(port) };
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) return true;
  return host.length <= 253 && host.split('.').every((label) => LABEL.test(label));
}

/** Detects labels such as `xn--a`. Browsers refuse them; Node's parser accepts them unchanged. */
function hasInvalidALabel(host: string): boolean {
  return /(^|\.)xn--/i.test(host) && /(^|\.)xn--/i.test(domainToUnicode(host));
}

/** Returns the decoded names of the parameters in the query of a URI of any scheme that has no fragment. */
export function queryParameters(uri: string): readonly string[] {
  const start = uri.indexOf('?');
  if (start === -1) return [];
  return uri
    .slice(start + 1)
    .split('&')
    .map((pair) => formDecode(pair.split('=', 1)[0] ?? '') ?? '');
}

/** Appends an encoded query to a URI without fragment, which is not changed otherwise. */
export function withQuery(uri: string, query: string): string {
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?';
  return `${uri}${separator}${query}`;
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** RFC 8252 §7.3: the loopback hosts a native application may listen on. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.has(host);
}
