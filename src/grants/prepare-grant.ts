import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { StoredGrant, StoredRefreshToken } from '../ports/grant-store.ts';
import type { GrantId } from '../spec/identifiers.ts';
import { mintRefreshToken, newGrantId } from '../tokens/refresh-token.ts';
import type { Issuing, TokenResponse } from './grant.ts';
import { mintToken, type RegisteredClient, type TokenContent, type TokenParticulars } from './issue-token.ts';
import {
  endOfGrant,
  expiryOf,
  type GrantAuthorization,
  type Refreshable,
  refreshTokenExpiresIn,
} from './refreshable.ts';

/** A grant before it is stored, its first access token, and the response to the client. */
export interface PreparedGrant {
  readonly grant: StoredGrant;
  readonly token: StoredAccessToken;
  readonly response: TokenResponse;
}

/**
 * Makes a grant with its first access token, and with a refresh token if it is refreshable. The caller stores it.
 * All tokens that are issued for the grant later end with it.
 */
export async function prepareGrant(
  needs: Pick<Issuing, 'accessTokens' | 'settings'>,
  client: RegisteredClient,
  content: TokenContent,
  particulars: Omit<TokenParticulars, 'grant_id'>,
  refreshable: Refreshable | null,
): Promise<PreparedGrant> {
  const { accessTokens } = needs;
  const grant_id = newGrantId(accessTokens);
  const now = accessTokens.clock.now();
  const { stored, response } = await mintToken(needs, client, content, { ...particulars, grant_id });
  const refresh = refreshable === null ? undefined : firstRefreshToken(needs, grant_id, refreshable, now);
  const { sub, ...authorized } = content;
  const authorization: GrantAuthorization = { ...authorized, refreshable, ...holderOf(client, particulars) };
  const grant: StoredGrant = {
    grant_id,
    client_id: client.stored.client_id,
    client_instance: client.stored.instance,
    sub,
    ...sessionOf(content),
    authorization: JSON.stringify(authorization),
    created_at: now,
    expires_at: endOfGrant(refresh?.stored ?? null, stored.expires_at),
    refresh_token: refresh?.stored ?? null,
  };
  return { grant, token: stored, response: { ...response, ...refresh?.members } };
}

/**
 * Returns the keys that refresh tokens are bound to. RFC 9449 §5: "Refresh tokens issued to public clients … MUST be bound to the
 * public key". RFC 8705 §4: if a public client has bound access tokens, the server
 * "SHOULD also bind the refresh token to the respective certificate". Refresh tokens of other clients need no binding, because
 * the client authenticates (§6.3 there).
 */
function holderOf(
  { metadata }: RegisteredClient,
  { confirmation }: Pick<TokenParticulars, 'confirmation'>,
): Pick<GrantAuthorization, 'confirmation'> {
  return confirmation === undefined || metadata.token_endpoint_auth_method !== 'none' ? {} : { confirmation };
}

/**
 * Returns the session that the grant ends with. OpenID Connect Back-Channel Logout 1.0 §2.7: "Refresh tokens issued without the
 * offline_access property … SHOULD be revoked" with the session.
 */
function sessionOf({ scope, endUser }: TokenContent): Pick<StoredGrant, 'sid'> {
  const sid = scope.includes('offline_access') ? null : (endUser?.sid ?? null);
  return sid === null ? {} : { sid };
}

function firstRefreshToken(
  { accessTokens }: Pick<Issuing, 'accessTokens'>,
  grant_id: GrantId,
  refreshable: Refreshable,
  now: number,
): { readonly stored: StoredRefreshToken; readonly members: Partial<TokenResponse> } {
  const { digest, refresh_token } = mintRefreshToken(accessTokens, grant_id);
  const expires_at = expiryOf(refreshable, now);
  return {
    stored: { digest, expires_at },
    members: { refresh_token, ...refreshTokenExpiresIn(expires_at, now) },
  };
}
