import { clientKeysOf } from '../../clients/metadata-document/document-state.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { OAuthError, quotedValue, type RefusalNotes } from '../../spec/errors.ts';
import { CIBA_GRANT, DEVICE_GRANT, RESPONSE_TYPES, responseTypeName } from '../../spec/grant-types.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { RESPONSE_MODES } from '../../spec/server-capabilities.ts';
import { isLoopbackHost, parseUri } from '../../spec/uri.ts';
import { PARAMETER_LENGTHS_MAX } from './authorization-parameters.ts';
import { AuthorizationError, type ResponseMode, type ResponseTarget } from './authorization-request.ts';

/** The destination of a response, with the response type. */
export interface Target extends ResponseTarget {
  readonly response_type: readonly string[];
}

/**
 * Proves that the redirection URI belongs to the client. Later errors go to that URI.
 * @param offered the response types that an error names
 * @throws OAuthError invalid_request for the person before the URI is proven, and AuthorizationError after that
 */
export function responseTarget(
  client: StoredClient,
  parameters: Parameters,
  offered: readonly string[] = Object.keys(RESPONSE_TYPES),
): Target {
  const { response_types } = metadataOf(client);
  const { redirect_uri, state } = parameters;
  if (redirect_uri === undefined)
    throw unproven(client, 'redirect_uri is missing', { reason: 'no-redirect-uri' });
  if (!hasRedirectUri(client, redirect_uri))
    throw unproven(client, 'redirect_uri is not registered for this client', {
      reason: 'redirect-uri-not-registered',
      values: { redirect_uri },
    });
  const kept = state !== undefined && state.length <= (PARAMETER_LENGTHS_MAX['state'] ?? 0);
  const client_keys = clientKeysOf(client);
  const target: ResponseTarget = {
    client_id: client.client_id,
    client_instance: client.instance,
    ...(client_keys === undefined ? {} : { client_keys }),
    redirect_uri,
    response_mode: modeOfUnknownType(parameters['response_mode']),
    ...(kept ? { state } : {}),
  };
  const response_type = requestedResponseType(target, parameters['response_type'], offered);
  const response_mode = responseMode(target, parameters['response_mode'], response_type);
  const whole: Target = { ...target, response_mode, response_type };
  const name = response_type.join(' ');
  if (!response_types.some((registered) => responseTypeName(registered) === name))
    throw new AuthorizationError(
      whole,
      'unauthorized_client',
      `the client is not registered for response_type ${quotedValue(name)}`,
      { reason: 'response-type', values: { response_type: name } },
    );
  if (state !== undefined && !kept)
    throw new AuthorizationError(
      whole,
      'invalid_request',
      `state must have at most ${PARAMETER_LENGTHS_MAX['state']} characters`,
    );
  return whole;
}

/**
 * Says whether responses may still go to this target. Since the request was read, the client may have been deleted, registered
 * anew, or stripped of the redirection URI, or its metadata document may name other keys.
 */
export function isStillTarget(
  client: StoredClient | undefined,
  {
    client_instance,
    client_keys,
    redirect_uri,
    device,
    backchannel,
  }: Pick<ResponseTarget, 'client_instance' | 'client_keys' | 'redirect_uri' | 'device' | 'backchannel'>,
): client is StoredClient {
  if (client?.instance !== client_instance || clientKeysOf(client) !== client_keys) return false;
  if (device !== undefined) return metadataOf(client).grant_types.includes(DEVICE_GRANT);
  if (backchannel !== undefined) return metadataOf(client).grant_types.includes(CIBA_GRANT);
  return hasRedirectUri(client, redirect_uri);
}

/** Says whether a redirection URI is one of the client's. */
export function hasRedirectUri(client: StoredClient, redirect_uri: string): boolean {
  const { redirect_uris = [], application_type } = metadataOf(client);
  return isRegisteredRedirectUri(redirect_uri, redirect_uris, application_type);
}

/** Returns an error for the person, without a redirection (RFC 6749 §4.1.2.1). The page never repeats the URI, which may be an attacker's. */
function unproven(client: StoredClient, error_description: string, notes: RefusalNotes): OAuthError {
  return new OAuthError('invalid_request', { error_description, client: client.client_id, ...notes });
}

/** Returns the words of the response type in alphabetical order, because it is a set (OAuth 2.0 Multiple Response Type Encoding Practices §3). */
function requestedResponseType(
  target: ResponseTarget,
  requested: string | undefined,
  offered: readonly string[],
): readonly string[] {
  if (requested === undefined)
    throw new AuthorizationError(target, 'invalid_request', 'response_type is missing', {
      reason: 'response-type',
    });
  const name = responseTypeName(requested);
  if (name === undefined || !Object.hasOwn(RESPONSE_TYPES, name))
    throw new AuthorizationError(
      target,
      'unsupported_response_type',
      `response_type ${quotedValue(requested)} is not supported, supported: ${offered.join(', ')}`,
      { reason: 'response-type', values: { response_type: requested } },
    );
  return name.split(' ');
}

const isCode = (response_type: readonly string[]): boolean => response_type.join(' ') === 'code';

/** Returns how an error travels whose response type is missing or unknown: as the request asks, otherwise in the query. */
function modeOfUnknownType(requested: string | undefined): ResponseMode {
  const known = RESPONSE_MODES.find((mode) => mode === requested) ?? 'query';
  return known === 'jwt' ? 'query.jwt' : known;
}

/** Returns the response mode. Tokens never travel in a query (OAuth 2.0 Multiple Response Type Encoding Practices §2.1 and §5, JARM §2.3). */
function responseMode(
  target: ResponseTarget,
  requested: string | undefined,
  response_type: readonly string[],
): ResponseMode {
  const usual = isCode(response_type) ? 'query' : 'fragment';
  const known = RESPONSE_MODES.find((mode) => mode === requested);
  const mode: ResponseMode = known === undefined ? usual : known === 'jwt' ? `${usual}.jwt` : known;
  const reachable: ResponseTarget = { ...target, response_mode: usual };
  if (requested !== undefined && known === undefined)
    throw new AuthorizationError(
      reachable,
      'invalid_request',
      `response_mode ${quotedValue(requested)} is not supported, supported: ${RESPONSE_MODES.join(', ')}`,
      { reason: 'response-mode', values: { response_mode: requested } },
    );
  // JARM §2.3.1 allows "query.jwt" for encrypted responses. This server refuses it, because URLs end up in logs.
  if (usual === 'fragment' && mode.startsWith('query'))
    throw new AuthorizationError(
      reachable,
      'invalid_request',
      `response_mode ${mode} is not allowed for response_type ${response_type.join(' ')}`,
      { reason: 'response-mode', values: { response_mode: mode } },
    );
  return mode;
}

/**
 * Says whether a request's redirection URI is registered. Compares character by character (OpenID Connect Core 1.0 §3.1.2.1,
 * RFC 3986 §6.2.1). For native clients only, RFC 8252 §7.3 applies: "The authorization server MUST allow any port to be
 * specified at the time of the request for loopback IP redirect URIs". It holds for `localhost` too (§8.3 there calls that name
 * "NOT RECOMMENDED"): programs in the field publish one URI without a port and listen on any.
 */
function isRegisteredRedirectUri(
  requested: string,
  registered: readonly string[],
  application_type: 'web' | 'native',
): boolean {
  if (registered.includes(requested)) return !hasPortZero(requested);
  if (application_type !== 'native') return false;
  const portless = withoutLoopbackPort(requested);
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

const LOOPBACK_HTTP = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::[0-9]+)?(?=[/?#]|$)/;

/** Returns the URI without its port; undefined if it is not plain http to a loopback host. */
function withoutLoopbackPort(uri: string): string | undefined {
  const parts = parseUri(uri)?.http;
  if (parts === undefined || !isLoopbackHost(parts.host) || !LOOPBACK_HTTP.test(uri)) return undefined;
  return uri.replace(LOOPBACK_HTTP, '$1');
}

/** Detects port 0, which a registration uses for any port and on which no client can listen. */
const hasPortZero = (uri: string): boolean => parseUri(uri)?.http?.port === 0;
