import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { exportedClient, exportHeader } from './exported-client.ts';

const PAGE = 100;

/**
 * Every client, in constant memory: a line of JSON for each, after a header line. Each client is whole; one that is
 * registered or deleted meanwhile is there or not. Undefined stands for one that cannot be read; why is in the log.
 */
export async function* exportClients(needs: RegistryNeeds): AsyncGenerator<string | undefined> {
  yield exportHeader(needs);
  let after: ClientId | undefined;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.page(after, PAGE);
    // A client of a federation registers itself where it goes, and its word is not ours to bring there.
    for (const client of page) if (client.expires_at === null) yield await readable(needs, client);
    after = page.at(-1)?.client_id;
    if (page.length < PAGE) return;
    await nextTurn();
  }
}

async function readable(needs: RegistryNeeds, client: StoredClient): Promise<string | undefined> {
  const uses = await needs.clients.uses(client);
  try {
    return exportedClient(needs, client, uses);
  } catch (cause) {
    needs.log.error({ client_id: client.client_id, cause }, 'the record cannot be read');
    return undefined;
  }
}
