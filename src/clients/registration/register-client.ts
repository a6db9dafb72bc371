import type { CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import { type ClientId, type ClientInstance, IDENTIFIER_LENGTHS } from '../../spec/identifiers.ts';
import type { JsonObject } from '../../spec/json.ts';
import { NO_CLIENT } from '../../tokens/access-token.ts';
import { bearerTokenNeeded, invalidToken } from '../../tokens/bearer-token.ts';
import { type AuditTrail, doneEvent, record } from '../audit-trail.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { makeRegistrationToken, makeSecret } from '../secrets/client-secrets.ts';
import { admitMetadata } from './admit-metadata.ts';
import { sharedDigest } from './identical-client.ts';
import { rememberedPrivileges } from './privileges.ts';
import type { Registrant } from './registration-authority.ts';
import { isConfidential, type ValidatedMetadata } from './validate-metadata.ts';

/** Registers a client: authorised, validated, stored durably, and only then answered. */
export async function registerClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
  trail: AuditTrail,
): Promise<StoredClient> {
  const client = await prepareClient(needs, registrant, request);
  const shared =
    client.shared_digest === null ? undefined : await needs.clients.findShared(client.shared_digest);
  return shared === undefined
    ? await storeNew(needs, registrant, client, trail)
    : registeredBefore(needs, shared, trail);
}

async function storeNew(
  needs: RegistryNeeds,
  registrant: Registrant,
  client: StoredClient,
  trail: AuditTrail,
): Promise<StoredClient> {
  const event = { ...doneEvent(needs, trail), client_id: client.client_id };
  const { openClientsMax } = needs.settings;
  const outcome = await needs.clients.create(client, {
    ...(registrant.token === undefined ? {} : { initialAccessToken: registrant.token.key }),
    ...(registrant.kind === 'open' && openClientsMax !== undefined ? { openClientsMax } : {}),
    reuseDeletedId: registrant.kind === 'master',
    now: needs.clock.now(),
    event,
  });
  if (outcome === 'created') {
    needs.log.info({ ...event }, 'audit');
    return client;
  }
  const shared =
    client.shared_digest === null ? undefined : await needs.clients.findShared(client.shared_digest);
  // A refused registration has made no client; the one that has the identifier already is worth naming.
  if (outcome === 'client_id_taken' || outcome === 'client_id_deleted') trail.client_id = client.client_id;
  if (outcome !== 'identical_exists' || shared === undefined) throw refusal(outcome);
  return registeredBefore(needs, shared, trail);
}

/** The registration that an identical one made. Whoever asks for it again is about to use it: it is not idle. */
function registeredBefore(needs: RegistryNeeds, client: StoredClient, trail: AuditTrail): StoredClient {
  trail.client_id = client.client_id;
  const { client_id, instance } = client;
  const use = { client_id, instance, secret_digest: null, last_used_at: needs.clock.now() };
  needs.clients.recordUses([use]).catch((cause: unknown) => {
    needs.log.error({ cause, client_id }, 'the use of a shared client could not be recorded');
  });
  record(needs, doneEvent(needs, trail, 'identical client'));
  return client;
}

/** Everything short of storing: what a dry run shows. */
export async function prepareClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
): Promise<StoredClient> {
  const validated = await admitMetadata(needs, request, registrant.privileges, presentedToken(registrant));
  requireFreeOfOurNames(needs, validated.preferred_client_id);
  return newClient(needs, registrant, validated);
}

/** A statement is part of the request: whoever presents nothing else is asked for a token, not for another one. */
const presentedToken = ({ kind }: Registrant): boolean => kind === 'master' || kind === 'initial';

/** The record of a client that was admitted, with its secret where it needs one; nothing is stored yet. */
export function newClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  validated: ValidatedMetadata,
): StoredClient {
  const generated = needs.random.alphanumeric(needs.settings.clientIdLength);
  const owner = {
    client_id: (validated.preferred_client_id ?? generated) as ClientId,
    instance: needs.random.alphanumeric(IDENTIFIER_LENGTHS.instance) as ClientInstance,
  };
  return {
    ...owner,
    version: 1,
    issued_at: needs.clock.now(),
    metadata: JSON.stringify(validated.metadata),
    data: validated.data,
    secrets: isConfidential(validated.metadata)
      ? [makeSecret(needs, owner, validated.metadata, validated.preferred_client_secret)]
      : [],
    ...makeRegistrationToken(needs, owner),
    privileges: JSON.stringify(rememberedPrivileges(registrant, validated)),
    registered_via: registrant.name,
    shared_digest: sharedDigest(needs, registrant, validated.metadata),
    entity_id: null,
    expires_at: null,
  };
}

/** An id that is the server's own address could be taken for the server wherever ids and issuers meet. */
export function requireFreeOfOurNames(needs: RegistryNeeds, preferred: string | undefined): void {
  if (preferred === undefined) return;
  if (preferred === NO_CLIENT || preferred === needs.issuer || preferred.startsWith(`${needs.issuer}/`)) {
    throw new OAuthError('invalid_client_metadata', {
      error_description: 'preferred_client_id is a name of this server',
    });
  }
}

function refusal(outcome: Exclude<CreateOutcome, 'created'>): Error {
  switch (outcome) {
    case 'client_id_taken':
      return new OAuthError('invalid_client_metadata', { error_description: 'preferred_client_id is taken' });
    case 'client_id_deleted':
      return new OAuthError('invalid_client_metadata', {
        error_description: 'preferred_client_id belonged to a client that was deleted',
      });
    case 'initial_access_token_used':
      return invalidToken('the initial access token was used up');
    case 'open_clients_exhausted':
      return bearerTokenNeeded('there are as many openly registered clients as there may be');
    case 'identical_exists':
      return new Error('an identical client was there and is gone again');
  }
}
