import { metadataOf } from '../../clients/registered-client.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import { RESPONSE_TYPES, responseTypeName } from '../../spec/grant-types.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { AuthorizationError } from './authorization-error.ts';
import { PARAMETER_LENGTHS_MAX } from './authorization-parameters.ts';
import { RESPONSE_MODES, type ResponseMode, type ResponseTarget } from './authorization-request.ts';
import { isRegisteredRedirectUri } from './redirect-uri-match.ts';

/** The destination of a response, with the response type. */
export interface Target extends ResponseTarget {
  readonly response_type: readonly string[];
}

/**
 * Proves that the redirection URI belongs to the client. Later errors go to that URI.
 * @throws OAuthError invalid_request for the person before the URI is proven, and AuthorizationError after that
 */
export function responseTarget(client: StoredClient, parameters: Parameters): Target {
  const { redirect_uris = [], application_type, response_types } = metadataOf(client);
  const { redirect_uri, state } = parameters;
  if (redirect_uri === undefined) throw unproven('redirect_uri is missing');
  if (!isRegisteredRedirectUri(redirect_uri, redirect_uris, application_type))
    throw unproven('redirect_uri is not registered for this client');
  const kept = state !== undefined && state.length <= (PARAMETER_LENGTHS_MAX['state'] ?? 0);
  const target: ResponseTarget = {
    client_id: client.client_id,
    client_instance: client.instance,
    redirect_uri,
    response_mode: 'query',
    ...(kept ? { state } : {}),
  };
  const response_type = requestedResponseType(target, parameters['response_type']);
  const response_mode = responseMode(target, parameters['response_mode'], response_type);
  const whole: Target = { ...target, response_mode, response_type };
  const name = response_type.join(' ');
  if (!response_types.some((registered) => responseTypeName(registered) === name))
    throw new AuthorizationError(
      whole,
      'unauthorized_client',
      'the client is not registered for response_type',
    );
  if (state !== undefined && !kept)
    throw new AuthorizationError(whole, 'invalid_request', 'state is too long');
  return whole;
}

/**
 * Says whether responses may still go to this target. Since the request was read, the client may have been deleted, registered
 * anew, or stripped of the redirection URI.
 */
export function isStillTarget(
  client: StoredClient | undefined,
  { client_instance, redirect_uri }: ResponseTarget,
): client is StoredClient {
  if (client?.instance !== client_instance) return false;
  const { redirect_uris = [], application_type } = metadataOf(client);
  return isRegisteredRedirectUri(redirect_uri, redirect_uris, application_type);
}

/** Returns an error for the person, without a redirection (RFC 6749 §4.1.2.1). */
function unproven(error_description: string): OAuthError {
  return new OAuthError('invalid_request', { error_description });
}

/** Returns the words of the response type in alphabetical order, because it is a set (OAuth 2.0 Multiple Response Type Encoding Practices §3). */
function requestedResponseType(target: ResponseTarget, requested: string | undefined): readonly string[] {
  if (requested === undefined)
    throw new AuthorizationError(target, 'invalid_request', 'response_type is missing');
  const name = responseTypeName(requested);
  if (name === undefined || !Object.hasOwn(RESPONSE_TYPES, name))
    throw new AuthorizationError(target, 'unsupported_response_type', 'response_type is not supported');
  return name.split(' ');
}

const isCode = (response_type: readonly string[]): boolean => response_type.join(' ') === 'code';

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
    throw new AuthorizationError(reachable, 'invalid_request', 'response_mode is not supported');
  // JARM §2.3.1 allows "query.jwt" for encrypted responses. This server refuses it, because URLs end up in logs.
  if (usual === 'fragment' && mode.startsWith('query'))
    throw new AuthorizationError(reachable, 'invalid_request', 'response_mode query does not carry tokens');
  return mode;
}
