import { metadataOf } from '../../clients/registered-client.ts';
import type { Settings } from '../../config/settings.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { type ErrorCode, OAuthError, quotedValue, type RefusalNotes } from '../../spec/errors.ts';
import { responseTypesOf } from '../../spec/grant-types.ts';
import type { JsonLimits } from '../../spec/json.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { isPrivateUse } from '../../spec/private-use-scheme.ts';
import { requestedAudience } from '../audience.ts';
import type { AuthorizationDetails, DetailTypes } from '../authorization-details/detail-types.ts';
import { readAuthorizationDetails } from '../authorization-details/read-details.ts';
import { grantableScope } from '../end-user-scope.ts';
import { mayRefresh } from '../refreshable.ts';
import { PARAMETER_LENGTHS_MAX } from './authorization-parameters.ts';
import {
  AuthorizationError,
  type AuthorizationRequest,
  type ClaimsRequest,
  PROMPTS,
  type Prompt,
} from './authorization-request.ts';
import { NO_CLAIMS, parseClaims } from './claims-request.ts';
import type { Target } from './response-target.ts';

export interface RequestRules {
  readonly json: JsonLimits;
  readonly settings: Settings;
  readonly detailTypes: DetailTypes;
}

/** Seconds: ten years. */
const MAX_AGE_MAX = 315_360_000;

const CHALLENGE: RefusalNotes = { reason: 'code-challenge' };

/** The base64url form of a SHA-256 digest (RFC 7636 §4.2, RFC 7638 §3). */
const SHA256_DIGEST = /^[A-Za-z0-9_-]{43}$/;

/**
 * Checks the parameters of a request after its redirection URI is proven. The caller checks `id_token_hint`.
 * @throws AuthorizationError
 */
export function readAuthorizationRequest(
  rules: RequestRules,
  client: StoredClient,
  target: Target,
  parameters: Parameters,
): AuthorizationRequest {
  const refuse = (code: ErrorCode, words: string): never => {
    throw new AuthorizationError(target, code, words);
  };
  for (const [name, most] of Object.entries(PARAMETER_LENGTHS_MAX))
    if ((parameters[name]?.length ?? 0) > most)
      refuse('invalid_request', `${name} must have at most ${most} characters`);
  if (parameters['registration'] !== undefined)
    refuse(
      'registration_not_supported',
      'registration is not supported: clients register before their first request',
    );
  const { settings } = rules;
  requireOfferedResponseType(target, settings);
  const metadata = metadataOf(client);
  const authorization_details = requestedDetails(
    rules,
    target,
    metadata,
    parameters['authorization_details'],
  );
  const scope = requestedScope(target, settings, client, parameters['scope'], authorization_details);
  const nonce = parameters['nonce'];
  requireNonce(target, scope, nonce);
  const code_challenge = codeChallenge(target, settings, client, parameters);
  const dpop_jkt = boundKey(target, settings, parameters['dpop_jkt']);
  const prompt = prompts(target, parameters['prompt']);
  const max_age =
    maxAge(target, parameters['max_age']) ?? (metadata['default_max_age'] as number | undefined);
  const { login_hint, ui_locales } = parameters;
  return {
    ...target,
    scope,
    prompt,
    acr_values:
      acrValues(parameters['acr_values']) ?? (metadata['default_acr_values'] as string[] | undefined) ?? [],
    claims: claims(target, parameters['claims'], rules.json),
    resource: requestedResources(target, settings, metadata, parameters['resource'], scope),
    ...present({ nonce, code_challenge, dpop_jkt, max_age, login_hint, ui_locales, authorization_details }),
  };
}

function present<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: NonNullable<Members[Name]>;
  };
}

/** Refuses a response type whose grant the settings switch off, for clients that registered before (RFC 6749 §4.1.2.1). */
function requireOfferedResponseType(target: Target, settings: Settings): void {
  const offered = responseTypesOf(settings['authorization.grant-types']);
  const name = target.response_type.join(' ');
  if (!offered.includes(name))
    throw new AuthorizationError(
      target,
      'unsupported_response_type',
      `response_type ${quotedValue(name)} is not offered, offered: ${offered.join(', ')}`,
    );
}

/** Requires `nonce` if the authorisation endpoint issues an ID token (OpenID Connect Core 1.0 §3.2.2.1 and §3.3.2.11: "REQUIRED"). */
function requireNonce(target: Target, scope: readonly string[], nonce: string | undefined): void {
  if (!target.response_type.includes('id_token')) return;
  if (!scope.includes('openid'))
    throw new AuthorizationError(target, 'invalid_scope', 'scope must contain openid for an ID token');
  if (nonce === undefined) throw new AuthorizationError(target, 'invalid_request', 'nonce is missing');
}

/**
 * Returns the code challenge. Accepts the method S256 only (RFC 7636; RFC 9700 §2.1.1: "Authorization servers MUST support
 * PKCE"). Public clients, clients that registered `code_challenge_method`, requests whose code travels to a private-use scheme,
 * and with `authorization.pkce` all clients must send a challenge. Any application can claim a private-use scheme (RFC 8252 §8.1).
 */
function codeChallenge(
  target: Target,
  settings: Settings,
  client: StoredClient,
  parameters: Parameters,
): string | undefined {
  const { code_challenge, code_challenge_method } = parameters;
  const { token_endpoint_auth_method, code_challenge_method: registered } = metadataOf(client);
  if (!target.response_type.includes('code')) return undefined;
  if (code_challenge === undefined) {
    const needed =
      settings['authorization.pkce'] === 'all-clients' ||
      token_endpoint_auth_method === 'none' ||
      registered !== undefined ||
      isPrivateUse(target.redirect_uri);
    if (code_challenge_method === undefined && !needed) return undefined;
    throw new AuthorizationError(target, 'invalid_request', 'code_challenge is missing', CHALLENGE);
  }
  if (code_challenge_method !== 'S256')
    throw new AuthorizationError(target, 'invalid_request', 'code_challenge_method must be S256', CHALLENGE);
  if (!SHA256_DIGEST.test(code_challenge))
    throw new AuthorizationError(
      target,
      'invalid_request',
      'code_challenge must be 43 characters of base64url',
      CHALLENGE,
    );
  return code_challenge;
}

/** Returns the thumbprint of the key that the code is for (RFC 9449 §10). */
function boundKey(target: Target, settings: Settings, dpop_jkt: string | undefined): string | undefined {
  if (dpop_jkt === undefined || !settings['dpop.enabled']) return undefined;
  if (!target.response_type.includes('code')) return undefined;
  if (!SHA256_DIGEST.test(dpop_jkt))
    throw new AuthorizationError(
      target,
      'invalid_request',
      'dpop_jkt must be a JWK thumbprint: 43 characters of base64url',
    );
  return dpop_jkt;
}

function prompts(target: Target, requested: string | undefined): readonly Prompt[] {
  if (requested === undefined) return [];
  const words = new Set(requested.split(' '));
  const prompt = PROMPTS.filter((known) => words.has(known));
  if (prompt.length < words.size)
    throw new AuthorizationError(
      target,
      'invalid_request',
      `prompt ${quotedValue(requested)} is not supported, supported: ${PROMPTS.join(', ')}`,
    );
  // OpenID Connect Core 1.0 §3.1.2.1: "If this parameter contains none with any other value, an error is returned."
  if (prompt.includes('none') && prompt.length > 1)
    throw new AuthorizationError(
      target,
      'invalid_request',
      'prompt none must not be combined with another value',
    );
  return prompt;
}

function maxAge(target: Target, requested: string | undefined): number | undefined {
  if (requested === undefined) return undefined;
  if (!/^[0-9]{1,9}$/.test(requested) || Number(requested) > MAX_AGE_MAX)
    throw new AuthorizationError(
      target,
      'invalid_request',
      `max_age ${quotedValue(requested)} must be a whole number of seconds from 0 to ${MAX_AGE_MAX}`,
    );
  return Number(requested);
}

function acrValues(requested: string | undefined): readonly string[] | undefined {
  return requested?.split(' ').filter((value) => value !== '');
}

function claims(target: Target, requested: string | undefined, json: JsonLimits): ClaimsRequest {
  if (requested === undefined) return NO_CLAIMS;
  const read = parseClaims(requested, json);
  if (typeof read === 'string') throw new AuthorizationError(target, 'invalid_request', `claims ${read}`);
  return read;
}

/** Returns the part of the requested scope that the client may have if its end-user consents. */
function requestedScope(
  target: Target,
  settings: Settings,
  client: StoredClient,
  requested: string | undefined,
  details: AuthorizationDetails | undefined,
): readonly string[] {
  // Details without scope ask for themselves, and not for the default scope too.
  if (requested === undefined && details !== undefined) return [];
  const offline = target.response_type.includes('code') && mayRefresh(settings, metadataOf(client));
  const granted = grantableScope(settings, client, requested, offline);
  if (granted === undefined)
    throw new AuthorizationError(target, 'invalid_scope', 'scope must be scope values separated by spaces', {
      reason: 'scope-form',
      values: { scope: requested },
    });
  if (granted.length === 0)
    throw new AuthorizationError(
      target,
      'invalid_scope',
      requested === undefined
        ? 'scope is missing, and the client has no default scope'
        : `the client is registered for no value of scope ${quotedValue(requested)}`,
      requested === undefined
        ? { reason: 'no-scope' }
        : { reason: 'scope-not-registered', values: { scope: requested } },
    );
  return granted;
}

/**
 * Returns the details that a request asks for (RFC 9396 §3). They come with a code only: no specification says how the authorisation
 * endpoint would tell the client which details an access token in its response has.
 */
function requestedDetails(
  { detailTypes }: RequestRules,
  target: Target,
  metadata: ClientMetadata,
  requested: string | undefined,
): AuthorizationDetails | undefined {
  if (requested === undefined) return undefined;
  const { response_type } = target;
  if (!response_type.includes('code') || response_type.includes('token'))
    throw new AuthorizationError(
      target,
      'invalid_authorization_details',
      'authorization_details need response_type code, or code id_token',
      { reason: 'authorization-details' },
    );
  try {
    return readAuthorizationDetails(detailTypes, metadata, requested);
  } catch (failure) {
    if (!(failure instanceof OAuthError)) throw failure;
    const { code, error_description, notes } = failure;
    const { reason, values } = notes;
    throw new AuthorizationError(target, code, error_description, {
      ...(reason === undefined ? {} : { reason }),
      ...(values === undefined ? {} : { values }),
    });
  }
}

const RESOURCES_MAX = 10;

/** Returns the resources that the tokens of a request may be for (RFC 8707 §2.1); empty if the request names none. */
function requestedResources(
  target: Target,
  settings: Settings,
  metadata: ClientMetadata,
  requested: string | undefined,
  scope: readonly string[],
): readonly string[] {
  const refuse = (words: string): AuthorizationError =>
    new AuthorizationError(target, 'invalid_target', words, {
      reason: 'resource',
      values: { resource: requested },
    });
  try {
    const hasAccessToken = target.response_type.some((word) => word !== 'id_token');
    const resources = requestedAudience(settings, metadata, requested, hasAccessToken ? scope : []);
    // The code keeps what the request names: without a name, the token endpoint decides.
    if (requested === undefined) return [];
    if (resources.length <= RESOURCES_MAX) return resources;
  } catch (failure) {
    throw failure instanceof OAuthError ? refuse(failure.error_description) : failure;
  }
  throw refuse(`resource must have at most ${RESOURCES_MAX} values`);
}
