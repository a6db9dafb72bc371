import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { clientInformation } from '../client-information.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { FIRST_PAGE, nextLimit } from './page-limit.ts';

/** Clients read at once: a quarter of a millisecond of work. */
const PAGE = 50;

/** Clients decrypted between two turns of the event loop: a little less. */
const RENDERED_AT_ONCE = 13;

/** Characters of one chunk. */
const CHUNK_LENGTH = 65_536;

/**
 * The threads of long lists take longer to start than this many clients do here. Threads that stopped before the end have twice as
 * many to wait for: one after the other might fail.
 */
const BESIDE_AFTER = 1000;

/**
 * Renders all clients as one JSON array, in chunks and in constant memory. Each client is complete. A client
 * that is registered or deleted meanwhile may or may not be listed. A record that cannot be read is logged
 * and left out. Then the list ends with a sentence that is no JSON, and the generator throws: no reader may
 * take it for all clients.
 * @throws ClientsOmitted at the end, if a record could not be read
 */
export async function* listClients(needs: RegistryNeeds): AsyncGenerator<string> {
  let after: ClientId | undefined;
  let chunk = '[';
  let separator = '';
  let limit = FIRST_PAGE;
  let omitted = 0;
  let listed = 0;
  let wait = BESIDE_AFTER;
  let besideFrom = wait;
  while (true) {
    if (listed >= besideFrom && needs.clientPages !== undefined) {
      for await (const { entries, last } of needs.clientPages.render(needs.issuer, after)) {
        if (chunk !== '') yield chunk;
        chunk = '';
        yield entries;
        after = last;
      }
      wait *= 2;
      besideFrom = listed + wait;
    }
    const page: readonly StoredClient[] = await needs.clients.page(after, limit);
    let length = 0;
    for (const [index, client] of page.entries()) {
      if (index > 0 && index % RENDERED_AT_ONCE === 0) await nextTurn();
      const entry = readable(needs, client);
      if (entry === undefined) {
        omitted += 1;
        continue;
      }
      chunk += separator + entry;
      separator = ',';
      length += entry.length;
      listed += 1;
      if (chunk.length < CHUNK_LENGTH) continue;
      yield chunk;
      chunk = '';
    }
    after = page.at(-1)?.client_id;
    if (page.length < limit) break;
    limit = nextLimit(limit, length, PAGE);
    await nextTurn();
  }
  if (omitted === 0) yield `${chunk}]`;
  else yield* broken(chunk, omitted);
}

/** @throws ClientsOmitted after the sentence, so that the connection breaks as well */
async function* broken(chunk: string, omitted: number): AsyncGenerator<string> {
  const failure = new ClientsOmitted(omitted);
  yield `${chunk}\n${failure.message}\n`;
  // The failure closes the connection at once: the sentence has to leave before.
  await nextTurn();
  throw failure;
}

/** Says that a list lacks clients whose records cannot be read. */
class ClientsOmitted extends Error {
  override readonly name = 'ClientsOmitted';

  constructor(omitted: number) {
    super(
      `INCOMPLETE: ${omitted} ${omitted === 1 ? 'client' : 'clients'} cannot be read, the log has the reason`,
    );
  }
}

export interface PageRequest {
  readonly limit: number;
  readonly after: ClientId | undefined;
}

/**
 * Renders one page of the list as a JSON array.
 * @returns `body`: ends broken like the whole list, if a record of the page cannot be read
 * @returns `next`: the `after` of the next page; undefined on the last page
 */
export async function listPage(
  needs: RegistryNeeds,
  { limit, after }: PageRequest,
): Promise<{ body: string | AsyncIterable<string>; next: ClientId | undefined }> {
  const found = await needs.clients.page(after, limit + 1);
  const page = found.slice(0, limit);
  const entries = page.flatMap((client) => readable(needs, client) ?? []);
  const list = `[${entries.join(',')}`;
  const omitted = page.length - entries.length;
  return {
    body: omitted === 0 ? `${list}]` : broken(list, omitted),
    next: found.length > limit ? page.at(-1)?.client_id : undefined,
  };
}

function readable(needs: RegistryNeeds, client: StoredClient): string | undefined {
  try {
    return clientInformation(needs, client);
  } catch (cause) {
    needs.log.error(
      { client_id: client.client_id, cause },
      'client record cannot be read; the list omits it',
    );
    return undefined;
  }
}
