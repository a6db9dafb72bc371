import { formDecode } from './percent-encoding.ts';
import { isLoopbackHost, parseUri, type Uri } from './uri.ts';

export interface RedirectUriRules {
  readonly application_type: 'web' | 'native';
  /** OpenID Connect Dynamic Client Registration 1.0 §2: web clients of the implicit grant use https and not localhost. */
  readonly implicit: boolean;
}

/** Response parameters; a registered query that already holds one would make two of them. */
const RESPONSE_PARAMETERS = new Set(['code', 'state', 'response', 'error', 'iss']);

/**
 * Why a redirection URI cannot be registered: RFC 6749 §3.1.2, RFC 7591 §5, RFC 8252 §7 and §8.4, OpenID Connect Dynamic Client Registration 1.0 §2.
 * @returns undefined for a URI that can.
 */
export function redirectUriProblem(text: string, rules: RedirectUriRules): string | undefined {
  const uri = parseUri(text);
  if (uri === undefined) return 'is not an absolute URI that every browser reads the same';
  if (uri.hasFragment) return 'has a fragment';
  if (text.includes('*')) return 'holds a wildcard; redirection URIs are compared character by character';
  if (uri.http === undefined) return privateUseSchemeProblem(uri.scheme, rules);
  if (uri.http.port === 0 && !(rules.application_type === 'native' && isLoopbackHost(uri.http.host))) {
    return 'has port 0';
  }
  if (holdsResponseParameter(uri.http.query)) return 'has a query parameter that the response uses';
  return uri.scheme === 'https' ? httpsProblem(uri.http.host, rules) : httpProblem(uri, rules);
}

function privateUseSchemeProblem(scheme: string, rules: RedirectUriRules): string | undefined {
  if (rules.application_type === 'web') return 'is not an https URI';
  // RFC 8252 §7.1: "apps MUST use a URI scheme based on a domain name under their control, expressed in reverse order".
  // `javascript:`, `data:` and their like have no dot.
  return scheme.includes('.') ? undefined : 'has a scheme that is not a domain name in reverse order';
}

function httpsProblem(host: string, rules: RedirectUriRules): string | undefined {
  if (rules.application_type === 'web' && rules.implicit && isLoopbackHost(host)) {
    return 'names the local machine, which a web client of the implicit grant must not';
  }
  return undefined;
}

function httpProblem(uri: Uri, rules: RedirectUriRules): string | undefined {
  if (uri.http === undefined || !isLoopbackHost(uri.http.host))
    return 'is http on a host that is not the local machine';
  if (rules.application_type === 'web' && rules.implicit) {
    return 'is not an https URI, which a web client of the implicit grant needs';
  }
  return undefined;
}

function holdsResponseParameter(query: string): boolean {
  return query
    .split('&')
    .some((pair) => RESPONSE_PARAMETERS.has(formDecode(pair.split('=', 1)[0] ?? '') ?? ''));
}
