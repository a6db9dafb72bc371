import { doneEvent } from '../../clients/audit-trail.ts';
import { newClient, noteDropped } from '../../clients/registration/register-client.ts';
import {
  RegistrationsUnderWay,
  registeredAgain,
} from '../../clients/registration/registrations-under-way.ts';
import { isConfidential, type ValidatedMetadata } from '../../clients/registration/validate-metadata.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import {
  type DecryptionNeeds,
  decryptedRequestObject,
  REQUEST_OBJECT_LENGTH_MAX,
} from '../../grants/authorization/request-object.ts';
import type { ChangeOutcome, ClientStore, CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import { OAuthError, temporarilyUnavailable } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { entityIdProblem } from '../entity-id.ts';
import { RELYING_PARTY } from '../entity-statement.ts';
import { isArray, stringsOf } from '../json-value.ts';
import type { EntityTypeMetadata } from '../metadata-policy/apply-policy.ts';
import { resolveTrust, type TrustChain, type TrustNeeds } from '../trust-chain/resolve-trust.ts';
import { Admission } from './admission.ts';
import { admitRelyingParty } from './admit-relying-party.ts';
import { type ChainWishes, readGivenChains } from './given-chains.ts';
import { registrationRefusal, untrustedRefusal } from './registration-refusal.ts';

export interface AutomaticRegistrationNeeds {
  readonly registry: RegistryNeeds;
  /** Includes expired clients. A renewed client keeps the grants of its end-users. */
  readonly clients: ClientStore;
  readonly trust: TrustNeeds;
  readonly requestObjects: DecryptionNeeds;
  readonly privileges: RegistrationPrivileges;
  /** The maximum lifetime of a registration in seconds. 0 uses the lifetime of the chain. */
  readonly lifetime: number;
  /** The maximum number of parallel resolutions; one network gets half of it. */
  readonly parallel: number;
}

/** Registers relying parties of a federation at their first request. An issuer has one instance. */
export class AutomaticClients {
  readonly #needs: AutomaticRegistrationNeeds;
  readonly #underWay = new RegistrationsUnderWay();
  readonly #admission: Admission;

  constructor(needs: AutomaticRegistrationNeeds) {
    this.#needs = needs;
    this.#admission = new Admission(needs.parallel);
  }

  /**
   * Resolves trust in the entity with this identifier and registers or renews its client (§12.1). Parallel calls for one
   * entity share one resolution.
   * @param requestObject the request object of the first request; its trust chain shows the way (§12.1.1.1.2)
   * @returns undefined if the identifier is not an entity identifier
   * @throws OAuthError if the entity is not trusted or its metadata cannot be registered; temporarily_unavailable if that is
   * not known now
   */
  async register(
    client_id: ClientId,
    remoteAddress: string,
    requestObject?: string,
  ): Promise<StoredClient | undefined> {
    if (entityIdProblem(client_id, this.#needs.trust.allowHttp) !== undefined) return undefined;
    const requester = { client_id, remoteAddress, requestObject };
    return await this.#underWay.share(client_id, async () => await this.#admitted(requester));
  }

  async #admitted(requester: Requester): Promise<StoredClient> {
    const leave = this.#admission.enter(requester.remoteAddress);
    if (leave === undefined)
      throw temporarilyUnavailable('too many entities are being resolved; try again later', {
        retryAfter: 1,
      });
    try {
      return await registerAutomatically(this.#needs, requester);
    } finally {
      leave();
    }
  }
}

interface Requester {
  readonly client_id: ClientId;
  readonly remoteAddress: string;
  /** Nothing in it is verified yet: the keys for that are in the metadata, which the trust chain ends with. */
  readonly requestObject: string | undefined;
}

async function registerAutomatically(
  needs: AutomaticRegistrationNeeds,
  requester: Requester,
): Promise<StoredClient> {
  const { client_id, remoteAddress } = requester;
  const chain = await trustedChain(needs, requester);
  const { registry, privileges, lifetime } = needs;
  requireAutomatic(chain.metadata.get(RELYING_PARTY) ?? new Map());
  const registering = { entity_id: client_id, privileges, remoteAddress };
  const admitted = await admitRelyingParty(registry, registering, chain.metadata);
  requireKeys(admitted);
  const registrant = { kind: 'federation', name: `federation:${chain.trust_anchor}`, privileges } as const;
  const made = newClient(registry, registrant, { ...admitted, preferred_client_id: client_id });
  const longest = lifetime === 0 ? Infinity : made.issued_at + lifetime;
  const client = { ...made, expires_at: Math.min(chain.expires_at, longest) };
  await store(needs, client);
  noteDropped(registry, { action: 'client.create', request_id: 'automatic', client_id }, admitted.dropped);
  const stored = await needs.clients.find(client_id);
  if (stored === undefined) throw new Error('the store does not have the client that it has just created');
  return stored;
}

async function trustedChain(
  needs: AutomaticRegistrationNeeds,
  { client_id: entity_id, remoteAddress, requestObject }: Requester,
): Promise<TrustChain> {
  const { trust, registry } = needs;
  const wishes = requestObject === undefined ? {} : await wishesOf(needs, requestObject);
  const question = { subject: { entity_id, ...wishes }, entityType: RELYING_PARTY, remoteAddress };
  const resolution = await resolveTrust(trust, question);
  if (resolution.chain !== undefined) return resolution.chain;
  throw untrustedRefusal(registry, 'final', resolution);
}

/**
 * Returns what the trust chains of a request object wish for. §12.1.1.1.2: "the OP MAY use the received Trust Chain as a hint for
 * which path to take". An object that cannot be read wishes for nothing, and is refused later.
 * @throws OAuthError if the chains contradict each other, or end at an anchor of others
 */
async function wishesOf(
  { trust, registry, requestObjects }: AutomaticRegistrationNeeds,
  requestObject: string,
): Promise<ChainWishes | Record<string, never>> {
  const decrypted = await decryptedRequestObject(requestObjects, requestObject);
  const jwt =
    'jwt' in decrypted ? trust.inspector.inspect(decrypted.jwt, REQUEST_OBJECT_LENGTH_MAX) : undefined;
  if (jwt === undefined || 'reason' in jwt) return {};
  const { header, claims } = jwt;
  // The header parameter "is RECOMMENDED over the use of this parameter; it is retained for historical reasons".
  const wishes = readGivenChains(trust, registry.issuer, { header, chain: stringsOf(claims['trust_chain']) });
  if ('reason' in wishes) throw registrationRefusal('final', 'chain', wishes.reason);
  return wishes;
}

/** Requires the relying party to support automatic registration (§5.1.2). */
function requireAutomatic(metadata: EntityTypeMetadata): void {
  const types = metadata.get('client_registration_types');
  if (types !== undefined && isArray(types) && types.includes('automatic')) return;
  throw notAllowed('client_registration_types must contain automatic');
}

/**
 * Requires a client that authenticates with keys. Automatic registration has no response that could carry a secret, and
 * without authentication everyone could push requests in the name of the entity.
 */
function requireKeys({ metadata }: ValidatedMetadata): void {
  const method = metadata.token_endpoint_auth_method;
  if (isConfidential(metadata) || method === 'none')
    throw notAllowed(`token_endpoint_auth_method ${method} does not use keys`);
}

function notAllowed(words: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { error_description: `metadata_not_allowed: ${words}` });
}

/** Creates or replaces the client. If another process is faster, its client stays. */
async function store(
  { registry, clients }: AutomaticRegistrationNeeds,
  client: StoredClient,
): Promise<CreateOutcome | ChangeOutcome> {
  const { client_id } = client;
  const trail = { actor: `federation:${client_id}`, client_id, request_id: 'automatic' };
  const before = await clients.find(client_id);
  if (before === undefined) {
    const event = doneEvent(registry, { ...trail, action: 'client.create' });
    registry.log.info({ ...event }, 'audit');
    // An entity identifier names the same entity after the sweep deleted its client.
    return await clients.create(client, { reuseDeletedId: true, now: registry.clock.now(), event });
  }
  const event = doneEvent(registry, { ...trail, action: 'client.update' });
  registry.log.info({ ...event }, 'audit');
  return await clients.replace(registeredAgain(before, client), before.version, event);
}
