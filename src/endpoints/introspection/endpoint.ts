import {
  AUTHENTICATION_PARAMETERS,
  authenticateClient,
  bodyAuthenticates,
} from '../../clients/client-authentication/authenticate-client.ts';
import type { AuthenticationNeeds } from '../../clients/client-authentication/method.ts';
import { registeredScope } from '../../clients/registered-client.ts';
import { parseAuthorization } from '../../spec/authorization-header.ts';
import { type Awaitable, whenKnown } from '../../spec/awaitable.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type FormLimits, type Parameters, parseForm } from '../../spec/parameters.ts';
import { bearerChallenge } from '../../spec/www-authenticate.ts';
import { type AccessTokenNeeds, findAccessToken, scopeOf } from '../../tokens/access-token.ts';
import { isConfirmed } from '../../tokens/confirmation.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint, EndpointRequest } from '../contract.ts';
import { contract } from './contract.ts';

export interface IntrospectionNeeds {
  readonly issuer: string;
  readonly authentication: AuthenticationNeeds;
  readonly accessTokens: AccessTokenNeeds;
  readonly form: FormLimits;
}

const PARAMETERS: ReadonlySet<string> = new Set(['token', 'token_type_hint', ...AUTHENTICATION_PARAMETERS]);

/** RFC 7662 §2.2: "the server … SHOULD NOT include any additional information about an inactive token". */
const INACTIVE = '{"active":false}';

const HEADERS = { 'content-type': 'application/json;charset=UTF-8', ...UNCACHED };

/**
 * Says whether a token is good. The order is fixed (decision 22): authenticate (401), then read the form (400), then
 * the caller's scope (403), then the token (200).
 */
export function introspection(needs: IntrospectionNeeds): Endpoint {
  const introspectionScope = `${needs.issuer}${contract.path}`;
  return {
    contract,
    handle(request) {
      const form = readForm(needs, request);
      return whenKnown(callerScope(needs, request, form), (scope) => {
        const token = tokenToInspect(form);
        if (!scope.includes(introspectionScope)) throw scopeLacking(request, introspectionScope);
        return whenKnown(findAccessToken(needs.accessTokens, token), (found) => ({
          status: 200,
          headers: HEADERS,
          body: found?.introspection ?? INACTIVE,
        }));
      });
    },
  };
}

/** RFC 6750 §3: a bearer token that does not enable access is answered with a challenge; the code is the interface's. */
function scopeLacking({ headers }: EndpointRequest, scope: string): OAuthError {
  const error_description = 'the caller lacks the introspection scope';
  return new OAuthError('access_denied', {
    error_description,
    ...(BEARER.test(headers['authorization'] ?? '')
      ? { challenge: bearerChallenge({ error: 'insufficient_scope', error_description, scope }) }
      : {}),
  });
}

function tokenToInspect(form: Parameters | OAuthError): string {
  if (form instanceof OAuthError) throw form;
  const token = form['token'];
  if (token === undefined) throw new OAuthError('invalid_request', { error_description: 'token is missing' });
  return token;
}

/** A form that cannot be read is an error only once the caller is known. */
function readForm(needs: IntrospectionNeeds, { headers, body }: EndpointRequest): Parameters | OAuthError {
  try {
    return parseForm(headers['content-type'], body, PARAMETERS, needs.form);
  } catch (failure) {
    if (failure instanceof OAuthError) return failure;
    throw failure;
  }
}

/** The scope values of the client that authenticates, or of the bearer token that authorises the call. */
function callerScope(
  needs: IntrospectionNeeds,
  { headers, clientCertificate: certificate }: EndpointRequest,
  form: Parameters | OAuthError,
): Awaitable<readonly string[]> {
  const { authorization } = headers;
  const parameters = form instanceof OAuthError ? undefined : form;
  if (authorization !== undefined && BEARER.test(authorization) && !bodyAuthenticates(parameters)) {
    return scopeOfBearer(needs, authorization, certificate);
  }
  const offered = { authorization, parameters, certificate };
  return whenKnown(authenticateClient(needs.authentication, offered), ({ metadata }) =>
    registeredScope(metadata),
  );
}

const BEARER = /^bearer(?:\s|$)/i;

function scopeOfBearer(
  needs: IntrospectionNeeds,
  authorization: string,
  certificate: ClientCertificate | undefined,
): Awaitable<readonly string[]> {
  const credentials = parseAuthorization(authorization);
  const token = credentials.scheme === 'bearer' ? credentials.token : '';
  return whenKnown(findAccessToken(needs.accessTokens, token), (found) => {
    if (found !== undefined && isConfirmed(found, certificate)) return scopeOf(found);
    const error_description = 'the bearer token is not valid';
    throw new OAuthError('invalid_client', {
      error_description,
      challenge: bearerChallenge({ error: 'invalid_token', error_description }),
    });
  });
}
