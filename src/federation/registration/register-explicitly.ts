import { type AuditTrail, doneEvent } from '../../clients/audit-trail.ts';
import { registeredMembers } from '../../clients/client-information.ts';
import { newClient, noteDropped } from '../../clients/registration/register-client.ts';
import type { ValidatedMetadata } from '../../clients/registration/validate-metadata.ts';
import type { RegistryNeeds } from '../../clients/registry-needs.ts';
import { digestOf } from '../../keys/digest.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import { CLOCK_SKEW } from '../../ports/jwt-verifier.ts';
import type { ReplayStore } from '../../ports/replay-store.ts';
import { OAuthError, temporarilyUnavailable } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RegistrationPrivileges } from '../../spec/registration-privileges.ts';
import { RELYING_PARTY, type SoundStatement } from '../entity-statement.ts';
import type { JsonMembers } from '../json-value.ts';
import { decidedBySuperiors } from '../trust-chain/resolve-metadata.ts';
import type { TrustChain, TrustNeeds } from '../trust-chain/resolve-trust.ts';
import { admitRelyingParty } from './admit-relying-party.ts';
import { chainTerms } from './chain-terms.ts';
import { registrationRefusal, untrustedRefusal } from './registration-refusal.ts';
import {
  REGISTRATION_TYPES,
  type RegistrationDialect,
  type RegistrationRequest,
  type RegistrationSettings,
  receiveApplicant,
  trustApplicant,
} from './registration-request.ts';
import { type RegistrationStatement, registrationStatement } from './registration-statement.ts';
import { endOfExplicit } from './renew-client.ts';

export interface ExplicitRegistrationNeeds {
  readonly registry: RegistryNeeds;
  readonly trust: TrustNeeds;
  readonly replays: ReplayStore;
  readonly request: RegistrationSettings;
  /** The privileges of federated clients. */
  readonly privileges: RegistrationPrivileges;
}

/**
 * Registers a relying party explicitly (§12.2.2). Replaces the entity's previous registration. A refused request changes
 * nothing.
 * @throws OAuthError with a reason code in its description
 */
export async function registerExplicitly(
  needs: ExplicitRegistrationNeeds,
  request: RegistrationRequest,
  trail: AuditTrail,
): Promise<RegistrationStatement> {
  const dialect = REGISTRATION_TYPES[request.mediaType];
  const { statement, chain } = await trustedRequest(needs, request);
  // The audit log names an entity only after a chain proves its identity.
  trail.actor = `federation:${statement.sub}`;
  const { admitted, dropped } = await admittedClient(needs, statement, chain, request.remoteAddress);
  const isFirst = await isTakenFirst(needs, statement);
  if (isFirst) await store(needs, admitted, trail);
  if (isFirst) noteDropped(needs.registry, { ...trail, client_id: admitted.client_id }, dropped);
  const client = isFirst ? admitted : await madeBefore(needs, dialect, statement, admitted);
  return registrationStatement(dialect, {
    issuer: needs.request.entity_id,
    relyingParty: statement.sub,
    issued_at: client.issued_at,
    expires_at: client.expires_at,
    trust_anchor: chain.trust_anchor,
    immediate_superior: chain.immediate_superior,
    submitted: statement.metadata[RELYING_PARTY] as JsonMembers,
    resolved: chain.metadata,
    decided: decidedBySuperiors(chain.statements, RELYING_PARTY),
    registered: JSON.parse(registeredMembers(needs.registry, client)) as JsonMembers,
  });
}

async function trustedRequest(
  { trust, request: settings, registry }: ExplicitRegistrationNeeds,
  request: RegistrationRequest,
): Promise<{ readonly statement: SoundStatement; readonly chain: TrustChain }> {
  const dialect = REGISTRATION_TYPES[request.mediaType];
  const applicant = await receiveApplicant(trust, settings, request);
  if ('reason' in applicant) throw registrationRefusal(dialect, applicant.about, applicant.reason);
  const resolution = await trustApplicant(trust, applicant, request.remoteAddress);
  if (resolution.chain === undefined) throw untrustedRefusal(registry, dialect, resolution);
  return { statement: applicant.statement, chain: resolution.chain };
}

type ExpiringClient = StoredClient & { readonly expires_at: number };

async function admittedClient(
  { registry, privileges, trust }: ExplicitRegistrationNeeds,
  { sub: entity_id, metadata }: SoundStatement,
  chain: TrustChain,
  remoteAddress: string,
): Promise<{ readonly admitted: ExpiringClient; readonly dropped: ValidatedMetadata['dropped'] }> {
  await requireFreeIdentifier(registry, entity_id);
  const validated = await admitRelyingParty(registry, { entity_id, chain, privileges, remoteAddress });
  const name = `federation:${chain.trust_anchor}`;
  const client = newClient(registry, { kind: 'federation', name, privileges }, validated);
  const expires_at = endOfExplicit(registry, client, chain);
  const submitted = metadata[RELYING_PARTY] as JsonMembers;
  const terms = chainTerms({ ...registry, trust }, chain, { expires_at, interval: Infinity, submitted });
  const admitted = { ...client, entity_id, ...terms };
  return { admitted, dropped: validated.dropped };
}

/** Rejects an entity identifier that is the `client_id` of a client without expiry: it belongs to another party (H-222). */
async function requireFreeIdentifier({ clients }: RegistryNeeds, entity_id: string): Promise<void> {
  const holder = await clients.find(entity_id as ClientId);
  if (holder === undefined || holder.expires_at !== null) return;
  throw new OAuthError('invalid_client_metadata', {
    error_description: 'entity_id_taken: another client has this entity identifier as its client_id',
  });
}

/**
 * Returns whether no statement with this signed part has come before: one statement can have many signatures (decision 35). Runs
 * after trust is established, so that strangers cannot fill the replay table and a failed superior does not use up the statement.
 */
async function isTakenFirst(
  { replays }: ExplicitRegistrationNeeds,
  { sub, exp, jwt: { compact } }: SoundStatement,
): Promise<boolean> {
  const signed = compact.slice(0, compact.lastIndexOf('.'));
  return await replays.rememberOnce('entity-statement', sub, digestOf(signed), exp + CLOCK_SKEW);
}

/**
 * Returns the client of a statement that came before, so that a repeated request, for example after a lost answer, gets the same
 * answer and makes no second client.
 * @throws OAuthError with `statement_replayed` if a later statement has registered since, or if the answer would tell a
 * secret to one who found the statement: without `aud` it is public (decision 35)
 * @throws OAuthError temporarily_unavailable while the first request is under way
 */
async function madeBefore(
  { registry: { clients, clock } }: ExplicitRegistrationNeeds,
  dialect: RegistrationDialect,
  { sub, iat, jwt }: SoundStatement,
  admitted: ExpiringClient,
): Promise<ExpiringClient> {
  if (jwt.claims['aud'] === undefined && admitted.secrets.length > 0) throw replayed(dialect);
  const made = await clients.findOfEntity(sub);
  if (made === undefined || made.expires_at === null || made.issued_at + CLOCK_SKEW < iat)
    throw temporarilyUnavailable(
      'statement_under_way: the first request with this entity statement has not ended; try again, or send a new statement',
      { retryAfter: 1 },
    );
  const { expires_at } = made;
  if (made.metadata !== admitted.metadata || expires_at <= clock.now()) throw replayed(dialect);
  return { ...made, expires_at };
}

function replayed(dialect: RegistrationDialect): OAuthError {
  const words = 'this entity statement has already made a registration; send a new one';
  return registrationRefusal(dialect, 'trust', { code: 'statement_replayed', words });
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
  if (outcome !== 'created')
    throw new Error(`the store did not create a client with a new identifier: ${outcome}`);
  registry.log.info({ ...event, entity_id }, 'audit');
}
