import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { clientInformation } from './client-information.ts';
import type { RegistryNeeds } from './registry-needs.ts';

/** Clients read and opened between two turns of the event loop: a few milliseconds of work. */
const PAGE = 50;

/** Characters handed over at once. */
const CHUNK_LENGTH = 65_536;

/**
 * Characters of a page. A reader that stops reading makes us hold its page, and a client may be as large as `limits.body`:
 * pages begin small, and become larger as long as they have room.
 */
const PAGE_LENGTH = 65_536;
const FIRST_PAGE = 1;

/**
 * All clients as the text of one JSON array, in constant memory. Each client is whole; one that is registered or
 * deleted meanwhile is in the list or not. A record that cannot be read is reported and left out, so that it does not
 * take the list with it.
 */
export async function* listClients(needs: RegistryNeeds): AsyncGenerator<string> {
  let after: ClientId | undefined;
  let chunk = '[';
  let separator = '';
  let limit = FIRST_PAGE;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.page(after, limit);
    let length = 0;
    for (const client of page) {
      const entry = readable(needs, client);
      if (entry === undefined) continue;
      chunk += separator + entry;
      separator = ',';
      length += entry.length;
      if (chunk.length < CHUNK_LENGTH) continue;
      yield chunk;
      chunk = '';
    }
    after = page.at(-1)?.client_id;
    if (page.length < limit) break;
    limit = nextLimit(limit, length);
    await nextTurn();
  }
  yield `${chunk}]`;
}

const nextLimit = (limit: number, length: number): number =>
  Math.min(PAGE, Math.max(1, Math.floor((limit * PAGE_LENGTH) / Math.max(1, length))), 4 * limit);

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
    body: `[${page.flatMap((client) => readable(needs, client) ?? []).join(',')}]`,
    next: found.length > limit ? page.at(-1)?.client_id : undefined,
  };
}

function readable(needs: RegistryNeeds, client: StoredClient): string | undefined {
  try {
    return clientInformation(needs, client);
  } catch (cause) {
    needs.log.error(
      { client_id: client.client_id, cause },
      'a client record cannot be read; left out of the list',
    );
    return undefined;
  }
}
