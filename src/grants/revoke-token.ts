import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import { logEvent, type PersonEventNeeds, personEvent, type RequestOrigin } from '../clients/person-event.ts';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { GrantStore, StoredGrant } from '../ports/grant-store.ts';
import type { Log } from '../ports/log.ts';
import type { AuditAction } from '../spec/audit-events.ts';
import { OAuthError } from '../spec/errors.ts';
import { type AccessTokenNeeds, findAccessToken } from '../tokens/access-token.ts';
import { genuineRefreshToken } from '../tokens/refresh-token.ts';

export interface RevocationNeeds extends PersonEventNeeds {
  readonly log: Log;
  readonly accessTokens: AccessTokenNeeds;
  readonly grants: GrantStore;
}

/**
 * Revokes a token of this client (RFC 7009 §2.1). An access token ends alone. A refresh token, even a rotated one, ends its
 * grant with all its access tokens. An unknown or expired token is no error (§2.2).
 * @throws OAuthError invalid_grant for a token of another client: "the request is refused and the client is informed"
 */
export async function revokeToken(
  needs: RevocationNeeds,
  client: AuthenticatedClient,
  presented: string,
  origin: RequestOrigin,
): Promise<void> {
  const refresh = genuineRefreshToken(needs.accessTokens, presented);
  if (refresh !== undefined) {
    const grant = await needs.grants.find(refresh.grant_id);
    if (grant === undefined) return;
    requireOwn(client, grant);
    const about = { sub: grant.sub, detail: 'refresh token revoked' };
    const event = eventOf(needs, client, 'grant.end', about, origin);
    if (await needs.grants.end(grant.grant_id, event)) logEvent(needs, event);
    return;
  }
  const found = await findAccessToken(needs.accessTokens, presented);
  if (found === undefined) return;
  requireOwn(client, found);
  const event = eventOf(needs, client, 'token.revoke', { sub: undefined, detail: null }, origin);
  await needs.accessTokens.store.revoke(found.key, event.at, event);
  logEvent(needs, event);
}

function eventOf(
  needs: RevocationNeeds,
  { stored: { client_id } }: AuthenticatedClient,
  action: AuditAction,
  about: { readonly sub: string | undefined; readonly detail: string | null },
  origin: RequestOrigin,
): AuditEvent {
  return personEvent(needs, action, { ...about, client_id, actor: `client:${client_id}` }, origin);
}

function requireOwn(
  { stored }: AuthenticatedClient,
  { client_id, client_instance }: StoredAccessToken | StoredGrant,
): void {
  if (client_id === stored.client_id && client_instance === stored.instance) return;
  // RFC 6749 §5.2, invalid_grant: "… or was issued to another client."
  throw new OAuthError('invalid_grant', {
    error_description: 'the token was issued to another client',
    reason: 'token-of-another-client',
    values: { issued_to: client_id },
  });
}
