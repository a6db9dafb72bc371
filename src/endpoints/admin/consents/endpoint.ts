import type { StoredConsent } from '../../../ports/consent-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import type { ClientId, Subject } from '../../../spec/identifiers.ts';
import { notFound } from '../../../spec/problems.ts';
import { timeText } from '../../../spec/time-text.ts';
import { type AdminNeeds, acting, type Item, listing } from '../operation.ts';
import { filterIn, Names, type PeopleNeeds, rangeOf } from '../people.ts';
import { consentList, consentWithdraw } from './contract.ts';

export interface AdminConsentNeeds extends PeopleNeeds, Pick<AdminNeeds, 'clock'> {
  readonly storage: Pick<TenantStorage, 'accounts' | 'consents' | 'grants'>;
}

export const adminConsents = [
  listing<AdminConsentNeeds>(consentList, async (needs, { page, query }) => {
    const filter = await filterIn(needs, query);
    if (filter === undefined) return { items: [] };
    const { sub, client } = filter;
    const asked = { sub: sub as Subject | undefined, client };
    const { rows, next } = await needs.storage.consents.list(asked, rangeOf(page));
    const names = new Names(needs);
    return { items: await Promise.all(rows.map(async (row) => await rendered(names, row))), next };
  }),
  acting<AdminConsentNeeds>(consentWithdraw, async (needs, call) => {
    const { segments } = call;
    const { consents, grants } = needs.storage;
    const client = await needs.clients.find((segments['client_id'] ?? '') as ClientId);
    if (client === undefined) throw notFound('consent');
    const { client_id } = client;
    const sub = (segments['sub'] ?? '') as Subject;
    const consent = await consents.find(sub, client);
    // A client that needs no consent has grants alone.
    const filter = { sub, client, now: needs.clock.now() };
    const given = await grants.list(filter, { limit: 1, after: undefined, examined: GRANTS_EXAMINED });
    if (consent === undefined && given.rows.length === 0) throw notFound('consent');
    return {
      before: consent === undefined ? { sub, client_id } : await rendered(new Names(needs), consent),
      after: null,
      warnings: ['all grants of the end-user for this client end'],
      commit: async () => {
        if (!(await consents.withdraw(sub, client, call.event({ client_id, sub }))))
          throw notFound('consent');
        return {};
      },
    };
  }),
];

/** Grants of one subject. */
const GRANTS_EXAMINED = 5000;

async function rendered(
  names: Names,
  { sub, client_id, scope, claims, resources, granted_at, updated_at }: StoredConsent,
): Promise<Item> {
  return {
    sub,
    username: await names.username(sub),
    client_id,
    client_name: await names.clientName(client_id),
    scope,
    claims,
    resources,
    granted_at: timeText(granted_at),
    updated_at: timeText(updated_at),
  };
}
