import type { AuditEvent } from '../../ports/audit-log.ts';
import type { CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { type ClientId, CONSOLE_CLIENT_ID } from '../../spec/identifiers.ts';
import type { JsonObject } from '../../spec/json.ts';
import { type Dropped, sentenceOf } from '../../spec/metadata-mistake.ts';
import { NO_CLIENT } from '../../tokens/access-token.ts';
import { bearerTokenNeeded, invalidToken } from '../../tokens/bearer-token.ts';
import { type AuditTrail, doneEvent, record } from '../audit-trail.ts';
import { newInstance } from '../client-instance.ts';
import { NOT_FEDERATED } from '../federated-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { makeRegistrationToken, makeSecret, withRegistrationToken } from '../secrets/client-secrets.ts';
import { admitMetadata } from './admit-metadata.ts';
import { sharedDigest } from './identical-client.ts';
import { rememberedPrivileges } from './privileges.ts';
import type { Registrant } from './registration-authority.ts';
import { isConfidential, type ValidatedMetadata } from './validate-metadata.ts';

/**
 * Registers a client. Resolves after the durable write. An identical shared client is returned instead of a
 * new one.
 * @throws OAuthError invalid_token, insufficient_scope, invalid_client_metadata, invalid_redirect_uri; MetadataRefused with all
 * mistakes of the metadata
 */
export async function registerClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
  trail: AuditTrail,
): Promise<StoredClient> {
  const { client, dropped } = await prepareClient(needs, registrant, request);
  const shared =
    client.shared_digest === null ? undefined : await needs.clients.findShared(client.shared_digest);
  const registered =
    shared === undefined
      ? await storeNew(needs, registrant, client, trail)
      : registeredBefore(needs, shared, trail);
  noteDropped(needs, { ...trail, client_id: registered.client_id }, dropped);
  return registered;
}

/** Sentences that a log line shows. */
const LOGGED_MAX = 20;

/** Logs what a registration or an update sent and the server did not take (decision 42). */
export function noteDropped(
  { log }: Pick<RegistryNeeds, 'log'>,
  { action, request_id, client_id }: Pick<AuditTrail, 'action' | 'request_id' | 'client_id'>,
  dropped: readonly Dropped[],
): void {
  if (dropped.length === 0) return;
  const sentences = dropped.slice(0, LOGGED_MAX).map(sentenceOf);
  log.info({ action, request_id, client_id, count: dropped.length, dropped: sentences }, 'metadata dropped');
}

/** Stores a prepared client with its event, and uses up the token of its registrant. */
async function writeNew(
  needs: RegistryNeeds,
  registrant: Registrant,
  client: StoredClient,
  event: AuditEvent,
): Promise<CreateOutcome> {
  const openClientsMax = needs.settings['registration.open-clients-max'];
  return await needs.clients.create(client, {
    ...(registrant.token === undefined ? {} : { initialAccessToken: registrant.token.key }),
    ...(registrant.kind === 'open' && openClientsMax > 0 ? { openClientsMax } : {}),
    reuseDeletedId: registrant.kind === 'master',
    now: needs.clock.now(),
    event,
  });
}

/**
 * Stores a prepared client of an operator.
 * @throws OAuthError invalid_client_metadata for an identifier that is taken
 */
export async function storePrepared(
  needs: RegistryNeeds,
  registrant: Registrant,
  client: StoredClient,
  event: AuditEvent,
): Promise<void> {
  const outcome = await writeNew(needs, registrant, client, event);
  if (outcome !== 'created') throw refusal(outcome, client.client_id);
}

async function storeNew(
  needs: RegistryNeeds,
  registrant: Registrant,
  client: StoredClient,
  trail: AuditTrail,
): Promise<StoredClient> {
  const event = { ...doneEvent(needs, trail), client_id: client.client_id };
  const outcome = await writeNew(needs, registrant, client, event);
  if (outcome === 'created') {
    needs.log.info({ ...event }, 'audit');
    return client;
  }
  const shared =
    client.shared_digest === null ? undefined : await needs.clients.findShared(client.shared_digest);
  // A refused registration has no client of its own; the event names the client that holds the identifier.
  if (outcome === 'client_id_taken' || outcome === 'client_id_deleted') trail.client_id = client.client_id;
  if (outcome !== 'identical_exists' || shared === undefined) throw refusal(outcome, client.client_id);
  return registeredBefore(needs, shared, trail);
}

/**
 * Returns an identical client that exists already, and records a use: its registrant is about to use it, so
 * it is not idle.
 */
function registeredBefore(needs: RegistryNeeds, client: StoredClient, trail: AuditTrail): StoredClient {
  trail.client_id = client.client_id;
  const { client_id, instance } = client;
  const use = { client_id, instance, secret_digest: null, last_used_at: needs.clock.now() };
  needs.clients.recordUses([use]).catch((cause: unknown) => {
    needs.log.error({ cause, client_id }, 'use of a shared client could not be recorded');
  });
  record(needs, doneEvent(needs, trail, 'identical client'));
  return client;
}

/** A client before it is stored. */
interface Prepared {
  readonly client: StoredClient;
  readonly dropped: readonly Dropped[];
}

/** Does everything up to storing the client. A dry run shows the result. */
export async function prepareClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
): Promise<Prepared> {
  const { privileges, remoteAddress } = registrant;
  const sender = { privileges, presentedToken: presentedToken(registrant), remoteAddress };
  const validated = await admitMetadata(needs, request, sender);
  requireFreeOfOurNames(needs, validated.preferred_client_id);
  return { client: newClient(needs, registrant, validated), dropped: validated.dropped };
}

/**
 * Says whether a missing privilege is answered with the missing scope. A statement is part of the request: a
 * caller with a statement alone is asked for a token.
 */
export const presentedToken = ({ kind }: Registrant): boolean => kind === 'master' || kind === 'initial';

/** Makes the record of an admitted client, with a secret if its method needs one; stores nothing. */
export function newClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  validated: ValidatedMetadata,
): StoredClient {
  const generated = needs.random.alphanumeric(needs.settings['registration.client-id-length']);
  const owner = {
    client_id: (validated.preferred_client_id ?? generated) as ClientId,
    instance: newInstance(needs),
  };
  const client = {
    // First, because V8 clones what comes first, and adds the rest member by member.
    ...NOT_FEDERATED,
    client_id: owner.client_id,
    instance: owner.instance,
    version: 1,
    issued_at: needs.clock.now(),
    metadata: JSON.stringify(validated.metadata),
    data: validated.data,
    secrets: isConfidential(validated.metadata)
      ? [makeSecret(needs, owner, validated.metadata, validated.preferred_client_secret)]
      : [],
    privileges: rememberedPrivileges(registrant, validated),
    registered_via: registrant.name,
    shared_digest: sharedDigest(needs, registrant, validated.metadata),
    owner: null,
  };
  return withRegistrationToken(client, makeRegistrationToken(needs, owner));
}

/**
 * Rejects an identifier that could be confused with the server wherever client ids and issuers meet.
 * @throws OAuthError invalid_client_metadata
 */
export function requireFreeOfOurNames(needs: RegistryNeeds, preferred: string | undefined): void {
  if (preferred === undefined) return;
  const ours = preferred === NO_CLIENT || preferred === CONSOLE_CLIENT_ID;
  if (ours || preferred === needs.issuer || preferred.startsWith(`${needs.issuer}/`)) {
    throw new OAuthError('invalid_client_metadata', {
      error_description: `preferred_client_id ${quotedValue(preferred)} is a name of this server`,
    });
  }
}

function refusal(outcome: Exclude<CreateOutcome, 'created'>, client_id: ClientId): Error {
  switch (outcome) {
    case 'client_id_taken':
      return new OAuthError('invalid_client_metadata', {
        error_description: `preferred_client_id ${quotedValue(client_id)} is taken`,
      });
    case 'client_id_deleted':
      return new OAuthError('invalid_client_metadata', {
        error_description: `preferred_client_id ${quotedValue(client_id)} belonged to a deleted client; only a master token may reuse it`,
      });
    case 'initial_access_token_used':
      return invalidToken({
        reason: 'used-initial-access-token',
        detail: 'the initial access token is already used',
      });
    case 'open_clients_exhausted':
      return bearerTokenNeeded('the limit of openly registered clients is reached');
    case 'identical_exists':
      return new Error('an identical client existed and was deleted meanwhile');
  }
}
