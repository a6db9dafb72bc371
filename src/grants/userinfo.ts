import { subjectFor } from '../clients/issued-jwt/pairwise-subject.ts';
import { metadataOf } from '../clients/registered-client.ts';
import type { StoredAccessToken } from '../ports/access-token-store.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { GrantStore } from '../ports/grant-store.ts';
import { releasedClaims } from '../sessions/account-claims.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import type { Subject } from '../spec/identifiers.ts';
import { accountInUse, type EndUserNeeds } from './end-users.ts';
import type { GrantAuthorization } from './refreshable.ts';

export interface UserinfoNeeds {
  readonly clients: Pick<ClientStore, 'find'>;
  readonly grants: GrantStore;
  readonly endUsers: EndUserNeeds;
}

/** The claims that the client of an access token may have about the end-user (OpenID Connect Core 1.0 §5.3.2). */
export interface Userinfo {
  readonly metadata: ClientMetadata;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Returns the claims of a token's end-user; undefined if the client is gone, or the token has no end-user with an account in use. */
export async function userinfoFor(
  needs: UserinfoNeeds,
  token: StoredAccessToken,
): Promise<Userinfo | undefined> {
  const client = await needs.clients.find(token.client_id);
  if (client === undefined || client.instance !== token.client_instance) return undefined;
  const metadata = metadataOf(client);
  const granted = token.grant_id === null ? undefined : await needs.grants.find(token.grant_id);
  const said = JSON.parse(token.introspection) as Said;
  const { endUser } = JSON.parse(granted?.authorization ?? '{}') as Partial<GrantAuthorization>;
  const scope = said.scope.split(' ');
  if (endUser === undefined || granted === undefined) return await directlyAuthorized(needs, metadata, said);
  const account = await accountInUse(needs.endUsers, granted.sub);
  if (account === undefined) return undefined;
  const sub = subjectFor(metadata, account.sub, needs.endUsers.idTokens.pairwiseSecret);
  // The claims that a client asked for by name are for that client, not for one that exchanged its token.
  const named = granted.client_id === token.client_id ? endUser.claims.userinfo : [];
  return { metadata, claims: { ...releasedClaims(account, scope, named), sub } };
}

/** Members of a token's record; the operator's tokens also have `clm` and `cld` (grants/direct-authorization). */
interface Said {
  readonly sub: string;
  readonly client_id: string;
  readonly scope: string;
  readonly clm?: readonly string[];
  readonly cld?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the claims of a token that the operator issued: its subject, the values that the operator gave, and the account's
 * values for claims that the operator only named. Works without an account; undefined if the account is disabled.
 */
async function directlyAuthorized(
  { endUsers }: UserinfoNeeds,
  metadata: ClientMetadata,
  { sub, client_id, scope, clm = [], cld = {} }: Said,
): Promise<Userinfo | undefined> {
  if (sub === client_id) return undefined;
  const account = await endUsers.directory.find(sub as Subject);
  if (account?.disabled === true) return undefined;
  const released = account === undefined ? {} : releasedClaims(account, scope.split(' '), clm);
  const clientSub = subjectFor(metadata, sub, endUsers.idTokens.pairwiseSecret);
  return { metadata, claims: { ...released, ...cld, sub: clientSub } };
}
