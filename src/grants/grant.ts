import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { GrantType } from '../spec/grant-types.ts';
import type { Parameters } from '../spec/parameters.ts';
import type { AccessTokenNeeds } from '../tokens/access-token.ts';

export interface GrantNeeds {
  readonly accessTokens: AccessTokenNeeds;
  /** Seconds. */
  readonly accessTokenLifetime: number;
}

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

/** A way to get a token at the token endpoint, as data (RFC 6749 §4). */
export interface Grant {
  readonly grant_type: GrantType;
  /** Request parameters it reads besides `grant_type` and those of client authentication. */
  readonly parameters: readonly string[];
  handle(needs: GrantNeeds, client: AuthenticatedClient, parameters: Parameters): Promise<TokenResponse>;
}
