import type { StoredGrant } from '../../../ports/grant-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import type { GrantId } from '../../../spec/identifiers.ts';
import { notFound } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import { type AdminCall, type AdminNeeds, acting, type Item, listing, reading } from '../operation.ts';
import { filterIn, Names, type PeopleNeeds, rangeOf } from '../people.ts';
import { grantList, grantRead, grantRevoke } from './contract.ts';

export interface AdminGrantNeeds extends PeopleNeeds, Pick<AdminNeeds, 'clock'> {
  readonly storage: Pick<TenantStorage, 'accounts' | 'grants'>;
}

export const adminGrants = [
  listing<AdminGrantNeeds>(grantList, async (needs, { page, query }) => {
    const filter = await filterIn(needs, query);
    if (filter === undefined) return { items: [] };
    const asked = { ...filter, now: needs.clock.now() };
    const { rows, next } = await needs.storage.grants.list(asked, rangeOf(page));
    const names = new Names(needs);
    return { items: await Promise.all(rows.map(async (row) => await rendered(names, row))), next };
  }),
  reading<AdminGrantNeeds>(grantRead, async (needs, call) => ({
    item: await rendered(new Names(needs), await grantAt(needs, call)),
  })),
  acting<AdminGrantNeeds>(grantRevoke, async (needs, call) => {
    const grant = await grantAt(needs, call);
    const { grant_id, client_id, sub } = grant;
    return {
      before: await rendered(new Names(needs), grant),
      after: null,
      commit: async () => {
        const ended = await needs.storage.grants.end(grant_id, call.event({ client_id, sub }));
        if (!ended) throw notFound('grant');
        return {};
      },
    };
  }),
];

async function grantAt({ storage, clock }: AdminGrantNeeds, { segments }: AdminCall): Promise<StoredGrant> {
  const grant = await storage.grants.find((segments['grant_id'] ?? '') as GrantId);
  const isLive = grant !== undefined && (grant.expires_at === null || grant.expires_at > clock.now());
  if (!isLive) throw notFound('grant');
  return grant;
}

async function rendered(
  names: Names,
  { grant_id, sub, client_id, authorization, sid, refresh_token, created_at, expires_at }: StoredGrant,
): Promise<Item> {
  const {
    scope = [],
    audience = [],
    authorization_details = [],
  } = JSON.parse(authorization) as {
    readonly scope?: readonly string[];
    readonly audience?: readonly string[];
    readonly authorization_details?: readonly object[];
  };
  return {
    grant_id,
    sub,
    username: await names.username(sub),
    client_id,
    client_name: await names.clientName(client_id),
    scope,
    audience,
    authorization_details,
    sid: sid ?? null,
    refreshable: refresh_token !== null,
    created_at: timeText(created_at),
    expires_at: timeOrNever(expires_at),
  };
}
