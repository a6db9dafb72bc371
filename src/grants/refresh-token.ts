import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { RequestOrigin } from '../clients/person-event.ts';
import type { Account } from '../ports/account-directory.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { StoredGrant } from '../ports/grant-store.ts';
import { OAuthError, quotedValue } from '../spec/errors.ts';
import type { RefusalReason } from '../spec/refusal-reasons.ts';
import { memberOf, parseScope } from '../spec/scope.ts';
import { confirms } from '../tokens/confirmation.ts';
import {
  type GenuineRefreshToken,
  genuineRefreshToken,
  type MintedRefreshToken,
  mintRefreshToken,
} from '../tokens/refresh-token.ts';
import { scopeNow } from './admin-scope.ts';
import { narrowedAudience } from './audience.ts';
import { narrowedDetails } from './authorization-details/narrowed-details.ts';
import { accountInUse, type BegunIdToken, beginIdTokenMember, NO_ID_TOKEN } from './end-users.ts';
import type { Grant, GrantNeeds, TokenResponse } from './grant.ts';
import { type MintedToken, mintToken } from './issue-token.ts';
import {
  endOfGrant,
  expiryOf,
  type GrantAuthorization,
  isRotated,
  type Refreshable,
  refreshTokenExpiresIn,
  reuseEvent,
} from './refreshable.ts';
import { tokenConfirmation } from './token-confirmation.ts';

/**
 * Issues a new access token of a grant for its refresh token (RFC 6749 §6). A second use of a rotated token means that it was
 * copied, and the server cannot tell which of the two users is the thief: the grant ends (RFC 9700 §4.14.2). There is no grace
 * period for a client that lost the response, because a thief's use would look the same.
 */
export const refreshToken: Grant = {
  grant_type: 'refresh_token',
  parameters: ['refresh_token', 'scope', 'authorization_details'],
  async handle(needs, client, parameters, origin) {
    const presented = presentedToken(needs, parameters['refresh_token']);
    const { grant, refreshable, authorization } = await grantOf(needs, client, presented);
    const confirmation = await tokenConfirmation(needs, client);
    await requireCurrent(needs, client, { grant, presented, origin });
    const account = await endUserOf(needs, grant, authorization);
    const narrowed = narrowedScope(authorization.scope, parameters['scope']);
    const scope = scopeNow(narrowed, client.stored, account);
    const audience = narrowedAudience(authorization.audience, parameters['resource']);
    const authorization_details = narrowedDetails(
      needs.detailTypes,
      client.metadata,
      authorization.authorization_details,
      parameters['authorization_details'],
    );
    const minted = await mintToken(
      needs,
      client,
      { ...authorization, sub: grant.sub, scope, audience },
      { confirmation, grant_id: grant.grant_id, authorization_details },
    );
    const rotated = isRotated(needs.settings, client.metadata, refreshable)
      ? mintRefreshToken(needs.accessTokens, grant.grant_id)
      : undefined;
    const { access_token } = minted.response;
    const idToken = await beginIdTokenFor(needs, client, { account, scope, access_token }, authorization);
    const onReuse = reuseOf(needs, client, grant, origin);
    const use = { presented, refreshable, minted, rotated, onReuse };
    const response = await refreshed(needs, use, parameters['refresh_token']);
    const { sub } = grant;
    return {
      response: { ...response, ...(await idToken.member()) },
      token: minted.stored,
      sub: sub === client.stored.client_id ? undefined : sub,
    };
  },
};

/**
 * Returns the account of the end-user; undefined for a grant without an end-user who signed in.
 * @throws OAuthError invalid_grant if the account is deleted or disabled
 */
async function endUserOf(
  { endUsers }: GrantNeeds,
  { sub }: StoredGrant,
  { endUser }: GrantAuthorization,
): Promise<Account | undefined> {
  if (endUser === undefined) return undefined;
  const account = endUsers === undefined ? undefined : await accountInUse(endUsers, sub);
  if (account === undefined) throw invalidGrant('no-end-user');
  return account;
}

/** Begins to make an ID token like the first one, with new times and without its nonce (OpenID Connect Core 1.0 §12.2). */
async function beginIdTokenFor(
  { endUsers }: GrantNeeds,
  client: AuthenticatedClient,
  now: {
    readonly account: Account | undefined;
    readonly scope: readonly string[];
    readonly access_token: string;
  },
  { endUser }: GrantAuthorization,
): Promise<BegunIdToken> {
  const { account, scope, access_token } = now;
  if (account === undefined || endUser === undefined || endUsers === undefined) return NO_ID_TOKEN;
  return await beginIdTokenMember(endUsers, client, account, endUser, { scope, access_token });
}

interface Use {
  readonly presented: GenuineRefreshToken;
  readonly refreshable: Refreshable;
  readonly minted: MintedToken;
  readonly rotated: MintedRefreshToken | undefined;
  readonly onReuse: AuditEvent;
}

/** Stores the new tokens. The store decides atomically whether the presented token is still valid. */
async function refreshed(
  needs: GrantNeeds,
  { presented, refreshable, minted, rotated, onReuse }: Use,
  same: string | undefined,
): Promise<TokenResponse> {
  const now = needs.accessTokens.clock.now();
  const { grant_id, digest } = presented;
  const next = { digest: rotated?.digest ?? digest, expires_at: expiryOf(refreshable, now) };
  const outcome = await needs.grants.refresh({
    grant_id,
    presented: digest,
    next,
    expires_at: endOfGrant(next, minted.stored.expires_at),
    token: minted.stored,
    now,
    onReuse,
  });
  if (outcome === 'reused') tellOfReuse(needs, onReuse, presented);
  if (outcome !== 'refreshed')
    throw invalidGrant(outcome === 'reused' ? 'used-refresh-token' : 'unknown-refresh-token');
  const refresh_token = rotated?.refresh_token ?? same ?? '';
  return { ...minted.response, refresh_token, ...refreshTokenExpiresIn(next.expires_at, now) };
}

function presentedToken(needs: GrantNeeds, token: string | undefined): GenuineRefreshToken {
  if (token === undefined) {
    throw new OAuthError('invalid_request', {
      error_description: 'refresh_token is missing',
      reason: 'missing-parameter',
    });
  }
  const genuine = genuineRefreshToken(needs.accessTokens, token);
  if (genuine === undefined) throw invalidGrant('unknown-refresh-token');
  return genuine;
}

interface RefreshableGrant {
  readonly grant: StoredGrant;
  readonly refreshable: Refreshable;
  readonly authorization: GrantAuthorization;
}

/** Returns the grant of a refresh token if this client, with these keys, may use it. The token may be an old one. */
async function grantOf(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  presented: GenuineRefreshToken,
): Promise<RefreshableGrant> {
  const grant = await needs.grants.find(presented.grant_id);
  const { client_id, instance } = client.stored;
  // RFC 6749 §6: "The authorization server MUST … ensure that the refresh token was issued to the authenticated client".
  if (grant === undefined) throw invalidGrant('unknown-refresh-token');
  if (grant.client_id !== client_id || grant.client_instance !== instance)
    throw invalidGrant('refresh-token-of-another-client');
  const authorization = JSON.parse(grant.authorization) as GrantAuthorization;
  const { refreshable, confirmation } = authorization;
  if (refreshable === null) throw invalidGrant('unknown-refresh-token');
  const { certificate, proof } = client;
  if (confirmation !== undefined && !confirms({ certificate, jkt: proof?.jkt }, confirmation))
    throw invalidGrant(confirmation.jkt === undefined ? 'certificate-binding' : 'dpop-proof');
  return { grant, refreshable, authorization };
}

/**
 * Ends the grant of a rotated token. This check follows those of the keys: a thief without them must not be able to end the
 * grant.
 */
async function requireCurrent(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  use: Pick<RefreshableGrant, 'grant'> & {
    readonly presented: GenuineRefreshToken;
    readonly origin: RequestOrigin;
  },
): Promise<void> {
  const { grant, presented, origin } = use;
  if (grant.refresh_token?.digest === presented.digest) return;
  const event = reuseOf(needs, client, grant, origin);
  if (await needs.grants.end(grant.grant_id, event)) tellOfReuse(needs, event, presented);
  throw invalidGrant('used-refresh-token');
}

function reuseOf(
  needs: GrantNeeds,
  { stored: { client_id } }: AuthenticatedClient,
  { sub }: StoredGrant,
  origin: RequestOrigin,
): AuditEvent {
  return reuseEvent(needs, 'refresh token', client_id, sub, origin);
}

function tellOfReuse({ log }: GrantNeeds, event: AuditEvent, { grant_id }: GenuineRefreshToken): void {
  log.warn({ ...event, grant_id }, 'a refresh token was used again after it was rotated: its grant is ended');
}

/** Returns the requested scope (RFC 6749 §6: it "MUST NOT include any scope not originally granted by the resource owner"). */
function narrowedScope(granted: readonly string[], requested: string | undefined): readonly string[] {
  if (requested === undefined) return granted;
  const values = parseScope(requested);
  if (values === undefined)
    throw new OAuthError('invalid_scope', {
      error_description: 'scope must be scope values separated by spaces',
      reason: 'scope-form',
      values: { scope: requested },
    });
  const isGranted = memberOf(granted);
  const excess = values.find((value) => !isGranted(value));
  if (excess !== undefined)
    throw new OAuthError('invalid_scope', {
      error_description: `scope value ${quotedValue(excess)} was not granted, granted: ${quotedValue(granted.join(' '))}`,
      reason: 'scope-not-granted',
      values: { scope: excess },
    });
  return values;
}

/** Returns the same answer for every reason (RFC 6749 §5.2). */
function invalidGrant(reason: RefusalReason): OAuthError {
  return new OAuthError('invalid_grant', { error_description: 'the refresh token is not valid', reason });
}
