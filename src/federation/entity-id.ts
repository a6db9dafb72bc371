import { parseUri } from '../spec/uri.ts';

const LENGTH_MAX = 2048;

/**
 * Returns why a value is not an entity identifier, in words that follow its name, or undefined if it is one. "URLs that use
 * the https scheme, have a host component, and MAY contain port and path components. It MUST NOT contain query parameter or
 * fragment components" (§1.2). Identifiers are compared letter by letter, so a URL must be in the spelling that URL parsers
 * produce. With and without a slash at the end are two identifiers.
 * @param allowHttp whether http is accepted, for development
 */
export function entityIdProblem(text: unknown, allowHttp: boolean): string | undefined {
  if (typeof text !== 'string' || text.length > LENGTH_MAX) return 'is not a URL';
  // The specification's examples have underscores in host names, which RFC 1123 does not allow.
  const uri = parseUri(text.replace(/^[^:]*:\/\/[^/?#]*/, (origin) => origin.replaceAll('_', '-')));
  if (uri?.http === undefined) return 'is not a URL with a host';
  if (uri.scheme !== 'https' && !allowHttp) return 'does not use https';
  if (text.includes('?') || text.includes('#')) return 'has a query or a fragment';
  if (uri.http.port === 0) return 'has port 0';
  const { href } = new URL(text);
  if (href !== text && href !== `${text}/`) return 'is not in the normalized form of URL parsers';
  return new URL(text).pathname.includes('//') ? 'has an empty path segment' : undefined;
}

/** Returns the address of an entity's configuration. §9: "If the Entity Identifier contains a trailing "/" character, it MUST be removed before concatenating". */
export function configurationUrl(entityId: string): string {
  return `${entityId.replace(/\/$/, '')}/.well-known/openid-federation`;
}

/**
 * Returns the address of a superior's statement about a subject (§8.1.1). Keeps a query of the endpoint.
 * @returns undefined if the endpoint is not a URL or has a fragment
 */
export function fetchUrl(endpoint: string, subject: string): string | undefined {
  if (!URL.canParse(endpoint) || endpoint.includes('#')) return undefined;
  const separator = endpoint.includes('?') ? '&' : '?';
  return `${endpoint}${separator}sub=${encodeURIComponent(subject)}`;
}
