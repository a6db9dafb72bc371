import type { CreateOutcome, StoredClient } from '../ports/client-store.ts';
import { OAuthError } from '../spec/errors.ts';
import { type ClientId, type ClientInstance, IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';
import type { JsonObject } from '../spec/json.ts';
import { bearerTokenNeeded, invalidToken } from '../tokens/bearer-token.ts';
import { type AuditTrail, doneEvent } from './audit-trail.ts';
import { makeRegistrationToken, makeSecret } from './client-secrets.ts';
import { requireCallableUrls } from './outbound-members.ts';
import type { Registrant } from './registration-authority.ts';
import { requireAllowedHosts, requirePrivileges } from './registration-needs.ts';
import type { RegistryNeeds } from './registry-needs.ts';
import { rememberedPrivileges } from './remembered-privileges.ts';
import { requireSectorIdentifier } from './sector-identifier.ts';
import { isConfidential, type ValidatedMetadata, validateMetadata } from './validate-metadata.ts';

/** Registers a client: authorised, validated, stored durably, and only then answered. */
export async function registerClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
  trail: AuditTrail,
): Promise<StoredClient> {
  const client = await prepareClient(needs, registrant, request);
  trail.client_id = client.client_id;
  const event = doneEvent(needs, trail);
  const { openClientsMax } = needs.settings;
  const outcome = await needs.clients.create(client, {
    ...(registrant.token === undefined ? {} : { initialAccessToken: registrant.token.key }),
    ...(registrant.kind === 'open' && openClientsMax !== undefined ? { openClientsMax } : {}),
    reuseDeletedId: registrant.kind === 'master',
    now: needs.clock.now(),
    event,
  });
  if (outcome !== 'created') throw refusal(outcome);
  needs.log.info({ ...event }, 'audit');
  return client;
}

/** Everything short of storing: what a dry run shows. */
export async function prepareClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
): Promise<StoredClient> {
  requirePrivileges(request, registrant.privileges, presentedToken(registrant));
  const validated = validateMetadata(request, needs.settings.metadata);
  requireAllowedHosts(validated.metadata, registrant.privileges);
  requireFreeOfOurNames(needs, validated.preferred_client_id);
  requireCallableUrls(needs, validated.metadata);
  await requireSectorIdentifier(needs, validated.metadata);
  return newClient(needs, registrant, validated);
}

/** A statement is part of the request: whoever presents nothing else is asked for a token, not for another one. */
const presentedToken = ({ kind }: Registrant): boolean => kind === 'master' || kind === 'initial';

function newClient(needs: RegistryNeeds, registrant: Registrant, validated: ValidatedMetadata): StoredClient {
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
      ? [makeSecret(needs, owner, validated.preferred_client_secret)]
      : [],
    ...makeRegistrationToken(needs, owner),
    privileges: JSON.stringify(rememberedPrivileges(registrant, validated)),
    registered_via: registrant.name,
    shared_digest: null,
  };
}

/** An id that is the server's own address could be taken for the server wherever ids and issuers meet. */
function requireFreeOfOurNames(needs: RegistryNeeds, preferred: string | undefined): void {
  if (preferred === undefined) return;
  if (preferred === needs.issuer || preferred.startsWith(`${needs.issuer}/`)) {
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
      return new Error('a shared client came into being twice');
  }
}
