import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { resealed } from './client-secrets.ts';

const PAGE = 100;

/** Seals the secrets of every client with the ring's first key. @returns how many clients were changed. */
export async function resealClients(clients: ClientStore, sealer: Sealer): Promise<number> {
  let after: ClientId | undefined;
  let changed = 0;
  while (true) {
    const page: readonly StoredClient[] = await clients.page(after, PAGE);
    const outcomes = await Promise.all(
      page.map(async (client) => await resealClient(clients, sealer, client)),
    );
    changed += outcomes.filter(Boolean).length;
    after = page.at(-1)?.client_id;
    if (page.length < PAGE) return changed;
  }
}

async function resealClient(clients: ClientStore, sealer: Sealer, listed: StoredClient): Promise<boolean> {
  let client: StoredClient | undefined = listed;
  while (client !== undefined) {
    const fresh = resealed(sealer, client);
    if (fresh === undefined) return false;
    if ((await clients.replace(fresh, client.version)) === 'done') return true;
    // Somebody changed it meanwhile: what they wrote may be sealed with the old key as well.
    client = await clients.find(client.client_id);
  }
  return false;
}
