import type { AuthenticatedClient } from '../clients/client-authentication/authenticate-client.ts';
import { tokenPolicyOf } from '../clients/registration/token-policy.ts';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { GrantId, SessionId } from '../spec/identifiers.ts';
import { type AccessTokenFormat, mintAccessToken } from '../tokens/access-token.ts';
import { type Confirmation, tokenTypeOf } from '../tokens/confirmation.ts';
import { requestedAudience } from './audience.ts';
import type { AuthorizationDetail, AuthorizationDetails } from './authorization-details/detail-types.ts';
import { detailsFor } from './authorization-details/narrowed-details.ts';
import type { Issuing, TokenResponse } from './grant.ts';
import { tokenConfirmation } from './token-confirmation.ts';

/** Says how the end-user of a grant was authenticated, and which claims the client requested by name for ID tokens and UserInfo. */
export interface EndUserContext {
  /** Null without a session: the end-user gave the password to the client. */
  readonly sid: SessionId | null;
  /** Seconds since the Unix epoch. */
  readonly auth_time: number;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** Names of claims (OpenID Connect Core 1.0 §5.5). */
  readonly claims: { readonly userinfo: readonly string[]; readonly id_token: readonly string[] };
}

/** The subject, scope and audience of an access token, with further content. */
export interface TokenContent {
  readonly sub: string;
  /** The pairwise subject, if the client registered for one (OpenID Connect Core 1.0 §8). */
  readonly clientSub?: string | undefined;
  readonly username?: string | undefined;
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  /** JSON text of the introspection member `dat`. */
  readonly data?: string | undefined;
  /** Further members of the introspection response, which are also claims of the JWT. */
  readonly more?: Readonly<Record<string, unknown>> | undefined;
  /** The granted details; a token has a part of them (RFC 9396). Absent without details. */
  readonly authorization_details?: AuthorizationDetails | undefined;
  /** How its end-user signed in. The grant stores it, so that a refreshed token says the same. Absent without an end-user who signed in. */
  readonly endUser?: EndUserContext | undefined;
}

/** Properties of a single token. The client's registration supplies absent ones, and the settings what it leaves out. */
export interface TokenParticulars {
  readonly confirmation: Confirmation | undefined;
  readonly grant_id?: GrantId | undefined;
  readonly format?: AccessTokenFormat | undefined;
  /** Fewer details than were granted. */
  readonly authorization_details?: AuthorizationDetails | undefined;
  /** Seconds. */
  readonly lifetime?: number | undefined;
  /** The latest end that it may have, in seconds since the Unix epoch. */
  readonly endsAt?: number | undefined;
}

export type RegisteredClient = Pick<AuthenticatedClient, 'stored' | 'metadata'>;

export interface MintedToken {
  readonly stored: StoredAccessToken;
  readonly response: TokenResponse;
}

/** Makes an access token of a client and the response with it (RFC 6749 §5.1). The caller stores the token. */
export async function mintToken(
  { accessTokens, settings }: Pick<Issuing, 'accessTokens' | 'settings'>,
  { stored: { client_id, instance, expires_at }, metadata }: RegisteredClient,
  content: TokenContent,
  { confirmation, grant_id, ...particulars }: TokenParticulars,
): Promise<MintedToken> {
  const policy = tokenPolicyOf(metadata);
  const now = accessTokens.clock.now();
  const endsAt = particulars.endsAt ?? Infinity;
  const lifetime = Math.min(
    particulars.lifetime ?? policy.lifetime ?? settings['access-token.lifetime'],
    settings['access-token.lifetime-max'],
    // No token outlives the registration of its client.
    expires_at === null ? Infinity : expires_at - now,
    endsAt - now,
  );
  const details = detailsOf(content, particulars);
  const { access_token, stored } = await mintAccessToken(accessTokens, {
    ...content,
    more: { ...content.more, ...authenticationOf(content.endUser), ...details },
    sub: content.clientSub ?? content.sub,
    subject: content.sub,
    format: particulars.format ?? policy.format ?? settings['access-token.format'],
    client_id,
    client_instance: instance,
    grant_id,
    confirmation,
    lifetime,
    endsAt,
  });
  const scope = content.scope.join(' ');
  return {
    stored,
    response: {
      access_token,
      token_type: tokenTypeOf(confirmation),
      expires_in: lifetime,
      scope,
      ...details,
    },
  };
}

/** Returns the details of one token, for its response, its introspection and its claims (RFC 9396 §7, §9). */
function detailsOf(
  { authorization_details: granted, audience }: TokenContent,
  { authorization_details: narrowed = granted }: Pick<TokenParticulars, 'authorization_details'>,
): { readonly authorization_details?: readonly AuthorizationDetail[] } {
  return narrowed === undefined ? {} : { authorization_details: detailsFor(narrowed, audience) };
}

/**
 * Returns the members that say how the end-user was authenticated (RFC 9470 §6, RFC 9068 §2.2.1). They are those of the
 * authorisation: a refresh changes none (RFC 9068 §2.2.1). A client that acts for itself has none.
 */
function authenticationOf(endUser: EndUserContext | undefined): Readonly<Record<string, unknown>> {
  if (endUser === undefined) return {};
  const { auth_time, acr, amr } = endUser;
  return { auth_time, ...(acr === null ? {} : { acr }), ...(amr.length === 0 ? {} : { amr }) };
}

/** Issues an access token without a grant. The token is durable when the promise resolves. */
export async function issueToken(
  needs: Issuing,
  client: AuthenticatedClient,
  { resource, ...granted }: Omit<TokenContent, 'audience'> & { readonly resource: string | undefined },
): Promise<{ readonly response: TokenResponse; readonly token: StoredAccessToken }> {
  const audience = requestedAudience(needs.settings, client.metadata, resource, granted.scope);
  const { stored: token, response } = await mintToken(
    needs,
    client,
    { ...granted, audience },
    { confirmation: await tokenConfirmation(needs, client) },
  );
  await needs.accessTokens.store.issue(token);
  return { response, token };
}
