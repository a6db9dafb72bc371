import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredClient } from '../ports/client-store.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ClientId } from '../spec/identifiers.ts';
import type { RegistryNeeds } from './registry-needs.ts';
import { openRegistrationToken, openSecret } from './secrets/client-secrets.ts';

export interface InformationNeeds {
  readonly issuer: string;
  readonly sealer: Sealer;
}

/**
 * The client information response (RFC 7591 §3.2.1, RFC 7592 §3) as JSON text. It is made from the stored record
 * alone, so that it cannot promise what was not stored. `data` is inserted letter for letter.
 */
export function clientInformation(needs: InformationNeeds, client: StoredClient): string {
  const [secret] = client.secrets;
  const members = {
    client_id: client.client_id,
    client_id_issued_at: client.issued_at,
    ...(secret === undefined
      ? {}
      : {
          client_secret: openSecret(needs.sealer, client, secret),
          client_secret_expires_at: secret.expires_at,
        }),
    ...(isManaged(client) ? management(needs, client) : {}),
  };
  const metadata = client.metadata.slice(1, -1);
  const data = client.data === null ? '' : `,"data":${client.data}`;
  return `${JSON.stringify(members).slice(0, -1)},${metadata}${data}}`;
}

/**
 * Whoever registers a shared client again gets the same answer, so it must not hold what manages the client for all of
 * them. One of a federation is managed by its statements (OpenID Federation 1.0 §12.2.3: a registration access token "SHOULD NOT").
 */
function isManaged({ shared_digest, expires_at }: StoredClient): boolean {
  return shared_digest === null && expires_at === null;
}

/** RFC 7592 §3. */
function management(needs: InformationNeeds, client: StoredClient): object {
  return {
    registration_access_token: openRegistrationToken(needs.sealer, client),
    registration_client_uri: registrationClientUri(needs.issuer, client.client_id),
  };
}

function registrationClientUri(issuer: string, client_id: string): string {
  return `${issuer}/clients/${encodeURIComponent(client_id)}`;
}

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
