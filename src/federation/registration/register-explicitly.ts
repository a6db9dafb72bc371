import { type AuditTrail, doneEvent } from '../../clients/audit-trail.ts';
import { clientInformation } from '../../clients/client-information.ts';
import { newClient } from '../../clients/registration/register-client.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { digestOf } from '../../keys/digest.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import type { SoundStatement } from '../entity-statement.ts';
import type { JsonMembers } from '../json-value.ts';
import type { TrustChain, TrustNeeds } from '../trust-chain/resolve-trust.ts';
import { admitRelyingParty } from './admit-relying-party.ts';
import { registrationRefusal } from './registration-refusal.ts';
import {
  REGISTRATION_TYPES,
  type RegistrationDialect,
  type RegistrationRequest,
  type RegistrationSettings,
  receiveApplicant,
  trustApplicant,
} from './registration-request.ts';
import { type RegistrationStatement, registrationStatement } from './registration-statement.ts';

const ENTITY_TYPE = 'openid_relying_party';

export interface ExplicitRegistrationNeeds {
  readonly registry: RegistryNeeds;
  readonly trust: TrustNeeds;
  readonly replays: ReplayStore;
  readonly request: RegistrationSettings;
  /** What a client may be registered for by the word of a federation. */
  readonly privileges: RegistrationPrivileges;
  /** Seconds; 0 = as long as the chain. */
  readonly lifetime: number;
}

/**
 * Explicit registration (§12.2.2): examined, trusted, admitted, taken once, stored in the place of the entity's
 * registration before it, and only then answered. Whoever is refused has changed nothing.
 * @throws OAuthError with a reason code in its description
 */
export async function registerExplicitly(
  needs: ExplicitRegistrationNeeds,
  request: RegistrationRequest,
  trail: AuditTrail,
): Promise<RegistrationStatement> {
  const dialect = REGISTRATION_TYPES[request.mediaType];
  const { statement, chain } = await trustedRequest(needs, request);
  // Only now: who signed for themselves could be anybody.
  trail.actor = `federation:${statement.sub}`;
  const client = await admittedClient(needs, statement, chain);
  await takeOnce(needs, dialect, statement);
  await store(needs, client, trail);
  return registrationStatement(dialect, {
    issuer: needs.request.entity_id,
    relyingParty: statement.sub,
    issued_at: client.issued_at,
    expires_at: client.expires_at,
    trust_anchor: chain.trust_anchor,
    immediate_superior: chain.immediate_superior,
    submitted: statement.metadata[ENTITY_TYPE] as JsonMembers,
    registered: JSON.parse(clientInformation(needs.registry, client)) as JsonMembers,
  });
}

async function trustedRequest(
  { trust, request: settings, registry }: ExplicitRegistrationNeeds,
  request: RegistrationRequest,
): Promise<{ readonly statement: SoundStatement; readonly chain: TrustChain }> {
  const dialect = REGISTRATION_TYPES[request.mediaType];
  const applicant = await receiveApplicant(trust, settings, request);
  if ('reason' in applicant) throw registrationRefusal(dialect, applicant.about, applicant.reason);
  const { chain, reason, fetches } = await trustApplicant(trust, applicant);
  const { sub: entity_id } = applicant.statement;
  if (chain === undefined || reason !== undefined) {
    const found = reason ?? { code: 'unknown_trust_anchor', words: 'there is no chain' };
    registry.log.warn(
      { entity_id, reason: found.code, words: found.words, fetches },
      'an entity is not trusted: chancery federation resolve shows the search',
    );
    throw registrationRefusal(dialect, 'chain', found);
  }
  return { statement: applicant.statement, chain };
}

type ExpiringClient = StoredClient & { readonly expires_at: number };

async function admittedClient(
  { registry, privileges, lifetime }: ExplicitRegistrationNeeds,
  { sub: entity_id }: SoundStatement,
  chain: TrustChain,
): Promise<ExpiringClient> {
  await requireFreeIdentifier(registry, entity_id);
  const resolved = chain.metadata.get(ENTITY_TYPE) ?? new Map();
  const validated = await admitRelyingParty(registry, privileges, resolved);
  const name = `federation:${chain.trust_anchor}`;
  const client = newClient(registry, { kind: 'federation', name, privileges }, validated);
  return { ...client, entity_id, expires_at: endOf(client, chain, lifetime) };
}

/**
 * §12.2.3: the registration expires no later than the chain; §12.2.3 client_secret_expires_at: nor does the secret before it.
 */
function endOf({ issued_at, secrets }: StoredClient, { expires_at }: TrustChain, lifetime: number): number {
  const secret = secrets[0]?.expires_at ?? 0;
  return Math.min(
    expires_at,
    lifetime === 0 ? Infinity : issued_at + lifetime,
    secret === 0 ? Infinity : secret,
  );
}

/** A client that has the entity's identifier for its own and is not of a federation is somebody else's (H-222). */
async function requireFreeIdentifier({ clients }: RegistryNeeds, entity_id: string): Promise<void> {
  const holder = await clients.find(entity_id as ClientId);
  if (holder === undefined || holder.expires_at !== null) return;
  throw new OAuthError('invalid_client_metadata', {
    error_description: 'entity_id_taken: a client has this entity identifier as its client_id',
  });
}

/**
 * A statement is taken once (decision 35). What is remembered is what was signed: of one statement there may be many
 * signatures. After trust, so that strangers cannot fill the table, and so that a superior that fails burns nothing.
 */
async function takeOnce(
  { replays }: ExplicitRegistrationNeeds,
  dialect: RegistrationDialect,
  { sub, exp, jwt: { compact } }: SoundStatement,
): Promise<void> {
  const signed = compact.slice(0, compact.lastIndexOf('.'));
  if (await replays.rememberOnce('entity-statement', sub, digestOf(signed), exp)) return;
  const words = 'this statement has made a registration before; make a new one';
  throw registrationRefusal(dialect, 'trust', { code: 'statement_replayed', words });
}

async function store(
  { registry }: ExplicitRegistrationNeeds,
  client: ExpiringClient,
  trail: AuditTrail,
): Promise<void> {
  const { client_id, entity_id } = client;
  const event = { ...doneEvent(registry, trail), client_id };
  const outcome = await registry.clients.create(client, {
    reuseDeletedId: false,
    now: registry.clock.now(),
    event,
    endEvent: { ...event, action: 'client.supersede' },
  });
  if (outcome !== 'created') throw new Error(`a client with a new identifier was not created: ${outcome}`);
  registry.log.info({ ...event, entity_id }, 'audit');
}
