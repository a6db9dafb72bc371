import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoredClient, StoredSecret } from '../ports/client-store.ts';
import type { Sealer } from '../ports/sealer.ts';
import { defaultScope } from '../spec/default-scope.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { withoutSetSigner } from './client-keys/key-source.ts';
import { clientFederation } from './federated-client.ts';
import { documentOf } from './metadata-document/document-state.ts';
import { metadataOf } from './registered-client.ts';
import type { RegistryNeeds } from './registry-needs.ts';
import { openRegistrationToken, openSecret } from './secrets/client-secrets.ts';

export interface InformationNeeds {
  readonly issuer: string;
  readonly sealer: Sealer;
}

/**
 * Renders the client information response as JSON text (RFC 7591 §3.2.1, RFC 7592 §3). It reads the stored
 * record only, so the response cannot promise what was not stored. `data` is inserted byte for byte.
 * @throws SealBroken if a secret cannot be decrypted
 */
export function clientInformation(needs: InformationNeeds, client: StoredClient): string {
  return rendered(needs, client, sourceOf(client));
}

/**
 * Renders the same for the response to an explicit registration (OpenID Federation 1.0 §12.2.3), without the members about its
 * source: the claims of the response say them.
 * @throws SealBroken if a secret cannot be decrypted
 */
export function registeredMembers(needs: InformationNeeds, client: StoredClient): string {
  return rendered(needs, client, {});
}

function rendered(needs: InformationNeeds, client: StoredClient, source: object): string {
  const [secret] = client.secrets;
  const members = {
    client_id: client.client_id,
    client_id_issued_at: client.issued_at,
    ...(secret === undefined
      ? {}
      : {
          client_secret: openSecret(needs.sealer, client, secret),
          client_secret_expires_at: endOfSecret(client, secret),
        }),
    ...(isManaged(client) ? management(needs, client) : {}),
    ...source,
  };
  return `${JSON.stringify(members).slice(0, -1)},${metadataText(client)}}`;
}

/**
 * Renders the registered metadata as the members of a JSON object, with the default scope of a client that registered none
 * (RFC 7591 §3.2.1: "including any fields provisioned by the authorization server itself").
 */
export function metadataText(client: StoredClient): string {
  const provided = defaultScope(client);
  const scope =
    provided.length === 0 || metadataOf(client).scope !== undefined
      ? ''
      : `,"scope":${JSON.stringify(provided.join(' '))}`;
  const data = client.data === null ? '' : `,"data":${client.data}`;
  const shown =
    client.federation === null ? client.metadata : JSON.stringify(withoutSetSigner(metadataOf(client)));
  return `${shown.slice(1, -1)}${scope}${data}`;
}

/**
 * Returns when the secret stops working, in seconds since the Unix epoch; 0 for never (RFC 7591 §3.2.1). It ends with its client
 * at the latest, and relying parties of a federation compare it with the end of their registration (OpenID Federation 1.0 §12.2.3).
 */
function endOfSecret({ expires_at }: StoredClient, secret: StoredSecret): number {
  if (expires_at === null) return secret.expires_at;
  return secret.expires_at === 0 ? expires_at : Math.min(secret.expires_at, expires_at);
}

/**
 * Says whether the response holds a registration token. A shared client has none: every registrant of the
 * same metadata gets this response. The statements of a federation manage its clients (OpenID Federation 1.0
 * §12.2.3: a registration access token "SHOULD NOT"). A document manages its client.
 */
function isManaged({ shared_digest, expires_at, document }: StoredClient): boolean {
  return shared_digest === null && expires_at === null && document === null;
}

/**
 * Returns the member that says where the metadata of a client come from, for operators: its metadata document, or its
 * federation. No member for other clients.
 */
export function sourceOf(client: StoredClient): object {
  const chancery_federation = clientFederation(client);
  if (chancery_federation !== undefined) return { chancery_federation };
  const state = documentOf(client);
  if (state === undefined) return {};
  const { fetched_at, fresh_until } = state;
  return { chancery_metadata_document: { fetched_at, fresh_until } };
}

/** RFC 7592 §3. */
function management(needs: InformationNeeds, client: StoredClient): object {
  return {
    registration_access_token: openRegistrationToken(needs.sealer, client),
    registration_client_uri: registrationClientUri(needs.issuer, client.client_id),
  };
}

export function registrationClientUri(issuer: string, client_id: string): string {
  return `${issuer}/clients/${encodeURIComponent(client_id)}`;
}

/** Clients read at once: a quarter of a millisecond of work. */
const PAGE = 50;

/** Clients decrypted between two turns of the event loop: a little less. */
const RENDERED_AT_ONCE = 13;

/** Characters of one chunk. */
const CHUNK_LENGTH = 65_536;

/**
 * Characters of a page. A reader that stops reading keeps its page in memory, and a client may be as large as
 * `limits.body`. So pages begin small and grow while their clients are small.
 */
const PAGE_LENGTH = 65_536;
const FIRST_PAGE = 1;

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
  while (true) {
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
      if (chunk.length < CHUNK_LENGTH) continue;
      yield chunk;
      chunk = '';
    }
    after = page.at(-1)?.client_id;
    if (page.length < limit) break;
    limit = nextLimit(limit, length);
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

const nextLimit = (limit: number, length: number): number =>
  Math.min(PAGE, Math.max(1, Math.floor((limit * PAGE_LENGTH) / Math.max(1, length))), 4 * limit);

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
