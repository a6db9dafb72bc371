import { parentPort, workerData } from 'node:worker_threads';
import { clientInformation } from '../clients/client-information.ts';
import type { StoredClient } from '../ports/client-store.ts';
import type { ClientId, TenantId } from '../spec/identifiers.ts';
import { lowerThreadPriority } from '../storage/priority.ts';
import { openClientReader } from '../storage/sqlite/client-reader.ts';
import type { DatabasePlace } from '../storage/sqlite/write-batch.ts';
import { sealerForTenant, sealerWith } from '../system/sealer.ts';

export interface ListThreadData {
  readonly place: DatabasePlace;
  /** The ring of `encryption.key`. */
  readonly keys: readonly Uint8Array[];
}

export interface PageRequest {
  readonly id: number;
  readonly tenant: TenantId;
  readonly issuer: string;
  readonly after: ClientId | undefined;
  readonly limit: number;
}

/** A page is answered twice: when it is read, so that another thread can read the next one, and when it is rendered. */
export type ListThreadReply =
  | { readonly kind: 'read'; readonly id: number; readonly page: ReadPage }
  | { readonly kind: 'rendered'; readonly id: number; readonly entries: string }
  /** The page cannot be read, or one of its records. */
  | { readonly kind: 'failed'; readonly id: number };

export interface ReadPage {
  readonly count: number;
  /** About how many characters its entries will have. */
  readonly length: number;
  /** Undefined for a page without clients. */
  readonly last: ClientId | undefined;
}

/** As `nice` gives it: requests go first where the list wants the same core. */
const NICENESS = 5;

if (parentPort === null) throw new Error('client-list-thread.ts runs as a worker thread only');
const port = parentPort;
const { place, keys } = workerData as ListThreadData;
const say = (reply: ListThreadReply): void => port.postMessage(reply);

lowerThreadPriority(NICENESS);
const reader = openClientReader(place);
const sealer = sealerWith(keys);

port.on('message', (request: PageRequest) => {
  const { id } = request;
  try {
    answer(request);
  } catch {
    // The main thread reads the page again, and reports why it fails.
    say({ kind: 'failed', id });
  }
});

function answer({ id, tenant, issuer, after, limit }: PageRequest): void {
  const clients = reader.page(tenant, after, limit);
  const length = clients.reduce((sum, client) => sum + lengthOf(client), 0);
  say({ kind: 'read', id, page: { count: clients.length, length, last: clients.at(-1)?.client_id } });
  const needs = { issuer, sealer: sealerForTenant(sealer, tenant) };
  let entries = '';
  for (const client of clients) entries += `,${clientInformation(needs, client)}`;
  say({ kind: 'rendered', id, entries });
}

/** Characters of the members that are not in the metadata. */
const OTHER_MEMBERS_LENGTH = 300;

const lengthOf = ({ metadata, data }: StoredClient): number =>
  metadata.length + (data?.length ?? 0) + OTHER_MEMBERS_LENGTH;
