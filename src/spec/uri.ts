import { domainToUnicode } from 'node:url';

/** RFC 3986 §2: the characters of a URI, every `%` followed by two hexadecimal digits. */
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const HTTP_URI = /^(https?):\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/i;
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(0|[1-9][0-9]{0,4}))?$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** A URI that two parsers cannot read differently. Nothing is normalised: the text itself is stored and compared. */
export interface Uri {
  /** Lower case, without the colon. */
  readonly scheme: string;
  /** Undefined for schemes other than http and https. */
  readonly http?: HttpParts;
  readonly hasFragment: boolean;
}

export interface HttpParts {
  /** Lower case; an IPv6 literal keeps its brackets. */
  readonly host: string;
  readonly port: number | undefined;
  readonly query: string;
}

/** @returns undefined where the text is not an absolute URI, or one that a browser would read as another one. */
export function parseUri(text: string): Uri | undefined {
  if (!URI_CHARACTERS.test(text)) return undefined;
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return undefined;
  const hasFragment = text.includes('#');
  if (scheme !== 'http' && scheme !== 'https') return { scheme, hasFragment };
  const http = parseHttp(text);
  return http === undefined ? undefined : { scheme, http, hasFragment };
}

function parseHttp(text: string): HttpParts | undefined {
  const [, , authority = '', , query = ''] = HTTP_URI.exec(text) ?? [];
  const [, host, port] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined || !isHost(host)) return undefined;
  if (port !== undefined && Number(port) > 65_535) return undefined;
  // Browsers turn `127.1` or `0x7f.1` into another host.
  if (!URL.canParse(text) || new URL(text).hostname !== host.toLowerCase()) return undefined;
  if (hasInvalidALabel(host)) return undefined;
  return { host: host.toLowerCase(), port: port === undefined ? undefined : Number(port), query };
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) return true;
  return host.length <= 253 && host.split('.').every((label) => LABEL.test(label));
}

/** `xn--a`: browsers refuse it, Node's parser lets it pass and leaves it as it is in the Unicode form. */
function hasInvalidALabel(host: string): boolean {
  return /(^|\.)xn--/i.test(host) && /(^|\.)xn--/i.test(domainToUnicode(host));
}

/** RFC 8252 §7.3, "loopback IP redirect URIs": a name may be another machine's. */
export const isLoopbackLiteral = (host: string): boolean => host === '127.0.0.1' || host === '[::1]';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** RFC 8252 §7.3: the loopback hosts a native application may listen on. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.has(host);
}
