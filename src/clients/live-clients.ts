import type { ClientStore } from '../ports/client-store.ts';
import type { Clock } from '../ports/clock.ts';
import { whenKnown } from '../spec/awaitable.ts';

/**
 * The same clients without those whose registration has expired: whoever looks for one does not find it, whether it was
 * swept or not. A registration through a federation "MUST NOT" outlive its trust chain (OpenID Federation §12.3).
 */
export function liveClients(clients: ClientStore, clock: Pick<Clock, 'now'>): ClientStore {
  return {
    ...clients,
    find: (client_id) =>
      whenKnown(clients.find(client_id), (client) =>
        client === undefined || client.expires_at === null || clock.now() < client.expires_at
          ? client
          : undefined,
      ),
  };
}
