import { tokenConfirmation } from '../clients/certificate-binding.ts';
import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import { mintAccessToken } from '../tokens/access-token.ts';
import type { GrantNeeds, TokenResponse } from './grant.ts';

/** An access token of a client, durable when it resolves (RFC 6749 §5.1). */
export async function issueToken(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  { sub, scope }: { readonly sub: string; readonly scope: readonly string[] },
): Promise<TokenResponse> {
  const { access_token, stored } = await mintAccessToken(needs.accessTokens, {
    format: 'identifier',
    client_id: client.stored.client_id,
    client_instance: client.stored.instance,
    sub,
    scope,
    audience: [],
    confirmation: tokenConfirmation(client),
    lifetime: needs.accessTokenLifetime,
  });
  await needs.accessTokens.store.issue(stored);
  return {
    access_token,
    token_type: 'Bearer',
    expires_in: needs.accessTokenLifetime,
    scope: scope.join(' '),
  };
}
