import { type ClientJwt, type IdTokenNeeds, issueIdToken } from '../clients/issued-jwt/client-jwt.ts';
import { subjectFor } from '../clients/issued-jwt/pairwise-subject.ts';
import type { Account, AccountDirectory } from '../ports/account-directory.ts';
import type { AuthorizationCodeStore } from '../ports/authorization-code-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { SessionStore } from '../ports/session-store.ts';
import { releasedClaims } from '../sessions/account-claims.ts';
import type { PasswordSignInNeeds } from '../sessions/password-sign-in.ts';
import { OAuthError } from '../spec/errors.ts';
import type { Subject } from '../spec/identifiers.ts';
import type { EndUserContext } from './end-user-context.ts';
import type { RegisteredClient, TokenContent } from './issue-token.ts';

/** What it takes to issue tokens about end-users who were there. */
export interface EndUserNeeds {
  readonly codes: AuthorizationCodeStore;
  readonly directory: AccountDirectory;
  readonly sessions: Pick<SessionStore, 'addClient' | 'findBySid'>;
  readonly passwordSignIn: PasswordSignInNeeds;
  readonly idTokens: IdTokenNeeds;
  readonly clock: Clock;
  /** Seconds. */
  readonly settings: { readonly 'authorization-code.lifetime': number; readonly 'id-token.lifetime': number };
}

/** What was granted about an end-user. */
export interface EndUserGrant {
  readonly scope: readonly string[];
  readonly audience: readonly string[];
  readonly endUser: EndUserContext;
}

/** The account that something may be issued for; undefined for one that is gone or disabled. */
export async function accountInUse({ directory }: EndUserNeeds, sub: string): Promise<Account | undefined> {
  const account = await directory.find(sub as Subject);
  return account?.disabled === false ? account : undefined;
}

/** What the tokens of a client about an end-user say: of one that it knows by a pairwise subject nothing else (§8). */
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

/** What an ID token goes with. */
export interface IdTokenCompany {
  readonly nonce?: string | undefined;
  readonly access_token?: string | undefined;
  readonly code?: string | undefined;
  /** Scope whose claims are in the ID token itself, since no access token gets them (§5.4). */
  readonly scope?: readonly string[];
}

/** An ID token about the end-user of a grant (§2, §3.1.3.3, §12.2). */
export async function endUserIdToken(
  { idTokens, clock, settings }: EndUserNeeds,
  { stored: { client_id }, metadata }: RegisteredClient,
  account: Account,
  { sid, auth_time, acr, amr, claims }: EndUserContext,
  { nonce, access_token, code, scope = [] }: IdTokenCompany,
): Promise<ClientJwt> {
  const iat = clock.now();
  return await issueIdToken(idTokens, metadata, {
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
    claims: releasedClaims(account, scope, claims.id_token),
  });
}

/**
 * The member of a token response, where the scope asks for it (OpenID Connect Core 1.0 §3.1.2.1, `openid`).
 * @throws OAuthError invalid_request where it cannot be encrypted as the client has registered
 */
export async function idTokenMember(
  scope: readonly string[],
  make: () => Promise<ClientJwt>,
): Promise<{ readonly id_token?: string }> {
  if (!scope.includes('openid')) return {};
  const made = await make();
  if ('jwt' in made) return { id_token: made.jwt };
  throw new OAuthError('invalid_request', {
    error_description: 'the client has no key that its ID tokens can be encrypted to',
    detail: made.problem,
  });
}
