import { requireAdminScopeOf } from '../../../clients/registration/admin-scope.ts';
import type { ListedClient } from '../../../ports/client-lists.ts';
import type { StoredClient } from '../../../ports/client-store.ts';
import { OAuthError } from '../../../spec/errors.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import type { WriteCall } from '../operation.ts';
import type { AdminBulkNeeds, BulkOutcome } from './bulk.ts';

/** Grants and tokens that one call ends at most. Each is a write. */
const ENDED_MAX = 500;
const READ_AT_ONCE = 100;

/** Ends the grants and access tokens of clients. A call that was cut off can be repeated: what has ended stays ended. */
export class TokenEnding {
  readonly #needs: AdminBulkNeeds;
  readonly #call: WriteCall;
  #left = ENDED_MAX;

  constructor(needs: AdminBulkNeeds, call: WriteCall) {
    this.#needs = needs;
    this.#call = call;
  }

  /** @param after the client before the first one */
  async end(clients: readonly ListedClient[], after: ClientId | undefined): Promise<BulkOutcome> {
    const done: ClientId[] = [];
    const unchanged: ClientId[] = [];
    const failed: { client_id: ClientId; reason: string }[] = [];
    let last = after;
    for (const { client } of clients) {
      const { client_id } = client;
      try {
        requireAdminScopeOf(client, this.#call.caller.scope);
      } catch (failure) {
        if (!(failure instanceof OAuthError)) throw failure;
        failed.push({ client_id, reason: failure.code });
        continue;
      }
      const ended = (await this.#grantsOf(client)) + (await this.#tokensOf(client));
      // The next call goes on with the same client.
      if (this.#left <= 0) return { done, unchanged, failed, stoppedAfter: last ?? ('' as ClientId) };
      (ended === 0 ? unchanged : done).push(client_id);
      last = client_id;
    }
    return { done, unchanged, failed };
  }

  /** @returns the number of ended grants */
  async #grantsOf(client: StoredClient): Promise<number> {
    const { storage, registry } = this.#needs;
    let ended = 0;
    while (this.#left > 0) {
      const filter = { client, now: registry.clock.now() };
      const range = { limit: READ_AT_ONCE, after: undefined, examined: READ_AT_ONCE };
      const { rows } = await storage.grants.list(filter, range);
      for (const { grant_id, sub } of rows) {
        const event = this.#call.event({ action: 'grant.end', client_id: client.client_id, sub });
        if (await storage.grants.end(grant_id, event)) ended += 1;
      }
      this.#left -= rows.length;
      if (rows.length < READ_AT_ONCE) break;
    }
    return ended;
  }

  /** @returns the number of revoked tokens */
  async #tokensOf(client: StoredClient): Promise<number> {
    const { storage, registry } = this.#needs;
    let ended = 0;
    while (this.#left > 0) {
      const now = registry.clock.now();
      const range = { limit: READ_AT_ONCE, after: undefined, examined: READ_AT_ONCE };
      const { rows } = await storage.accessTokens.list({ client, now }, range);
      for (const { key } of rows) {
        const event = this.#call.event({ action: 'token.revoke', client_id: client.client_id });
        if (await storage.accessTokens.revoke(key, now, event)) ended += 1;
      }
      this.#left -= rows.length;
      if (rows.length < READ_AT_ONCE) break;
    }
    return ended;
  }
}
