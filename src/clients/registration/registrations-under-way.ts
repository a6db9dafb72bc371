import type { StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';

/** Lets parallel requests of one client, which registers by its first request, share one registration. */
export class RegistrationsUnderWay {
  readonly #underWay = new Map<ClientId, Promise<StoredClient>>();

  /** Returns the client that `begin` registers, for this call or for an earlier one that has not ended. @throws what `begin` throws */
  async share(client_id: ClientId, begin: () => Promise<StoredClient>): Promise<StoredClient> {
    const known = this.#underWay.get(client_id);
    if (known === undefined) return await this.#begin(client_id, begin);
    try {
      return await known;
    } catch (failure) {
      // The budget of the network that began it may be used up, and this one may have room (decision 50).
      if (!(failure instanceof OAuthError) || failure.code !== 'temporarily_unavailable') throw failure;
      return await (this.#underWay.get(client_id) ?? this.#begin(client_id, begin));
    }
  }

  async #begin(client_id: ClientId, begin: () => Promise<StoredClient>): Promise<StoredClient> {
    const registering = begin();
    this.#underWay.set(client_id, registering);
    try {
      return await registering;
    } finally {
      this.#underWay.delete(client_id);
    }
  }
}

/** Returns a registration made anew with everything that outlives it: grants and consents belong to the instance. */
export function registeredAgain(before: StoredClient, made: StoredClient): StoredClient {
  const { instance, issued_at, version, registration_token_digest, registration_token_sealed } = before;
  const kept = { instance, issued_at, registration_token_digest, registration_token_sealed };
  return { ...made, ...kept, version: version + 1 };
}
