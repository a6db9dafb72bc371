import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import type { Log } from '../ports/log.ts';
import type { GrantType } from '../spec/grant-types.ts';
import type { Parameters } from '../spec/parameters.ts';
import type { AccessTokenFormat, AccessTokenNeeds } from '../tokens/access-token.ts';
import type { AssertionGrantNeeds } from './assertion-grant.ts';
import type { EndUserNeeds } from './end-users.ts';

/** What it takes to issue tokens. */
export interface IssuingNeeds {
  readonly accessTokens: AccessTokenNeeds;
  readonly tokenSettings: TokenSettings;
  readonly grants: GrantStore;
  readonly log: Log;
}

export interface GrantNeeds extends IssuingNeeds {
  /** Undefined where nobody's assertions are taken. */
  readonly assertions?: AssertionGrantNeeds | undefined;
  /** Undefined where nobody signs in. */
  readonly endUsers?: EndUserNeeds | undefined;
}

/** Durations are in seconds. */
export interface TokenSettings {
  readonly accessToken: {
    /** Where the client's registration names none. */
    readonly format: AccessTokenFormat;
    readonly lifetime: number;
    readonly lifetimeMax: number;
    /** What may be asked for; empty: any resource. */
    readonly resources: readonly string[];
    /** Characters. */
    readonly resourceLengthMax: number;
  };
  readonly refreshToken: {
    /** 0: it does not expire. */
    readonly lifetime: number;
    /** 0: any; otherwise no grant may ask for more, or for none. */
    readonly lifetimeMax: number;
    /** How long it may lie unused; 0: as long as it lives. */
    readonly maxIdle: number;
    /** Of clients that authenticate; those of public clients always are. */
    readonly rotate: boolean;
  };
}

/** RFC 6749 §5.1. */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  /** Seconds until it expires; absent where it does not. */
  readonly refresh_token_expires_in?: number;
  readonly id_token?: string;
}

/** What decides which grants there are. */
export type OfferNeeds = Pick<GrantNeeds, 'assertions' | 'endUsers'>;

/** A way to get a token at the token endpoint, as data (RFC 6749 §4). */
export interface Grant {
  readonly grant_type: GrantType;
  /** Request parameters it reads besides `grant_type`, `resource` and those of client authentication. */
  readonly parameters: readonly string[];
  /** Whether this server is set up for it; absent: always. */
  readonly isOffered?: (needs: OfferNeeds) => boolean;
  handle(
    needs: GrantNeeds,
    client: AuthenticatedClient,
    parameters: Parameters,
    from: RequestOrigin,
  ): Promise<TokenResponse>;
}

/** Where a request came from, for limits and for the log. */
export interface RequestOrigin {
  readonly remoteAddress: string;
  readonly request_id: string;
}
