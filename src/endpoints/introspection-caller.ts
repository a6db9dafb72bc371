import { authenticateClient } from '../clients/client-authentication/authenticate-client.ts';
import { type AuthenticationNeeds, bodyAuthenticates } from '../clients/client-authentication/method.ts';
import { metadataOf, registeredScope } from '../clients/registered-client.ts';
import type { Settings } from '../config/settings.ts';
import { parseAuthorization } from '../spec/authorization-header.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import type { ClientCertificate } from '../spec/client-certificate.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { OAuthError, type RefusalNotes } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { type FormLimits, type Parameters, parseForm } from '../spec/parameters.ts';
import { bearerChallenge } from '../spec/www-authenticate.ts';
import { type AccessTokenNeeds, findAccessToken, scopeOf } from '../tokens/access-token.ts';
import { isConfirmed } from '../tokens/confirmation.ts';
import type { DpopNeeds } from '../tokens/dpop-proof.ts';
import { presentedAccessToken, requireHolder } from '../tokens/presented-token.ts';
import type { EndpointRequest } from './contract.ts';

export interface CallerNeeds {
  readonly authentication: AuthenticationNeeds;
  readonly accessTokens: AccessTokenNeeds;
  readonly settings: Settings;
  readonly dpop: DpopNeeds;
}

/** The client that asks about tokens: it authenticates, or a bearer token issued to it authorises the call. */
export interface Caller {
  readonly client_id: ClientId;
  readonly scope: readonly string[];
  /** Metadata of a client that authenticated. `registrationOf` looks it up for the client of a bearer token. */
  readonly metadata: ClientMetadata | undefined;
}

const BEARER = /^(?:bearer|dpop)(?:\s|$)/i;
const DPOP = /^dpop /i;

export function triesBearer({ headers }: EndpointRequest): boolean {
  return BEARER.test(headers['authorization'] ?? '');
}

/**
 * Authenticates the caller.
 * @param path of the endpoint below the issuer, which a DPoP proof must name
 * @throws OAuthError invalid_client; invalid_request for two methods at once
 */
export function callerOf(
  needs: CallerNeeds,
  request: EndpointRequest,
  form: Parameters | OAuthError,
  path: string,
): Awaitable<Caller> {
  const { authorization } = request.headers;
  const { clientCertificate: certificate, remoteAddress } = request;
  const parameters = form instanceof OAuthError ? undefined : form;
  if (authorization !== undefined && triesBearer(request) && !bodyAuthenticates(parameters)) {
    return DPOP.test(authorization)
      ? holderOf(needs, request, authorization, path)
      : bearerOf(needs, authorization, certificate);
  }
  const offered = { authorization, parameters, certificate, remoteAddress };
  return whenKnown(authenticateClient(needs.authentication, offered), ({ stored, metadata }) => ({
    client_id: stored.client_id,
    scope: registeredScope(stored),
    metadata,
  }));
}

function bearerOf(
  needs: CallerNeeds,
  authorization: string,
  certificate: ClientCertificate | undefined,
): Awaitable<Caller> {
  const credentials = parseAuthorization(authorization);
  const token = credentials.scheme === 'bearer' ? credentials.token : '';
  const { length } = token;
  const lengthMax = needs.settings['limits.bearer-token'];
  if (length > lengthMax)
    throw bearerRefused({
      reason: 'long-bearer-token',
      detail: `the token has ${length} characters; limits.bearer-token is ${lengthMax}`,
    });
  return whenKnown(findAccessToken(needs.accessTokens, token), (found) => {
    if (found !== undefined && isConfirmed(found, { certificate })) {
      return { client_id: found.client_id, scope: scopeOf(found), metadata: undefined };
    }
    throw bearerRefused(
      found === undefined ? {} : { reason: 'certificate-binding', client: found.client_id },
    );
  });
}

/** Returns the caller of a token that is bound to a key (RFC 9449 §7). */
async function holderOf(
  { accessTokens, dpop, settings }: CallerNeeds,
  { method, headers, clientCertificate: certificate }: EndpointRequest,
  authorization: string,
  path: string,
): Promise<Caller> {
  const presented = presentedAccessToken(authorization, settings['limits.bearer-token']);
  const found = presented === undefined ? undefined : await findAccessToken(accessTokens, presented.token);
  if (presented === undefined || found === undefined) throw bearerRefused({});
  await requireHolder(dpop, found, presented, {
    method,
    path,
    proof: headers['dpop'],
    certificate,
  });
  return { client_id: found.client_id, scope: scopeOf(found), metadata: undefined };
}

/** @param notes for the log */
function bearerRefused(notes: RefusalNotes): OAuthError {
  const error_description = 'the bearer token is not valid';
  return new OAuthError('invalid_client', {
    error_description,
    challenge: bearerChallenge({ error: 'invalid_token', error_description }),
    reason: 'unknown-bearer-token',
    tried: 'bearer',
    ...notes,
  });
}

/** Returns the scope value that permits asking about tokens under one name of the issuer (interface, POST /token/introspect). */
export const introspectionScopeOf = (issuer: string): string => `${issuer}/token/introspect`;

/** Returns the interface's error, with a challenge for a bearer token that lacks the scope (RFC 6750 §3). */
export function scopeLacking(request: EndpointRequest, scope: string, client: string): OAuthError {
  const error_description = 'the caller lacks the introspection scope';
  return new OAuthError('access_denied', {
    error_description,
    reason: 'introspection',
    values: { scope },
    client,
    ...(triesBearer(request)
      ? { challenge: bearerChallenge({ error: 'insufficient_scope', error_description, scope }) }
      : {}),
  });
}

/** Reads a form, or its error: an endpoint throws it only after it has authenticated the caller. */
export function formOrError(
  { headers, body }: EndpointRequest,
  names: ReadonlySet<string>,
  limits: FormLimits,
): Parameters | OAuthError {
  try {
    return parseForm(headers['content-type'], body, names, limits);
  } catch (failure) {
    if (failure instanceof OAuthError) return failure;
    throw failure;
  }
}

/** Returns the caller's metadata; undefined if its bearer token belongs to no registered client, such as an initial access token. */
export function registrationOf(
  { authentication }: CallerNeeds,
  { client_id, metadata }: Caller,
): Awaitable<ClientMetadata | undefined> {
  if (metadata !== undefined) return metadata;
  return whenKnown(authentication.clients.find(client_id), (stored) =>
    stored === undefined ? undefined : metadataOf(stored),
  );
}
