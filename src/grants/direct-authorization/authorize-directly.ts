import { issueIdToken } from '../../clients/issued-jwt/client-jwt.ts';
import { metadataOf } from '../../clients/registered-client.ts';
import { tokenPolicyOf } from '../../clients/registration/token-policy.ts';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import { quotedValue } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { JsonObject } from '../../spec/json.ts';
import { issueInitialAccessToken, mintAccessToken, NO_CLIENT } from '../../tokens/access-token.ts';
import type { Issuing, TokenResponse } from '../grant.ts';
import { mintToken, type RegisteredClient, type TokenContent } from '../issue-token.ts';
import { prepareGrant } from '../prepare-grant.ts';
import { mayRefresh, type Refreshable, refreshableFrom } from '../refreshable.ts';
import { malformed } from './members.ts';
import { type DirectAuthorization, readRequest } from './request.ts';

/** The caller, for the audit log. */
interface Requester {
  readonly actor: string;
  readonly request_id: string;
}

/**
 * Issues tokens to a client without asking the end-user: the caller has decided. Checks the whole request before it stores
 * anything.
 * @throws OAuthError invalid_request, invalid_target
 */
export async function authorizeDirectly(
  needs: Issuing,
  request: JsonObject,
  by: Requester,
): Promise<TokenResponse> {
  const authorization = readRequest(request);
  const client = await clientFor(needs, authorization);
  if (authorization.initial) return await initialAccessToken(needs, authorization, client, by);
  // An ordinary access token belongs to a registered client; an initial access token needs none.
  if (client === undefined) throw malformed('client_id is missing');
  return await tokensFor(needs, authorization, client);
}

async function clientFor(
  needs: Issuing,
  { client_id }: DirectAuthorization,
): Promise<RegisteredClient | undefined> {
  if (client_id === undefined) return undefined;
  const stored = await needs.clients.find(client_id as ClientId);
  if (stored === undefined) throw malformed(`client_id ${quotedValue(client_id)} is not registered`);
  // Live tokens count as use: without this note the client could be deleted as idle.
  needs.uses.note(stored, undefined);
  return { stored, metadata: metadataOf(stored) };
}

/** The records to store in one write, and the response. */
interface Made {
  readonly token: StoredAccessToken;
  /** Undefined for a token that stands alone. */
  readonly grant?: StoredGrant;
  readonly response: TokenResponse;
}

async function tokensFor(
  needs: Issuing,
  authorization: DirectAuthorization,
  client: RegisteredClient,
): Promise<TokenResponse> {
  const { grants, accessTokens } = needs;
  const made = await madeTokens(needs, authorization, client);
  const id_token = await idTokenFor(needs, authorization, client, made.response.access_token);
  await (made.grant === undefined
    ? accessTokens.store.issue(made.token)
    : grants.create(made.grant, made.token));
  needs.metrics.count('chancery_tokens_issued_total', { grant: 'direct', binding: 'none' });
  return { ...made.response, ...id_token };
}

async function madeTokens(
  needs: Issuing,
  authorization: DirectAuthorization,
  client: RegisteredClient,
): Promise<Made> {
  const { refreshToken, long_lived, format } = authorization;
  const content = contentOf(authorization, client);
  const lifetime = limited(authorization.lifetime, needs.settings['access-token.lifetime-max'], 'lifetime');
  const particulars = { confirmation: undefined, format, lifetime };
  const refreshable = refreshToken === undefined ? null : refreshableFor(needs, authorization, client);
  if (refreshable === null && long_lived !== true) {
    const { stored, response } = await mintToken(needs, client, content, particulars);
    return { token: stored, response };
  }
  return await prepareGrant(needs, client, content, particulars, refreshable);
}

function contentOf(authorization: DirectAuthorization, { stored, metadata }: RegisteredClient): TokenContent {
  const { sub, username, scope, audience, data, claims, claims_data } = authorization;
  return {
    sub: sub ?? stored.client_id,
    username,
    scope,
    audience: audience.length === 0 ? (tokenPolicyOf(metadata).audience ?? []) : audience,
    data,
    // The member names of the product that defined this interface.
    more: {
      ...(claims.length === 0 ? {} : { clm: claims }),
      ...(Object.keys(claims_data).length === 0 ? {} : { cld: claims_data }),
    },
  };
}

function refreshableFor(
  { settings, clock }: Issuing,
  { refreshToken = {} }: DirectAuthorization,
  { metadata }: RegisteredClient,
): Refreshable {
  if (!metadata.grant_types.includes('refresh_token'))
    throw malformed('the client is not registered for grant type refresh_token');
  if (!mayRefresh(settings, metadata))
    throw malformed('the server offers no refresh tokens: authorization.grant-types lacks refresh_token');
  if (metadata.token_endpoint_auth_method === 'none' && refreshToken.rotate === false)
    throw malformed('refresh_token.rotate must not be false for a public client');
  const max = settings['refresh-token.lifetime-max'];
  if (max > 0) {
    if (refreshToken.lifetime === 0) throw malformed(`refresh_token.lifetime must be at most ${max} seconds`);
    limited(refreshToken.lifetime, max, 'refresh_token.lifetime');
  }
  return refreshableFrom(settings, refreshToken, clock.now());
}

async function idTokenFor(
  { idTokens, settings, clock, log }: Issuing,
  { idToken, sub, claims_data }: DirectAuthorization,
  { stored: { client_id }, metadata }: RegisteredClient,
  access_token: string,
): Promise<Pick<TokenResponse, 'id_token'>> {
  if (idToken === undefined) return {};
  if (sub === undefined) throw malformed('sub is missing: an ID token needs it');
  const lifetime =
    limited(idToken.lifetime, settings['id-token.lifetime-max'], 'id_token.lifetime') ??
    settings['id-token.lifetime'];
  const iat = clock.now();
  const exp = iat + lifetime;
  const issued = await issueIdToken(idTokens, metadata, {
    sub,
    client_id,
    iat,
    exp,
    access_token,
    claims: claims_data,
  });
  if ('jwt' in issued) return { id_token: issued.jwt };
  log.warn({ client_id, problem: issued.problem }, 'an ID token could not be encrypted to its client');
  throw malformed('the ID token cannot be signed or encrypted as the client registered');
}

async function initialAccessToken(
  needs: Issuing,
  authorization: DirectAuthorization,
  client: RegisteredClient | undefined,
  by: Requester,
): Promise<TokenResponse> {
  const { label, redirect_hosts, scope } = authorization;
  const { access_token, stored, lifetime } = await mintInitialAccessToken(needs, authorization, client);
  const issuing = { ...needs.accessTokens, log: needs.log };
  await issueInitialAccessToken(issuing, stored, { label, redirect_hosts }, by);
  return { access_token, token_type: 'Bearer', expires_in: lifetime, scope: scope.join(' ') };
}

/**
 * Makes an initial access token and stores nothing.
 * @throws OAuthError invalid_request for a lifetime above the limit
 */
export async function mintInitialAccessToken(
  needs: Pick<Issuing, 'settings' | 'accessTokens'>,
  authorization: Pick<DirectAuthorization, 'scope' | 'lifetime'> & Partial<DirectAuthorization>,
  client?: RegisteredClient,
): Promise<{ readonly access_token: string; readonly stored: StoredAccessToken; readonly lifetime: number }> {
  const { scope, audience = [], data, username } = authorization;
  const { 'initial-access-token.lifetime': usual, 'initial-access-token.lifetime-max': max } = needs.settings;
  const lifetime = limited(authorization.lifetime, max, 'lifetime') ?? usual;
  const client_id = client?.stored.client_id ?? NO_CLIENT;
  const minted = await mintAccessToken(needs.accessTokens, {
    format: 'identifier',
    client_id,
    client_instance: client?.stored.instance ?? null,
    sub: authorization.sub ?? client_id,
    username,
    scope,
    audience,
    data,
    confirmation: undefined,
    lifetime,
  });
  return { ...minted, lifetime };
}

/** Returns the value, and rejects one above the limit. @param max seconds */
function limited(value: number | undefined, max: number, name: string): number | undefined {
  if (value !== undefined && value > max) throw malformed(`${name} must be at most ${max} seconds`);
  return value;
}
