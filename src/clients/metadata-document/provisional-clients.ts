import { digestOf } from '../../keys/digest.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { InteractionStore, StoredInteraction } from '../../ports/interaction-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';

export interface ProvisionalNeeds {
  readonly interactions: InteractionStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Seconds that a request may wait for its end-user. A client is found for at least that long. */
  readonly lifetime: number;
}

/**
 * Keeps clients that no end-user has consented to yet. They stand beside the requests that wait for their end-users, and are
 * swept with them, so that strangers' documents leave nothing behind: a deleted client would leave its identifier (decision 14).
 */
export class ProvisionalClients {
  readonly #needs: ProvisionalNeeds;

  constructor(needs: ProvisionalNeeds) {
    this.#needs = needs;
  }

  /** Returns a client that has not expired. */
  async find(client_id: ClientId): Promise<StoredClient | undefined> {
    const row = await this.#row(client_id);
    if (row === undefined || this.#needs.clock.now() >= row.expires_at) return undefined;
    return JSON.parse(row.content) as StoredClient;
  }

  /** Says whether a request that begins now could outlast the client. */
  endsSoon({ expires_at }: StoredClient): boolean {
    const { clock, lifetime } = this.#needs;
    return expires_at !== null && expires_at - clock.now() < lifetime;
  }

  /** Stores a client, or stores it again with a new time. If another process was faster, its client stays and is returned. */
  async put(client: StoredClient): Promise<StoredClient> {
    const { interactions, clock, lifetime } = this.#needs;
    const { client_id } = client;
    const before = await this.#row(client_id);
    if (before !== undefined) await interactions.complete(before);
    const created_at = clock.now();
    const expires_at = created_at + 2 * lifetime;
    const provisional = { ...client, expires_at };
    try {
      await interactions.begin({
        key: keyOf(client_id),
        kind: 'client-document',
        browser: digestOf(client_id),
        version: 1,
        content: JSON.stringify(provisional),
        created_at,
        expires_at,
      });
      return provisional;
    } catch (failure) {
      const faster = await this.find(client_id);
      if (faster === undefined) throw failure;
      return faster;
    }
  }

  async drop(client_id: ClientId): Promise<void> {
    const row = await this.#row(client_id);
    if (row !== undefined) await this.#needs.interactions.complete(row);
  }

  async #row(client_id: ClientId): Promise<StoredInteraction | undefined> {
    return await this.#needs.interactions.find(keyOf(client_id));
  }
}

/** No handle of a page has a space. */
const keyOf = (client_id: ClientId): StoredInteraction['key'] => digestOf(`client-document ${client_id}`);
