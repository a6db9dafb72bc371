import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { clientInformation } from './client-information.ts';
import type { RegistryNeeds } from './registry-needs.ts';

/** Clients read, opened and rendered between two turns of the event loop: a few milliseconds of work. */
const PAGE = 100;

/**
 * All clients as the text of one JSON array, in constant memory. Each client is whole; one that is registered or
 * deleted meanwhile is in the list or not. A record that cannot be read is reported and left out, so that it does not
 * take the list with it.
 */
export async function* listClients(needs: RegistryNeeds): AsyncGenerator<string> {
  let after: ClientId | undefined;
  let opening = '[';
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.page(after, PAGE);
    const entries = page.flatMap((client) => readable(needs, client));
    if (entries.length > 0) {
      yield opening + entries.join(',');
      opening = ',';
    }
    after = page.at(-1)?.client_id;
    if (page.length < PAGE) break;
    await nextTurn();
  }
  yield opening === '[' ? '[]' : ']';
}

export interface PageRequest {
  readonly limit: number;
  readonly after: ClientId | undefined;
}

/** One page of the list, and where the next one begins; undefined where there is none. */
export async function listPage(
  needs: RegistryNeeds,
  { limit, after }: PageRequest,
): Promise<{ body: string; next: ClientId | undefined }> {
  const found = await needs.clients.page(after, limit + 1);
  const page = found.slice(0, limit);
  return {
    body: `[${page.flatMap((client) => readable(needs, client)).join(',')}]`,
    next: found.length > limit ? page.at(-1)?.client_id : undefined,
  };
}

function readable(needs: RegistryNeeds, client: StoredClient): readonly string[] {
  try {
    return [clientInformation(needs, client)];
  } catch (cause) {
    needs.log.error(
      { client_id: client.client_id, cause },
      'a client record cannot be read; left out of the list',
    );
    return [];
  }
}
