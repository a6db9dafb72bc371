import type { ClientId } from '../../spec/identifiers.ts';
import { doneEvent } from '../audit-trail.ts';
import { storeEnd } from '../change-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

const PAGE = 100;

/**
 * Ends the clients whose registration has expired, with their tokens. One that was renewed meanwhile stays.
 * @returns the ids, in the order of their end
 */
export async function endExpiredClients(
  needs: Pick<RegistryNeeds, 'clients' | 'audit' | 'clock' | 'log'>,
): Promise<readonly ClientId[]> {
  const ended: ClientId[] = [];
  while (true) {
    const before = ended.length;
    const page = await needs.clients.expired(needs.clock.now(), PAGE);
    for (const client of page) {
      const { client_id } = client;
      const trail = { action: 'client.expire', actor: 'server', request_id: 'sweep', client_id } as const;
      if ((await storeEnd(needs, client, doneEvent(needs, trail))) === 'done') ended.push(client_id);
    }
    // Of a page that others are ending at the same time the rest is theirs.
    if (page.length < PAGE || ended.length === before) return ended;
  }
}
