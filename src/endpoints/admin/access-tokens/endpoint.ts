import type { StoredAccessToken } from '../../../ports/access-token-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import type { AccessTokenKey } from '../../../spec/identifiers.ts';
import { notFound } from '../../../spec/problems.ts';
import { timeText } from '../../../spec/time-text.ts';
import { type AdminCall, type AdminNeeds, acting, type Item, listing } from '../operation.ts';
import { filterIn, Names, type PeopleNeeds, rangeOf } from '../people.ts';
import { accessTokenList, accessTokenRevoke } from './contract.ts';

export interface AdminAccessTokenNeeds extends PeopleNeeds, Pick<AdminNeeds, 'clock'> {
  readonly storage: Pick<TenantStorage, 'accounts' | 'accessTokens' | 'grants'>;
}

export const adminAccessTokens = [
  listing<AdminAccessTokenNeeds>(accessTokenList, async (needs, { page, query }) => {
    const filter = await filterIn(needs, query);
    if (filter === undefined) return { items: [] };
    const asked = { ...filter, now: needs.clock.now() };
    const { rows, next } = await needs.storage.accessTokens.list(asked, rangeOf(page));
    const names = new Names(needs);
    return { items: await Promise.all(rows.map(async (row) => await rendered(names, row))), next };
  }),
  acting<AdminAccessTokenNeeds>(accessTokenRevoke, async (needs, call) => {
    const token = await tokenAt(needs, call);
    const before = await rendered(new Names(needs), token);
    const { client_id } = token;
    const sub = String(before['sub']);
    return {
      before,
      after: null,
      commit: async () => {
        const event = call.event({ client_id, ...(sub === client_id ? {} : { sub }) });
        const { accessTokens } = needs.storage;
        if (!(await accessTokens.revoke(token.key, needs.clock.now(), event))) throw notFound('access token');
        return {};
      },
    };
  }),
];

async function tokenAt(
  { storage, clock }: AdminAccessTokenNeeds,
  { segments }: AdminCall,
): Promise<StoredAccessToken> {
  const token = await storage.accessTokens.find((segments['token_id'] ?? '') as AccessTokenKey);
  // Initial access tokens belong to no client, and have operations of their own.
  const isListed = token !== undefined && token.client_instance !== null && token.expires_at > clock.now();
  if (!isListed) throw notFound('access token');
  // A look-up of a token does not read its subject, and the token may name a pairwise one.
  const grant = token.grant_id === null ? undefined : await storage.grants.find(token.grant_id);
  return grant === undefined ? token : { ...token, sub: grant.sub };
}

/** The members of the introspection response that a list shows. `sub` may be a pairwise identifier. */
interface Introspected {
  readonly sub: string;
  readonly scope: string;
  readonly iat: number;
  readonly aud?: readonly string[];
}

/** The key of a token is its time and the SHA-256 digest of 256 random bits and their MAC. It does not lead to the token. */
async function rendered(
  names: Names,
  { key, client_id, grant_id, expires_at, introspection, sub: subject }: StoredAccessToken,
): Promise<Item> {
  const { sub, scope, iat, aud = [] } = JSON.parse(introspection) as Introspected;
  const listed = subject ?? sub;
  return {
    token_id: key,
    sub: listed,
    username: await names.username(listed),
    client_id,
    client_name: await names.clientName(client_id),
    scope: scope === '' ? [] : scope.split(' '),
    audience: aud,
    grant_id,
    issued_at: timeText(iat),
    expires_at: timeText(expires_at),
  };
}
