import type { TenantDirectory } from '../../../ports/tenant-directory.ts';
import type { TableRows, TenantRecord } from '../../../ports/tenant-store.ts';
import { removing, type WriteCall } from '../operation.ts';
import { tenantDelete } from './contract.ts';
import { type AdminTenantNeeds, conflict, lostRace, rendered, stateOf, stored } from './tenant-item.ts';

/** Rows that a preview counts in each table: its time stays bounded. */
const COUNTED_MAX = 10_000;

/**
 * Deletes a tenant. The request removes as many rows as it can wait for; the rounds of the server remove the others. A repeated
 * request goes on with them, and finds rows that requests wrote late.
 */
export const tenantRemoval = removing<AdminTenantNeeds>(tenantDelete, async ({ directory, clock }, call) => {
  const before = await stored(directory, call);
  call.ifMatch.require(String(before.version));
  const state = stateOf(before);
  if (state === 'active' && call.query['force'] !== 'true')
    throw conflict('the tenant is in service: disable it first, or send force=true');
  const contents = await directory.store.contents(before.id, COUNTED_MAX + 1);
  return {
    before: rendered(directory, before),
    after: null,
    warnings: contents.map(rowsInWords),
    commit: async () => {
      if (state === 'active' || state === 'disabled')
        await begin(directory, call, { before, at: clock.now() });
      await directory.removeSome(before.id, call.by);
      const left = await stored(directory, call);
      return { item: rendered(directory, left), version: String(left.version) };
    },
  };
});

const rowsInWords = ({ table, rows }: TableRows): string =>
  `${rows > COUNTED_MAX ? `more than ${COUNTED_MAX}` : rows} rows of ${table}`;

async function begin(
  { store }: TenantDirectory,
  call: WriteCall,
  { before: { id, issuer, version }, at }: { readonly before: TenantRecord; readonly at: number },
): Promise<void> {
  const event = call.event({ detail: `${id} ${issuer} audit dropped` });
  if ((await store.beginDeletion(id, version, at, event)) !== 'begun') throw lostRace();
}
