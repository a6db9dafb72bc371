import { type PrivateSchemes, privateUseProblem } from './private-use-scheme.ts';
import { isLoopbackHost, parseUri, queryParameters, type Uri } from './uri.ts';

export interface RedirectUriRules {
  readonly application_type: 'web' | 'native';
  /** OpenID Connect Dynamic Client Registration 1.0 §2: web clients of the implicit grant use https and not localhost. */
  readonly implicit: boolean;
  readonly privateSchemes: PrivateSchemes;
  /** Whether web clients may use plain http with a loopback host; native clients may (RFC 8252 §7.3). */
  readonly httpForWeb: boolean;
}

/**
 * Response parameters (RFC 6749 §4.1.2 and §4.2.2, RFC 9207 §2, JARM §2.1). One of them in a registered query would make the
 * response ambiguous, also for an application that reads query, fragment and form alike.
 */
const RESPONSE_PARAMETERS: ReadonlySet<string> = new Set([
  'code',
  'state',
  'response',
  'error',
  'error_description',
  'error_uri',
  'iss',
  'id_token',
  'access_token',
]);

/**
 * Returns why a redirection URI cannot be registered (RFC 6749 §3.1.2, RFC 7591 §5, RFC 8252 §7 and §8.4,
 * OpenID Connect Dynamic Client Registration 1.0 §2), as words that follow the URI; undefined for a URI that can
 * be registered.
 */
export function redirectUriProblem(text: string, rules: RedirectUriRules): string | undefined {
  if (text.includes('*'))
    return 'must not have a wildcard; redirection URIs are compared character by character';
  const uri = parseUri(text);
  if (uri === undefined) return 'must be a valid absolute URI, such as https://client.example/cb';
  if (uri.hasFragment) return 'must not have a fragment';
  const parameter = responseParameterIn(text);
  if (parameter !== undefined)
    return `must not have the query parameter ${parameter}, which belongs to the response`;
  if (uri.http === undefined) return privateUseSchemeProblem(text, uri.scheme, rules);
  if (uri.http.port === 0 && !(rules.application_type === 'native' && isLoopbackHost(uri.http.host))) {
    return 'must not have port 0; it is allowed for loopback hosts of native clients only';
  }
  return uri.scheme === 'https' ? httpsProblem(uri.http.host, rules) : httpProblem(uri, rules);
}

function privateUseSchemeProblem(text: string, scheme: string, rules: RedirectUriRules): string | undefined {
  const { privateSchemes: schemes, implicit } = rules;
  const problem = privateUseProblem(text, scheme, { schemes, implicit });
  if (problem !== undefined) return problem;
  return rules.application_type === 'web'
    ? 'must use https; private-use schemes are allowed for native clients only'
    : undefined;
}

function httpsProblem(host: string, rules: RedirectUriRules): string | undefined {
  if (rules.application_type === 'web' && rules.implicit && isLoopbackHost(host)) {
    return 'must not have a loopback host, because the client is a web client of the implicit grant';
  }
  return undefined;
}

function httpProblem(uri: Uri, rules: RedirectUriRules): string | undefined {
  if (uri.http === undefined || !isLoopbackHost(uri.http.host))
    return 'must use https; http is allowed for loopback hosts only';
  if (rules.application_type === 'web' && rules.implicit) {
    return 'must use https, because the client is a web client of the implicit grant';
  }
  return rules.application_type === 'web' && !rules.httpForWeb ? HTTP_OF_NATIVE : undefined;
}

const HTTP_OF_NATIVE =
  'must use https; http is allowed for loopback hosts of clients with application_type native only';

/** Returns the first response parameter in the query of a URI. */
function responseParameterIn(uri: string): string | undefined {
  return queryParameters(uri).find((name) => RESPONSE_PARAMETERS.has(name));
}
