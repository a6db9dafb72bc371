import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { GrantType } from '../spec/grant-types.ts';
import type { Parameters } from '../spec/parameters.ts';
import type { AccessTokenNeeds } from '../tokens/access-token.ts';
import type { AssertionGrantNeeds } from './assertion-grant.ts';

export interface GrantNeeds {
  readonly accessTokens: AccessTokenNeeds;
  /** Seconds. */
  readonly accessTokenLifetime: number;
  /** Undefined where nobody's assertions are taken. */
  readonly assertions?: AssertionGrantNeeds | undefined;
}

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
}

/** What decides which grants there are. */
export type OfferNeeds = Pick<GrantNeeds, 'assertions'>;

/** A way to get a token at the token endpoint, as data (RFC 6749 §4). */
export interface Grant {
  readonly grant_type: GrantType;
  /** Request parameters it reads besides `grant_type` and those of client authentication. */
  readonly parameters: readonly string[];
  /** Whether this server is set up for it; absent: always. */
  readonly isOffered?: (needs: OfferNeeds) => boolean;
  handle(needs: GrantNeeds, client: AuthenticatedClient, parameters: Parameters): Promise<TokenResponse>;
}
