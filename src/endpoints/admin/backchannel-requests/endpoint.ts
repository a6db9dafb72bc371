import { operatedRequest } from '../../../grants/backchannel/operate.ts';
import type { StoredBackchannelRequest } from '../../../ports/backchannel-request-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import type { ClientId, Subject } from '../../../spec/identifiers.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { type AdminCall, type AdminNeeds, acting, listing, reading } from '../operation.ts';
import { requestList, requestRead, requestRefuse } from './contract.ts';

export interface AdminBackchannelRequestNeeds extends Pick<AdminNeeds, 'clock'> {
  readonly storage: AdminNeeds['storage'] & Pick<TenantStorage, 'backchannelRequests'>;
}

export const adminBackchannelRequests = [
  listing<AdminBackchannelRequestNeeds>(requestList, async ({ storage, clock }, { page, query }) => {
    const [after = ''] = page.after ?? [];
    const filter = {
      sub: query['sub'] as Subject | undefined,
      client_id: query['client_id'] as ClientId | undefined,
    };
    const found = await storage.backchannelRequests.page(filter, String(after), page.limit + 1);
    const shown = found.slice(0, page.limit);
    const last = shown.at(-1);
    const now = clock.now();
    return {
      items: shown.map((one) => operatedRequest(one, now)),
      next: found.length > shown.length && last !== undefined ? [last.id] : undefined,
    };
  }),
  reading<AdminBackchannelRequestNeeds>(requestRead, async (needs, call) => ({
    item: operatedRequest(await requestAt(needs, call), needs.clock.now()),
  })),
  acting<AdminBackchannelRequestNeeds>(requestRefuse, async (needs, call) => {
    const { storage, clock } = needs;
    const request = await requestAt(needs, call);
    const { id, client_id, sub } = request;
    const now = clock.now();
    const before = operatedRequest(request, now);
    if (before.state !== 'open') throw answered(before.state);
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

const answered = (state: string): Problem =>
  new Problem('conflict', `the request no longer waits: it is ${state}`);
