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

/** A grant that is not stored yet, its first access token, and the answer with what was made. */
export interface PreparedGrant {
  readonly grant: StoredGrant;
  readonly token: StoredAccessToken;
  readonly response: TokenResponse;
}

/**
 * Makes a grant with its first access token, and with a refresh token where it is refreshable; nothing is stored yet.
 * Whatever is issued for it later ends with it.
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
 * RFC 8705 §4: when a public client has its tokens bound, the authorisation server "SHOULD also bind the refresh token to the
 * respective certificate". Those of others are bound to the client, which authenticates (§6.3 there).
 */
function holderOf(
  { metadata }: RegisteredClient,
  { confirmation }: Pick<TokenParticulars, 'confirmation'>,
): Pick<GrantAuthorization, 'confirmation'> {
  return confirmation === undefined || metadata.token_endpoint_auth_method !== 'none' ? {} : { confirmation };
}

/** OpenID Connect Back-Channel Logout 1.0 §2.7: "Refresh tokens issued without the offline_access property … SHOULD be revoked" with the session. */
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
