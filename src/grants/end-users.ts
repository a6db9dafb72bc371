import { requireKeysNow } from '../clients/client-keys/remote-jwk-set.ts';
import { type BegunClientJwt, beginIdToken, type IdTokenNeeds } from '../clients/issued-jwt/client-jwt.ts';
import { subjectFor } from '../clients/issued-jwt/pairwise-subject.ts';
import type { Settings } from '../config/settings.ts';
import type { Account, AccountDirectory } from '../ports/account-directory.ts';
import type { AuthorizationCodeStore } from '../ports/authorization-code-store.ts';
import type { BackchannelRequestStore } from '../ports/backchannel-request-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { InteractionStore } from '../ports/interaction-store.ts';
import type { SessionStore } from '../ports/session-store.ts';
import { releasedClaims } from '../sessions/account-claims.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import { OAuthError } from '../spec/errors.ts';
import type { Digest, Subject } from '../spec/identifiers.ts';
import type { EndUserContext, RegisteredClient, TokenContent } from './issue-token.ts';

/** Stores and settings for tokens about end-users who signed in. */
export interface EndUserNeeds {
  readonly codes: AuthorizationCodeStore;
  readonly directory: AccountDirectory;
  readonly sessions: Pick<SessionStore, 'addClient' | 'findBySid'>;
  readonly passwordSignIn: PasswordSignInNeeds;
  readonly idTokens: IdTokenNeeds;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly devices: { readonly interactions: InteractionStore };
  readonly backchannelRequests: BackchannelRequestStore;
  /** When each device and each client without a browser last asked for its tokens, in milliseconds. One of each process. */
  readonly polls: BoundedMap<Digest, number>;
}

/** The granted scope and audience, with the end-user they are about. */
export interface EndUserGrant {
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly endUser: EndUserContext;
}

/** Returns the account with this subject; undefined if it is deleted or disabled. */
export async function accountInUse({ directory }: EndUserNeeds, sub: string): Promise<Account | undefined> {
  const account = await directory.find(sub as Subject);
  return account?.disabled === false ? account : undefined;
}

/** Returns the content of a client's tokens about an end-user. A client with pairwise subjects learns no user name (§8). */
export function endUserContent(
  { idTokens }: EndUserNeeds,
  { metadata }: Pick<RegisteredClient, 'metadata'>,
  { sub, username }: Account,
  { scope, audience, endUser }: EndUserGrant,
): TokenContent {
  const clientSub = subjectFor(metadata, sub, idTokens.pairwiseSecret);
  const known = clientSub === sub ? { username } : { clientSub };
  return { sub, ...known, scope, audience, endUser };
}

/** The values of the same response that an ID token refers to. */
export interface IdTokenCompany {
  readonly nonce?: string | undefined;
  readonly access_token?: string | undefined;
  readonly code?: string | undefined;
  /** The state of the authorisation request, if the ID token comes in its response. */
  readonly state?: string | undefined;
  /** The request and the refresh token of tokens that are pushed to the client (OpenID Connect CIBA Core 1.0 §10.3.1). */
  readonly auth_req_id?: string | undefined;
  readonly refresh_token?: string | undefined;
  /** Scope whose claims stand in the ID token itself, for example because the response has no access token (§5.4). */
  readonly scope?: readonly string[];
}

/** Begins to make an ID token about the end-user of a grant (§2, §3.1.3.3, §12.2). Resolves when nothing but its signature is left. */
export async function beginEndUserIdToken(
  { idTokens, clock, settings }: EndUserNeeds,
  { stored: { client_id }, metadata }: RegisteredClient,
  account: Account,
  { sid, auth_time, acr, amr, claims }: EndUserContext,
  { nonce, access_token, code, state, auth_req_id, refresh_token, scope = [] }: IdTokenCompany,
): Promise<BegunClientJwt> {
  const iat = clock.now();
  return await beginIdToken(idTokens, metadata, {
    sub: account.sub,
    client_id,
    iat,
    exp: iat + settings['id-token.lifetime'],
    auth_time,
    amr,
    ...(acr === null ? {} : { acr }),
    ...(sid === null ? {} : { sid }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(access_token === undefined ? {} : { access_token }),
    ...(code === undefined ? {} : { code }),
    ...(state === undefined ? {} : { state }),
    ...(auth_req_id === undefined ? {} : { auth_req_id }),
    ...(refresh_token === undefined ? {} : { refresh_token }),
    claims: releasedClaims(account, scope, claims.id_token),
  });
}

/** The member `id_token` of a token response; none if the scope does not contain `openid` (OpenID Connect Core 1.0 §3.1.2.1). */
export interface BegunIdToken {
  /** Waits for the signature. */
  member(): Promise<{ readonly id_token?: string }>;
}

export const NO_ID_TOKEN: BegunIdToken = { member: async () => ({}) };

/**
 * Begins to make the ID token of a token response. The signature takes longer than everything else, so a grant is stored meanwhile.
 * All that the client can be refused for is done when it resolves. The claims of scope values are at the UserInfo endpoint (§5.4),
 * unless `id-token.scope-claims` puts them here too.
 * @throws OAuthError invalid_request if no key fits the encryption that the client registered
 */
export async function beginIdTokenMember(
  needs: EndUserNeeds,
  client: RegisteredClient,
  account: Account,
  endUser: EndUserContext,
  { scope, ...company }: IdTokenCompany & { readonly scope: readonly string[] },
): Promise<BegunIdToken> {
  if (!scope.includes('openid')) return NO_ID_TOKEN;
  const stated = needs.settings['id-token.scope-claims'] === 'token-endpoint' ? scope : [];
  const begun = await beginEndUserIdToken(needs, client, account, endUser, { ...company, scope: stated });
  if ('jwt' in begun) return { member: async () => ({ id_token: await begun.jwt }) };
  requireKeysNow(begun, 'keys of the client');
  throw new OAuthError('invalid_request', {
    error_description: 'the ID token cannot be signed or encrypted as the client registered',
    detail: begun.problem,
  });
}
