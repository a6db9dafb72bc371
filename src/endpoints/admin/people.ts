import { metadataOf } from '../../clients/registered-client.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import type { ListRange } from '../../ports/listing.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { ClientId, ClientInstance, Subject } from '../../spec/identifiers.ts';
import type { Parameters } from '../../spec/parameters.ts';
import type { Page } from './list.ts';
import type { QueryParameter } from './operation-contract.ts';

/** Rows that a filter without an index examines in one request. */
export const EXAMINED = 5000;

/** Filters of the lists of what belongs to people. */
export const PEOPLE_FILTERS: Readonly<Record<'sub' | 'client_id', QueryParameter>> = {
  sub: { words: 'The subject that they are for.' },
  client_id: { words: 'The client that they are for.' },
};

export interface PeopleNeeds {
  readonly storage: Pick<TenantStorage, 'accounts'>;
  readonly clients: Pick<ClientStore, 'find'>;
}

/** The filter that a request names. */
interface Asked {
  readonly sub: string | undefined;
  readonly client?: { readonly client_id: ClientId; readonly instance: ClientInstance };
}

/** Returns the filter of a request; undefined for a client that is not registered, to which nothing belongs. */
export async function filterIn(
  { clients }: PeopleNeeds,
  { sub, client_id }: Parameters,
): Promise<Asked | undefined> {
  if (client_id === undefined) return { sub };
  const client = await clients.find(client_id as ClientId);
  return client === undefined ? undefined : { sub, client };
}

/** Returns the range of a page. */
export const rangeOf = ({ limit, after }: Page): ListRange => ({
  limit,
  after: after?.filter((part) => part !== null),
  examined: EXAMINED,
});

/** Finds the names of accounts and clients for one answer, each once. */
export class Names {
  readonly #needs: PeopleNeeds;
  readonly #usernames = new Map<string, Promise<string | null>>();
  readonly #clients = new Map<string, Promise<string | null>>();

  constructor(needs: PeopleNeeds) {
    this.#needs = needs;
  }

  async username(sub: string): Promise<string | null> {
    const { accounts } = this.#needs.storage;
    return await once(this.#usernames, sub, async () => {
      const account = await accounts.find(sub as Subject);
      return account?.username ?? null;
    });
  }

  async clientName(client_id: string): Promise<string | null> {
    return await once(this.#clients, client_id, async () => {
      const client = await this.#needs.clients.find(client_id as ClientId);
      const name = client === undefined ? undefined : metadataOf(client)['client_name'];
      return typeof name === 'string' ? name : null;
    });
  }
}

async function once<T>(known: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? find();
  known.set(key, found);
  return await found;
}
