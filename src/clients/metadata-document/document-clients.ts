import type { ClientStore, StoredClient } from '../../ports/client-store.ts';
import type { CachingHeaders } from '../../ports/outbound-http.ts';
import type { BoundedMap } from '../../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import {
  clientIdUrlProblem,
  hostOfClientId,
  looksLikeClientIdUrl,
  namesHost,
} from '../../spec/client-id-url.ts';
import { OAuthError, quotedValue, temporarilyUnavailable } from '../../spec/errors.ts';
import { freshFor } from '../../spec/freshness.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { doneEvent } from '../audit-trail.ts';
import { storeChange } from '../change-client.ts';
import type { NetworkLimits } from '../rate-limits.ts';
import { metadataOf, withMoreClients } from '../registered-client.ts';
import { countCreated } from '../registration/count-registration.ts';
import { newClient } from '../registration/register-client.ts';
import { privilegesWithoutToken, type Registrant } from '../registration/registration-authority.ts';
import { RegistrationsUnderWay, registeredAgain } from '../registration/registrations-under-way.ts';
import type { ValidatedMetadata } from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import {
  changedMembers,
  changesIdentity,
  type DocumentState,
  documentOf,
  REGISTERED_BY_DOCUMENT,
} from './document-state.ts';
import { admitDocument, type FetchedDocument, fetchDocument, refusalOf } from './fetch-document.ts';
import type { ProvisionalClients } from './provisional-clients.ts';

export interface DocumentClientNeeds {
  readonly registry: RegistryNeeds;
  readonly provisional: ProvisionalClients;
  /** For fetches of documents of clients that no end-user has consented to. */
  readonly limits: NetworkLimits;
  readonly caches: Caches;
}

/** A document whose metadata passed every check, or the reason why there is none. */
type Admitted =
  | Exclude<FetchedDocument, { readonly outcome: 'document' }>
  | {
      readonly outcome: 'document';
      readonly caching: CachingHeaders;
      readonly validated: ValidatedMetadata;
    };
type Refused = Extract<Admitted, { readonly outcome: 'refused' }>;
type Unreachable = Extract<Admitted, { readonly outcome: 'unreachable' }>;

/** Seconds between two fetches of one document that requests cause which do not fit to it. */
const RELOAD_INTERVAL = 60;

const REFUSAL_BYTES = SLOT_BYTES + 1024;

/**
 * Registers clients by the documents at their identifiers (draft-ietf-oauth-client-id-metadata-document-02), and renews them by
 * the rules of HTTP caching. A client is stored when an end-user first consents to it. An issuer has one instance.
 */
export class DocumentClients {
  readonly #needs: DocumentClientNeeds;
  readonly #underWay = new RegistrationsUnderWay();
  /** Documents that broke a rule, so that each request for one does not fetch it. */
  readonly #refusals: BoundedMap<string, { readonly until: number; readonly refused: Refused }>;

  constructor(needs: DocumentClientNeeds) {
    this.#needs = needs;
    this.#refusals = needs.caches.open('refusals', {
      weigh: (_, client_id) => REFUSAL_BYTES + textBytes(client_id),
    });
  }

  /** Returns the clients of the registry, whose `find` also finds those that wait for their first consent. */
  get clients(): ClientStore {
    const { registry, provisional } = this.#needs;
    const { clients, settings } = registry;
    if (!settings['registration.client-id-metadata-documents']) return clients;
    return withMoreClients(clients, async (client_id) => await provisional.find(client_id));
  }

  /**
   * Returns a client as it is now: one with a document is renewed when the document is no longer fresh. Every other client is
   * returned as it is.
   * @throws OAuthError invalid_client for a client that may not be used any more; temporarily_unavailable if that is not known now
   */
  async current(found: StoredClient, remoteAddress: string): Promise<StoredClient> {
    const state = documentOf(found);
    if (state === undefined) return found;
    const problem = this.#problem(found.client_id);
    if (problem !== undefined) throw refusal(found.client_id, problem);
    const { clock } = this.#needs.registry;
    if (clock.now() < state.fresh_until) return await this.#lasting(found);
    return await this.#underWay.share(
      found.client_id,
      async () => await this.#renewed(found, state, remoteAddress),
    );
  }

  /**
   * Fetches the document of a client again although it is fresh, because a request does not fit to it: its owner may have added
   * a key or a redirection URI. At most one such fetch per `RELOAD_INTERVAL`, so that forged requests cost the owner little.
   * @returns undefined if the document is the same, or was fetched a short while ago
   * @throws as `current`
   */
  async newer(found: StoredClient, remoteAddress: string): Promise<StoredClient | undefined> {
    const state = documentOf(found);
    if (state === undefined || this.#needs.registry.clock.now() < state.fetched_at + RELOAD_INTERVAL)
      return undefined;
    const renewed = await this.#underWay.share(
      found.client_id,
      async () => await this.#renewed(found, state, remoteAddress),
    );
    return renewed.metadata === found.metadata ? undefined : renewed;
  }

  /**
   * Fetches the document of an unknown client.
   * @returns undefined if the identifier is not a URL, or documents are switched off
   * @throws OAuthError invalid_client, temporarily_unavailable; TooManyRequests
   */
  async register(client_id: ClientId, remoteAddress: string): Promise<StoredClient | undefined> {
    const { registry, limits } = this.#needs;
    if (!registry.settings['registration.client-id-metadata-documents']) return undefined;
    if (!looksLikeClientIdUrl(client_id)) return undefined;
    const problem = this.#problem(client_id);
    if (problem !== undefined) throw refusal(client_id, problem);
    const refused = this.#rememberedRefusal(client_id);
    if (refused !== undefined) throw refusal(client_id, refused.words, refused.detail);
    await limits.admit(remoteAddress);
    return await this.#underWay.share(client_id, async () => await this.#begun(client_id, remoteAddress));
  }

  /**
   * Stores a client that an end-user has consented to. Returns it as it is stored.
   * @throws OAuthError invalid_request if another kind of client has the identifier
   */
  async keep(client: StoredClient): Promise<StoredClient> {
    const { registry, provisional } = this.#needs;
    const { client_id } = client;
    if (client.document === null || client.expires_at === null) return client;
    const kept = { ...client, expires_at: null };
    const event = doneEvent(registry, { ...TRAIL, action: 'client.create', client_id });
    const now = registry.clock.now();
    // The identifier names the same client after it was deleted.
    const outcome = await registry.clients.create(kept, { reuseDeletedId: true, now, event });
    if (outcome === 'created') {
      registry.log.info({ ...event }, 'audit');
      countCreated(registry);
    }
    const stored = outcome === 'created' ? kept : await registry.clients.find(client_id);
    if (stored === undefined)
      throw new OAuthError('invalid_request', {
        error_description: 'client_id belongs to a client that was registered in another way',
      });
    await provisional.drop(client_id);
    return stored;
  }

  /**
   * Fetches the document of a stored client now, whether or not it is fresh.
   * @returns the client, and the members that changed
   * @throws OAuthError invalid_client, temporarily_unavailable; the client stays as it is
   */
  async refresh(
    client: StoredClient,
  ): Promise<{ readonly client: StoredClient; readonly changed: readonly string[] }> {
    const state = documentOf(client);
    if (state === undefined)
      throw new OAuthError('invalid_request', {
        error_description: `the client ${quotedValue(client.client_id)} was not registered by a document`,
      });
    const problem = this.#problem(client.client_id);
    if (problem !== undefined) throw refusal(client.client_id, problem);
    const fetched = await this.#fetch({
      client_id: client.client_id,
      etag: undefined,
      remoteAddress: undefined,
    });
    if (fetched.outcome === 'refused') throw refusal(client.client_id, fetched.words, fetched.detail);
    if (fetched.outcome === 'unreachable') throw unavailable(client.client_id, fetched);
    const renewed = await this.#store(client, state, fetched);
    return { client: renewed, changed: changedMembers(metadataOf(client), metadataOf(renewed)) };
  }

  /** Returns why no document of this identifier is accepted, as words for its client. */
  #problem(client_id: ClientId): string | undefined {
    const { settings } = this.#needs.registry;
    if (!settings['registration.client-id-metadata-documents'])
      return 'this server accepts no metadata documents as clients';
    const problem = clientIdUrlProblem(client_id, settings['outbound.allow-http']);
    if (problem !== undefined) return `client_id ${problem}`;
    const host = hostOfClientId(client_id);
    const allowed = settings['client-document.allowed-hosts'];
    const isRefused =
      namesHost(settings['client-document.denied-hosts'], host) ||
      (allowed.length > 0 && !namesHost(allowed, host));
    return isRefused ? `this server does not accept clients of the host ${quotedValue(host)}` : undefined;
  }

  /** A client without consent is stored with its requests, and must outlast one that begins now. */
  async #lasting(client: StoredClient): Promise<StoredClient> {
    const { provisional } = this.#needs;
    return provisional.endsSoon(client) ? await provisional.put(client) : client;
  }

  async #begun(client_id: ClientId, remoteAddress: string): Promise<StoredClient> {
    const { registry, provisional } = this.#needs;
    const fetched = await this.#fetch({ client_id, etag: undefined, remoteAddress });
    if (fetched.outcome === 'refused') throw refusal(client_id, fetched.words, fetched.detail);
    if (fetched.outcome === 'unreachable') throw unavailable(client_id, fetched);
    if (fetched.outcome === 'unchanged')
      throw new Error('a server answered 304 to a request without a condition');
    const made = this.#made(client_id, fetched.validated);
    const document = JSON.stringify(this.#state(fetched.caching, null));
    registry.log.info({ client_id }, 'a metadata document was fetched for a client');
    return await provisional.put({ ...made, document });
  }

  async #renewed(found: StoredClient, state: DocumentState, remoteAddress: string): Promise<StoredClient> {
    const { registry } = this.#needs;
    const { client_id } = found;
    const fetched = await this.#fetch({ client_id, etag: this.#etagOf(found, state), remoteAddress });
    if (fetched.outcome === 'refused') throw refusal(client_id, fetched.words, fetched.detail);
    if (fetched.outcome !== 'unreachable') return await this.#store(found, state, fetched);
    const { detail } = fetched;
    const until = state.fresh_until + registry.settings['client-document.stale-max'];
    if (registry.clock.now() >= until) throw unavailable(client_id, fetched);
    registry.log.warn(
      { client_id, detail, until },
      'a metadata document cannot be renewed; the last one counts',
    );
    return await this.#lasting(found);
  }

  /** Returns the entity tag; undefined if the settings allow another scope now: the whole document must be judged anew. */
  #etagOf(found: StoredClient, { etag }: DocumentState): string | undefined {
    const before = JSON.parse(found.privileges) as RegistrationPrivileges;
    const { scope, grant_types } = this.#registrant().privileges;
    const isSame =
      JSON.stringify([before.scope, before.grant_types]) === JSON.stringify([scope, grant_types]);
    return isSame ? etag : undefined;
  }

  /** Stores the registration with the document as it is now. If another request was faster, its outcome is returned. */
  async #store(
    found: StoredClient,
    state: DocumentState,
    fetched: Exclude<Admitted, Refused | Unreachable>,
  ): Promise<StoredClient> {
    const { registry, provisional } = this.#needs;
    const { client_id, expires_at, version } = found;
    const now = registry.clock.now();
    const made =
      fetched.outcome === 'unchanged'
        ? { ...found, version: version + 1 }
        : { ...registeredAgain(found, this.#made(client_id, fetched.validated)), expires_at };
    const changed = changedMembers(metadataOf(found), metadataOf(made));
    const changed_at = changesIdentity(changed) ? now : state.changed_at;
    const etag = fetched.outcome === 'unchanged' ? state.etag : undefined;
    const document = JSON.stringify({
      ...(etag === undefined ? {} : { etag }),
      ...this.#state(fetched.caching, changed_at),
    });
    const renewed = { ...made, document };
    if (expires_at !== null) return await provisional.put(renewed);
    const event =
      changed.length === 0
        ? undefined
        : doneEvent(registry, { ...TRAIL, action: 'client.update', client_id }, changed.join(' '));
    const outcome =
      event === undefined
        ? await registry.clients.replace(renewed, version)
        : await storeChange(registry, renewed, version, event);
    if (outcome === 'done') return renewed;
    const stored = await registry.clients.find(client_id);
    if (stored !== undefined) return stored;
    throw refusal(client_id, 'the client was deleted meanwhile');
  }

  #made(client_id: ClientId, validated: ValidatedMetadata): StoredClient {
    return newClient(this.#needs.registry, this.#registrant(), {
      ...validated,
      preferred_client_id: client_id,
    });
  }

  /** A document proves no more than a registration that anyone may make. */
  #registrant(): Registrant {
    const privileges = privilegesWithoutToken(this.#needs.registry.settings);
    return { kind: 'document', name: REGISTERED_BY_DOCUMENT, privileges };
  }

  #state(caching: CachingHeaders, changed_at: number | null): DocumentState {
    const { clock, settings } = this.#needs.registry;
    const fetched_at = clock.now();
    const bounds = {
      min: settings['client-document.lifetime-min'],
      max: settings['client-document.lifetime-max'],
    };
    const etag = usableEtag(caching.etag);
    const fresh_until = fetched_at + freshFor(caching, bounds);
    return { fetched_at, fresh_until, changed_at, ...(etag === undefined ? {} : { etag }) };
  }

  async #fetch(request: Parameters<typeof fetchDocument>[1]): Promise<Admitted> {
    const { client_id, remoteAddress } = request;
    const { registry } = this.#needs;
    const known = remoteAddress === undefined ? undefined : this.#rememberedRefusal(client_id);
    if (known !== undefined) return known;
    const fetched = await fetchDocument(registry, request);
    const admitted = fetched.outcome === 'document' ? await this.#admitted(fetched, remoteAddress) : fetched;
    if (admitted.outcome === 'refused') this.#rememberRefusal(client_id, admitted);
    return admitted;
  }

  async #admitted(
    { caching, request }: Extract<FetchedDocument, { readonly outcome: 'document' }>,
    remoteAddress: string | undefined,
  ): Promise<Admitted> {
    const { privileges } = this.#registrant();
    try {
      const validated = await admitDocument(this.#needs.registry, request, { privileges, remoteAddress });
      return { outcome: 'document', caching, validated };
    } catch (failure) {
      return refusalOf(failure);
    }
  }

  #rememberedRefusal(client_id: ClientId): Refused | undefined {
    const known = this.#refusals.get(client_id);
    return known !== undefined && this.#needs.registry.clock.now() < known.until ? known.refused : undefined;
  }

  /** Not a cache of a response (§5.2 forbids that): the next fetch waits, and the response is fetched again. */
  #rememberRefusal(client_id: ClientId, refused: Refused): void {
    const { clock, settings } = this.#needs.registry;
    const until = clock.now() + settings['outbound.negative-cache'];
    this.#refusals.set(client_id, { until, refused });
  }
}

/** RFC 9110 §8.8.3. A tag that is longer is not kept. */
const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,128}"$/u;

const usableEtag = (etag: string | undefined): string | undefined =>
  etag !== undefined && ETAG.test(etag) ? etag : undefined;

const TRAIL = { actor: REGISTERED_BY_DOCUMENT, request_id: REGISTERED_BY_DOCUMENT } as const;

/** @param detail the reason, for the log */
function refusal(client_id: ClientId, words: string, detail: string = words): OAuthError {
  return new OAuthError('invalid_client', {
    error_description: `the metadata document of the client is refused: ${words}`,
    detail: `${client_id}: ${detail}`,
    reason: 'metadata-document',
    client: client_id,
  });
}

function unavailable(client_id: ClientId, { detail, retryAfter }: Unreachable): OAuthError {
  return temporarilyUnavailable(
    'the metadata document of the client cannot be fetched now; try again later',
    {
      detail: `${client_id}: ${detail}`,
      retryAfter,
    },
  );
}
