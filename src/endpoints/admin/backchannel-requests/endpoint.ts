import { operatedRequest } from '../../../grants/backchannel/operate.ts';
import type { StoredBackchannelRequest } from '../../../ports/backchannel-request-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import type { ClientId, Subject } from '../../../spec/identifiers.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { type AdminCall, type AdminNeeds, acting, type Item, listing, reading } from '../operation.ts';
import { Names, type PeopleNeeds } from '../people.ts';
import { requestList, requestRead, requestRefuse } from './contract.ts';

export interface AdminBackchannelRequestNeeds extends Pick<AdminNeeds, 'clock'>, PeopleNeeds {
  readonly storage: PeopleNeeds['storage'] &
    AdminNeeds['storage'] &
    Pick<TenantStorage, 'backchannelRequests'>;
}

export const adminBackchannelRequests = [
  listing<AdminBackchannelRequestNeeds>(requestList, async (needs, { page, query }) => {
    const [after = ''] = page.after ?? [];
    const filter = {
      sub: query['sub'] as Subject | undefined,
      client_id: query['client_id'] as ClientId | undefined,
    };
    const found = await needs.storage.backchannelRequests.page(filter, String(after), page.limit + 1);
    const shown = found.slice(0, page.limit);
    const last = shown.at(-1);
    const names = new Names(needs);
    return {
      items: await Promise.all(shown.map(async (one) => await rendered(needs, names, one))),
      next: found.length > shown.length && last !== undefined ? [last.id] : undefined,
    };
  }),
  reading<AdminBackchannelRequestNeeds>(requestRead, async (needs, call) => ({
    item: await rendered(needs, new Names(needs), await requestAt(needs, call)),
  })),
  acting<AdminBackchannelRequestNeeds>(requestRefuse, async (needs, call) => {
    const { storage, clock } = needs;
    const request = await requestAt(needs, call);
    const { id, client_id, sub } = request;
    const now = clock.now();
    const { state } = operatedRequest(request, now);
    if (state !== 'open') throw answered(state);
    const before = await rendered(needs, new Names(needs), request);
    return {
      before,
      after: { ...before, state: 'denied' },
      commit: async () => {
        const event = call.event({ client_id, ...(sub === null ? {} : { sub }) });
        const asked = { id, sub: undefined, now };
        if (!(await storage.backchannelRequests.decide(asked, { state: 'denied' }, event)))
          throw answered('answered meanwhile');
        return {};
      },
    };
  }),
];

async function requestAt(
  { storage }: AdminBackchannelRequestNeeds,
  { segments }: AdminCall,
): Promise<StoredBackchannelRequest> {
  const request = await storage.backchannelRequests.findById(segments['id'] ?? '');
  if (request === undefined) throw notFound('request');
  return request;
}

async function rendered(
  { clock }: AdminBackchannelRequestNeeds,
  names: Names,
  request: StoredBackchannelRequest,
): Promise<Item> {
  const { sub, client_id } = request;
  return {
    ...operatedRequest(request, clock.now()),
    username: sub === null ? null : await names.username(sub),
    client_name: await names.clientName(client_id),
  };
}

const answered = (state: string): Problem =>
  new Problem('conflict', `the request no longer waits: it is ${state}`);
