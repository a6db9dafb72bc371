import { isLoopbackLiteral, parseUri } from '../../spec/uri.ts';

/**
 * Says whether a request's redirection URI is registered. Compares character by character (OpenID Connect Core 1.0 §3.1.2.1,
 * RFC 3986 §6.2.1). For native clients only, RFC 8252 §7.3 applies: "The authorization server MUST allow any port to be
 * specified at the time of the request for loopback IP redirect URIs".
 */
export function isRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
  application_type: 'web' | 'native',
): boolean {
  if (registered.includes(requested)) return !hasPortZero(requested);
  if (application_type !== 'native') return false;
  const portless = withoutLoopbackPort(requested);
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

const LOOPBACK_HTTP = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::[0-9]+)?(?=[/?#]|$)/;

/** Returns the URI without its port; undefined if it is not plain http to a loopback address. */
function withoutLoopbackPort(uri: string): string | undefined {
  const parts = parseUri(uri)?.http;
  if (parts === undefined || !isLoopbackLiteral(parts.host) || !LOOPBACK_HTTP.test(uri)) return undefined;
  return uri.replace(LOOPBACK_HTTP, '$1');
}

/** Detects port 0, which a registration uses for any port and on which no client can listen. */
const hasPortZero = (uri: string): boolean => parseUri(uri)?.http?.port === 0;
