import type { CreateOutcome, StoredClient } from '../ports/client-store.ts';
import { OAuthError } from '../spec/errors.ts';
import { type ClientId, type ClientInstance, IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';
import type { JsonObject } from '../spec/json.ts';
import { invalidToken } from '../tokens/bearer-token.ts';
import { makeRegistrationToken, makeSecret } from './client-secrets.ts';
import type { Registrant } from './registration-authority.ts';
import { requirePrivileges } from './registration-needs.ts';
import type { RegistryNeeds } from './registry-needs.ts';
import { rememberedPrivileges } from './remembered-privileges.ts';
import { isConfidential, type ValidatedMetadata, validateMetadata } from './validate-metadata.ts';

/** Registers a client: authorised, validated, stored durably, and only then answered. */
export async function registerClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  request: JsonObject,
): Promise<StoredClient> {
  requirePrivileges(request, registrant.privileges, registrant.kind !== 'open');
  const validated = validateMetadata(request, needs.settings.metadata);
  requireFreeOfOurNames(needs, validated.preferred_client_id);
  const client = await newClient(needs, registrant, validated);
  const outcome = await needs.clients.create(client, {
    ...(registrant.token === undefined ? {} : { initialAccessToken: registrant.token.key }),
    reuseDeletedId: registrant.kind === 'master',
    now: needs.clock.now(),
  });
  if (outcome !== 'created') throw refusal(outcome);
  return client;
}

async function newClient(
  needs: RegistryNeeds,
  registrant: Registrant,
  validated: ValidatedMetadata,
): Promise<StoredClient> {
  const owner = {
    client_id: (validated.preferred_client_id ??
      needs.random.alphanumeric(needs.settings.clientIdLength)) as ClientId,
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
    registered_via: await registeredVia(needs, registrant),
  };
}

async function registeredVia(needs: RegistryNeeds, registrant: Registrant): Promise<string> {
  if (registrant.token === undefined) return registrant.kind;
  const initial = await needs.accessTokens.store.findInitial(registrant.token.key);
  return `initial:${initial?.label ?? ''}`;
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

function refusal(outcome: Exclude<CreateOutcome, 'created'>): OAuthError {
  switch (outcome) {
    case 'client_id_taken':
      return new OAuthError('invalid_client_metadata', { error_description: 'preferred_client_id is taken' });
    case 'client_id_deleted':
      return new OAuthError('invalid_client_metadata', {
        error_description: 'preferred_client_id belonged to a client that was deleted',
      });
    case 'initial_access_token_used':
      return invalidToken('the initial access token was used up');
  }
}
