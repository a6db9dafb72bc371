import { federatedClientsOf, isRenewable } from '../../clients/federated-client.ts';
import { RegistrationsUnderWay } from '../../clients/registration/registrations-under-way.ts';
import type { DecryptionNeeds } from '../../grants/authorization/request-object.ts';
import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { BoundedMap } from '../../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import { OAuthError, temporarilyUnavailable } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { entityIdProblem } from '../entity-id.ts';
import { Admission } from './admission.ts';
import { type FederatedClientNeeds, registerAutomatically } from './register-automatically.ts';
import { renewClient } from './renew-client.ts';
import { type RenewalRoundOptions, renewDueClients } from './renewal-rounds.ts';
import { wishesOf } from './request-object-wishes.ts';
import { renewedMembers } from './store-renewed.ts';

export interface FederationNeeds extends FederatedClientNeeds {
  readonly requestObjects: DecryptionNeeds;
  readonly caches: Caches;
}

/** How the renewal of a client for an operator ended. */
export type RefreshOutcome =
  | {
      readonly client: StoredClient;
      readonly renewed: StoredClient;
      /** The members of its metadata that changed. */
      readonly changed: readonly string[];
    }
  | { readonly client: StoredClient; readonly failure: OAuthError };

/** A look at an entity that a request caused. */
interface Look {
  readonly at: number;
  /** False if the entity is refused for good. */
  readonly vouched: Promise<boolean>;
}

const isTemporary = (failure: unknown): boolean =>
  failure instanceof OAuthError && failure.code === 'temporarily_unavailable';

/** A time, a promise and the identifier. */
const LOOK_BYTES = SLOT_BYTES + 256;

/**
 * Registers relying parties of a federation at their first request, and resolves registered ones again: in the background before
 * their registration ends, at their next request after that, and when they use a key that is not known. An issuer has one instance.
 */
export class FederatedClients {
  readonly #needs: FederationNeeds;
  readonly #underWay = new RegistrationsUnderWay();
  readonly #admission: Admission;
  readonly #looks: BoundedMap<ClientId, Look>;

  constructor(needs: FederationNeeds) {
    this.#needs = needs;
    this.#admission = new Admission(needs.registry.settings['federation.registrations']);
    this.#looks = needs.caches.open('refusals', {
      weigh: (_, client_id) => LOOK_BYTES + textBytes(client_id),
    });
  }

  /**
   * Resolves trust in the entity with this identifier and registers or renews its client (§12.1). Parallel calls for one
   * entity share one resolution.
   * @param requestObject the request object of the first request; its trust chain shows the way (§12.1.1.1.2)
   * @returns undefined if the identifier is not an entity identifier, or clients are registered on request only
   * @throws OAuthError if the entity is not trusted or its metadata cannot be registered; temporarily_unavailable if that is
   * not known now
   */
  async register(
    client_id: ClientId,
    remoteAddress: string,
    requestObject?: string,
  ): Promise<StoredClient | undefined> {
    const { registry, trust } = this.#needs;
    if (!registry.settings['federation.automatic-registration']) return undefined;
    if (entityIdProblem(client_id, trust.allowHttp) !== undefined) return undefined;
    return await this.#underWay.share(
      client_id,
      async () =>
        await this.#admitted(remoteAddress, async () => {
          const wishes = requestObject === undefined ? {} : await wishesOf(this.#needs, requestObject);
          return await registerAutomatically(this.#needs, client_id, { remoteAddress, wishes });
        }),
    );
  }

  /**
   * Returns a client whose registration has expired, resolved again (decision 49).
   * @param which `explicit`: only a client that registered explicitly
   * @returns undefined if there is no such client, or the federation does not vouch for it any more
   * @throws OAuthError temporarily_unavailable if that is not known now
   */
  async returning(
    client_id: ClientId,
    remoteAddress: string | undefined,
    which: 'any' | 'explicit' = 'any',
  ): Promise<StoredClient | undefined> {
    const found = await this.#needs.clients.find(client_id);
    if (found === undefined || !isRenewable(found) || !this.#isKnownKind(found)) return undefined;
    if (which === 'explicit' && found.entity_id === null) return undefined;
    return this.#isLive(found) ? found : await this.#look(found, remoteAddress);
  }

  /**
   * Resolves a client again, because a request does not fit to it: its entity may have rolled its keys. At most one such look
   * in `federation.look-interval`; requests of that time share it.
   * @returns undefined if the metadata are the same
   * @throws OAuthError temporarily_unavailable
   */
  async newer(client: StoredClient, remoteAddress: string): Promise<StoredClient | undefined> {
    if (!isRenewable(client) || !this.#isKnownKind(client)) return undefined;
    const renewed = await this.#look(client, remoteAddress);
    return renewed === undefined || renewed.metadata === client.metadata ? undefined : renewed;
  }

  /** Returns the clients of a store, whose `find` also renews a client of a federation whose registration has expired. */
  renewing(clients: ClientStore): ClientStore {
    return {
      ...clients,
      find: async (client_id) =>
        (await clients.find(client_id)) ?? (await this.returning(client_id, undefined)),
    };
  }

  /** The clients as they are stored, with those that have expired. */
  get kept(): Pick<ClientStore, 'find' | 'findOfEntity'> {
    return this.#needs.clients;
  }

  /**
   * Resolves the clients of an entity again for an operator. One that cannot be renewed stays as it is, and the others are
   * renewed all the same. Returns an outcome for each client; none for an entity without clients.
   */
  async refreshEntity(entity_id: string): Promise<readonly RefreshOutcome[]> {
    const outcomes: RefreshOutcome[] = [];
    for (const client of await federatedClientsOf(this.kept, entity_id)) {
      try {
        const renewed = await renewClient(this.#needs, client, { purpose: 'renewals', look: true });
        outcomes.push({ client, renewed, changed: renewedMembers(client, renewed) });
      } catch (failure) {
        if (!(failure instanceof OAuthError)) throw failure;
        outcomes.push({ client, failure });
      }
    }
    return outcomes;
  }

  /** Renews the clients that are due and in use. */
  async renewDue(options: RenewalRoundOptions): ReturnType<typeof renewDueClients> {
    return await renewDueClients(this.#needs, options);
  }

  /** Without automatic registration, its clients end with their chains. */
  #isKnownKind({ entity_id }: StoredClient): boolean {
    return entity_id !== null || this.#needs.registry.settings['federation.automatic-registration'];
  }

  #isLive({ expires_at }: StoredClient): boolean {
    return expires_at === null || this.#needs.registry.clock.now() < expires_at;
  }

  /** @returns undefined if the entity is refused for good, or the registration has expired since the last look */
  async #look(client: StoredClient, remoteAddress: string | undefined): Promise<StoredClient | undefined> {
    if (!(await this.#isVouched(client, remoteAddress))) return undefined;
    const seen = await this.#needs.clients.find(client.client_id);
    return seen?.instance === client.instance && this.#isLive(seen) ? seen : undefined;
  }

  /** Looks at the entity, or returns the outcome of a look a moment ago. @throws OAuthError temporarily_unavailable */
  async #isVouched(client: StoredClient, remoteAddress: string | undefined): Promise<boolean> {
    const last = this.#lastLook(client);
    if (last === undefined) return await this.#beginLook(client, remoteAddress);
    try {
      return await last.vouched;
    } catch (failure) {
      // The budget of the network that began it may be used up, and this one may have room (decision 50).
      if (!isTemporary(failure)) throw failure;
      return await (this.#lastLook(client)?.vouched ?? this.#beginLook(client, remoteAddress));
    }
  }

  #lastLook({ client_id }: StoredClient): Look | undefined {
    const { clock, settings } = this.#needs.registry;
    const last = this.#looks.get(client_id);
    return last !== undefined && clock.now() < last.at + settings['federation.look-interval']
      ? last
      : undefined;
  }

  async #beginLook(client: StoredClient, remoteAddress: string | undefined): Promise<boolean> {
    const { client_id } = client;
    const at = this.#needs.registry.clock.now();
    const look = { at, vouched: this.#isRenewed(client, remoteAddress) };
    this.#looks.set(client_id, look);
    try {
      return await look.vouched;
    } catch (failure) {
      // A look that found nothing out does not count.
      if (this.#looks.get(client_id) === look) this.#looks.delete(client_id);
      throw failure;
    }
  }

  async #isRenewed(client: StoredClient, remoteAddress: string | undefined): Promise<boolean> {
    const occasion = { remoteAddress, look: true };
    try {
      await this.#admitted(remoteAddress ?? '', async () => await renewClient(this.#needs, client, occasion));
      return true;
    } catch (failure) {
      if (!(failure instanceof OAuthError) || isTemporary(failure)) throw failure;
      const { client_id } = client;
      const { error_description: words } = failure;
      this.#needs.registry.log.warn({ client_id, words }, 'the federation does not vouch for a client now');
      return false;
    }
  }

  async #admitted(remoteAddress: string, act: () => Promise<StoredClient>): Promise<StoredClient> {
    const leave = this.#admission.enter(remoteAddress);
    if (leave === undefined)
      throw temporarilyUnavailable('too many entities are being resolved; try again later', {
        retryAfter: 1,
      });
    try {
      return await act();
    } finally {
      leave();
    }
  }
}
