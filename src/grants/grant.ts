import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { IdTokenNeeds } from '../clients/issued-jwt/client-jwt.ts';
import type { RequestOrigin } from '../clients/person-event.ts';
import type { ClientUses } from '../clients/upkeep/client-uses.ts';
import type { Settings } from '../config/settings.ts';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { AuditLog } from '../ports/audit-log.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { Log } from '../ports/log.ts';
import type { Counting } from '../ports/metrics.ts';
import type { GrantType } from '../spec/grant-types.ts';
import type { ParameterName } from '../spec/parameter-words.ts';
import type { Parameters } from '../spec/parameters.ts';
import type { AccessTokenNeeds } from '../tokens/access-token.ts';
import type { DpopNeeds } from '../tokens/dpop-proof.ts';
import type { IdTokenHintNeeds } from '../tokens/id-token-hint.ts';
import type { AssertionGrantNeeds } from './assertion-grant.ts';
import type { AuthorizationDetail, DetailTypes } from './authorization-details/detail-types.ts';
import type { EndUserNeeds } from './end-users.ts';

/** Stores, keys and settings for issuing the tokens of one issuer. */
export interface Issuing {
  readonly issuer: string;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Counting;
  readonly accessTokens: AccessTokenNeeds;
  readonly idTokens: IdTokenNeeds;
  readonly grants: GrantStore;
  readonly clients: ClientStore;
  readonly uses: ClientUses;
  readonly dpop: DpopNeeds;
  readonly detailTypes: DetailTypes;
}

export interface GrantNeeds extends Issuing {
  readonly idTokenHints: IdTokenHintNeeds;
  readonly audit: Pick<AuditLog, 'append'>;
  /** Undefined if the server trusts no issuer of assertions. */
  readonly assertions?: AssertionGrantNeeds | undefined;
  /** Undefined if the server has no sign-in of end-users. */
  readonly endUsers?: EndUserNeeds | undefined;
}

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  /** `DPoP`: the token is bound to a key (RFC 9449 §5). `N_A`: it is no access token (RFC 8693 §2.2.1). */
  readonly token_type: 'Bearer' | 'DPoP' | 'N_A';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  /** Seconds until the refresh token expires; absent if it does not expire. */
  readonly refresh_token_expires_in?: number;
  readonly id_token?: string;
  /** RFC 8693 §2.2.1. */
  readonly issued_token_type?: string;
  /** The details of this access token (RFC 9396 §7); absent where none were granted. */
  readonly authorization_details?: readonly AuthorizationDetail[];
}

/** The tokens that a grant gave. */
export interface Granted {
  readonly response: TokenResponse;
  /** The access token in the response; undefined for a token of another kind, such as an identity assertion grant. */
  readonly token: StoredAccessToken | undefined;
  /** The account that they are for; undefined for a client that acts for itself, or if the grant has recorded its own event. */
  readonly sub: string | undefined;
}

/** The needs that decide which grants the server offers. */
export type OfferNeeds = Pick<GrantNeeds, 'assertions' | 'endUsers' | 'settings'>;

/** Describes one grant of the token endpoint as data (RFC 6749 §4). */
export interface Grant {
  readonly grant_type: GrantType;
  /** Request parameters that this grant reads besides `grant_type`, `resource` and those of client authentication. */
  readonly parameters: readonly ParameterName[];
  /** Whether the settings of this server allow the grant; absent: always. */
  readonly isOffered?: (needs: OfferNeeds) => boolean;
  handle(
    needs: GrantNeeds,
    client: AuthenticatedClient,
    parameters: Parameters,
    from: RequestOrigin,
  ): Promise<Granted>;
}
