import { doneEvent } from '../../clients/audit-trail.ts';
import { newClient } from '../../clients/registration/register-client.ts';
import { isConfidential, type ValidatedMetadata } from '../../clients/registration/validate-metadata.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import type { ChangeOutcome, ClientStore, CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { entityIdProblem } from '../entity-id.ts';
import { isArray } from '../json-value.ts';
import type { EntityTypeMetadata } from '../metadata-policy/apply-policy.ts';
import { resolveTrust, type TrustChain, type TrustNeeds } from '../trust-chain/resolve-trust.ts';
import { admitRelyingParty } from './admit-relying-party.ts';
import { registrationRefusal } from './registration-refusal.ts';

const ENTITY_TYPE = 'openid_relying_party';

export interface AutomaticRegistrationNeeds {
  readonly registry: RegistryNeeds;
  /** Those that have expired too: such a client is renewed, so that what its end-users granted lives on. */
  readonly clients: ClientStore;
  readonly trust: TrustNeeds;
  readonly privileges: RegistrationPrivileges;
  /** Seconds; 0 = as long as the chain. */
  readonly lifetime: number;
  /** Resolutions that may be under way. */
  readonly parallel: number;
}

/** Registers the clients that a federation vouches for when they are first named; one for an issuer. */
export class AutomaticClients {
  readonly #needs: AutomaticRegistrationNeeds;
  readonly #underWay = new Map<ClientId, Promise<StoredClient>>();

  constructor(needs: AutomaticRegistrationNeeds) {
    this.#needs = needs;
  }

  /**
   * Registers the client whose identifier is that of an entity, after a look at the entity (§12.1). Of any number of
   * calls at once for one entity, one looks.
   * @returns undefined for an identifier that is of no entity
   * @throws OAuthError where the entity is not trusted, or is no client that could be registered
   */
  async register(client_id: ClientId): Promise<StoredClient | undefined> {
    if (entityIdProblem(client_id, this.#needs.trust.allowHttp) !== undefined) return undefined;
    const known = this.#underWay.get(client_id);
    if (known !== undefined) return await known;
    if (this.#underWay.size >= this.#needs.parallel)
      throw new OAuthError('invalid_trust_chain', {
        error_description: 'busy: too many entities are being looked at',
      });
    const registering = registerAutomatically(this.#needs, client_id);
    this.#underWay.set(client_id, registering);
    try {
      return await registering;
    } finally {
      this.#underWay.delete(client_id);
    }
  }
}

async function registerAutomatically(
  needs: AutomaticRegistrationNeeds,
  client_id: ClientId,
): Promise<StoredClient> {
  const chain = await trustedChain(needs, client_id);
  const { registry, privileges, lifetime } = needs;
  const resolved = chain.metadata.get(ENTITY_TYPE) ?? new Map();
  requireAutomatic(resolved);
  const admitted = await admitRelyingParty(registry, privileges, resolved);
  requireKeys(admitted);
  const registrant = { kind: 'federation', name: `federation:${chain.trust_anchor}`, privileges } as const;
  const made = newClient(registry, registrant, { ...admitted, preferred_client_id: client_id });
  const longest = lifetime === 0 ? Infinity : made.issued_at + lifetime;
  const client = { ...made, expires_at: Math.min(chain.expires_at, longest) };
  await store(needs, client);
  const stored = await needs.clients.find(client_id);
  if (stored === undefined) throw new Error('an automatically registered client is gone at once');
  return stored;
}

async function trustedChain(
  { trust, registry }: AutomaticRegistrationNeeds,
  entity_id: string,
): Promise<TrustChain> {
  const { chain, reason, fetches } = await resolveTrust(trust, {
    subject: { entity_id },
    entityType: ENTITY_TYPE,
  });
  if (chain !== undefined) return chain;
  const found = reason ?? { code: 'unknown_trust_anchor', words: 'there is no chain' };
  registry.log.warn(
    { entity_id, reason: found.code, words: found.words, fetches },
    'an entity is not trusted: chancery federation resolve shows the search',
  );
  throw registrationRefusal('final', 'chain', found);
}

/** §5.1.2: `client_registration_types` says what the relying party supports. */
function requireAutomatic(metadata: EntityTypeMetadata): void {
  const types = metadata.get('client_registration_types');
  if (types !== undefined && isArray(types) && types.includes('automatic')) return;
  throw notAllowed('client_registration_types does not name automatic');
}

/** Nobody could be told a secret; and whoever shows nothing could push requests in the name of an entity. */
function requireKeys({ metadata }: ValidatedMetadata): void {
  const method = metadata.token_endpoint_auth_method;
  if (isConfidential(metadata) || method === 'none') throw notAllowed(`${method} does without keys`);
}

function notAllowed(words: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { error_description: `metadata_not_allowed: ${words}` });
}

/** Where another process was faster its client is as good as ours. */
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
    // Who was swept and comes again is the same entity.
    return await clients.create(client, { reuseDeletedId: true, now: registry.clock.now(), event });
  }
  const event = doneEvent(registry, { ...trail, action: 'client.update' });
  registry.log.info({ ...event }, 'audit');
  const { instance, issued_at, version, registration_token_digest, registration_token_sealed } = before;
  const kept = { instance, issued_at, registration_token_digest, registration_token_sealed };
  return await clients.replace({ ...client, ...kept, version: version + 1 }, version, event);
}
