import { parseUri } from '../spec/uri.ts';

const LENGTH_MAX = 2048;

/**
 * Why a text is no entity identifier, as words that follow its name; undefined when it is one. "URLs that use the
 * https scheme, have a host component, and MAY contain port and path components. It MUST NOT contain query parameter or
 * fragment components" (§1.2). They are compared letter for letter, so only the spelling gets through that URL parsers
 * leave as it is; with a slash at the end or without are two identifiers.
 * @param allowHttp for a federation on one's desk
 */
export function entityIdProblem(text: unknown, allowHttp: boolean): string | undefined {
  if (typeof text !== 'string' || text.length > LENGTH_MAX) return 'is not a URL';
  // The specification's own examples have underscores in names of hosts, which RFC 1123 does not know.
  const uri = parseUri(text.replace(/^[^:]*:\/\/[^/?#]*/, (origin) => origin.replaceAll('_', '-')));
  if (uri?.http === undefined) return 'is not a URL with a host';
  if (uri.scheme !== 'https' && !allowHttp) return 'does not use https';
  if (text.includes('?') || text.includes('#')) return 'has a query or a fragment';
  if (uri.http.port === 0) return 'has port 0';
  const { href } = new URL(text);
  if (href !== text && href !== `${text}/`) return 'is not in the spelling of URL parsers';
  return new URL(text).pathname.includes('//') ? 'has an empty path segment' : undefined;
}

/** §9: "If the Entity Identifier contains a trailing "/" character, it MUST be removed before concatenating". */
export function configurationUrl(entityId: string): string {
  return `${entityId.replace(/\/$/, '')}/.well-known/openid-federation`;
}

/**
 * §8.1.1. The endpoint may have a query of its own.
 * @returns undefined for an endpoint that is no URL, or one with a fragment
 */
export function fetchUrl(endpoint: string, subject: string): string | undefined {
  if (!URL.canParse(endpoint) || endpoint.includes('#')) return undefined;
  const separator = endpoint.includes('?') ? '&' : '?';
  return `${endpoint}${separator}sub=${encodeURIComponent(subject)}`;
}
