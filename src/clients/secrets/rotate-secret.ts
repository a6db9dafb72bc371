import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import { NotFound, OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type AuditTrail, doneEvent } from '../audit-trail.ts';
import { storeChange, untilUncontested } from '../change-client.ts';
import { metadataOf } from '../registered-client.ts';
import { isConfidential } from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { isLive, liveSecrets, makeSecret, previousSecrets } from './client-secrets.ts';

/** A secret as an operator sees it, without its value. */
export interface SecretEvidence {
  /**
   * The first hexadecimal digits of its digest. It cannot begin with a hyphen, so a command line never takes
   * it for an option.
   */
  readonly name: string;
  readonly created_at: number;
  /** 0 = never. */
  readonly expires_at: number;
  /** Null if no use is recorded. */
  readonly last_used_at: number | null;
}

const NAME_LENGTH = 8;

/** Returns the name of a secret for operators. */
export const nameOf = (secret: StoredSecret): string =>
  Buffer.from(secret.digest, 'base64url').toString('hex').slice(0, NAME_LENGTH);

/**
 * Returns when each secret was created, expires and was last used, newest first. It shows which one can be
 * retired.
 */
export async function secretsOf(
  needs: RegistryNeeds,
  client: StoredClient,
): Promise<readonly SecretEvidence[]> {
  const uses = await needs.clients.uses(client);
  return client.secrets.map((secret) => ({
    name: nameOf(secret),
    created_at: secret.created_at,
    expires_at: secret.expires_at,
    last_used_at: uses.find((use) => use.secret_digest === secret.digest)?.last_used_at ?? null,
  }));
}

/**
 * Adds a new secret; the existing ones stay valid for `keepPreviousSeconds`.
 * @throws NotFound; OAuthError invalid_client_metadata for a client without secrets
 */
export async function rotateSecret(
  needs: RegistryNeeds,
  client_id: ClientId,
  { keepPreviousSeconds }: { readonly keepPreviousSeconds: number },
  trail: AuditTrail,
): Promise<StoredClient> {
  return await change(needs, client_id, trail, (client) => withNewSecret(needs, client, keepPreviousSeconds));
}

/**
 * Returns the secrets of a client with a new one in front.
 * @param keepPreviousSeconds how long the others stay valid; undefined: as long as they would without the new one
 * @throws OAuthError invalid_client_metadata for a client without secrets
 */
export function withNewSecret(
  needs: RegistryNeeds,
  client: StoredClient,
  keepPreviousSeconds?: number,
): readonly StoredSecret[] {
  if (!isConfidential(metadataOf(client))) {
    throw new OAuthError('invalid_client_metadata', {
      error_description: 'the client has no secret: its token_endpoint_auth_method uses none',
    });
  }
  const now = needs.clock.now();
  const previous =
    keepPreviousSeconds === undefined
      ? liveSecrets(client, now)
      : previousSecrets(client, keepPreviousSeconds, now);
  return [makeSecret(needs, client, metadataOf(client)), ...previous];
}

/**
 * Deletes one of several secrets. The last live one cannot be retired, because the client could no longer
 * authenticate.
 * @throws NotFound for an unknown client or secret; OAuthError invalid_request for the last one
 */
export async function retireSecret(
  needs: RegistryNeeds,
  client_id: ClientId,
  name: string,
  trail: AuditTrail,
): Promise<StoredClient> {
  return await change(needs, client_id, trail, (client) => {
    const rest = withoutSecret(needs, client, name);
    if (rest === undefined) throw new NotFound();
    return rest;
  });
}

/**
 * Returns the secrets of a client without one of them; undefined if it has no such secret.
 * @throws OAuthError invalid_request for the last live one
 */
export function withoutSecret(
  { clock }: Pick<RegistryNeeds, 'clock'>,
  client: StoredClient,
  name: string,
): readonly StoredSecret[] | undefined {
  const rest = client.secrets.filter((secret) => nameOf(secret) !== name);
  if (rest.length === client.secrets.length) return undefined;
  const now = clock.now();
  if (!rest.some((secret) => isLive(secret, now))) {
    throw new OAuthError('invalid_request', {
      error_description: 'the last live secret of a client cannot be retired; rotate it first',
    });
  }
  return rest;
}

async function change(
  needs: RegistryNeeds,
  client_id: ClientId,
  trail: AuditTrail,
  secretsFor: (client: StoredClient) => readonly StoredSecret[],
): Promise<StoredClient> {
  trail.client_id = client_id;
  const find = async (): Promise<StoredClient> => {
    const client = await needs.clients.find(client_id);
    if (client === undefined) throw new NotFound();
    return client;
  };
  return await untilUncontested(needs, {
    find,
    clientOf: () => client_id,
    act: async (client) => {
      const changed = { ...client, version: client.version + 1, secrets: secretsFor(client) };
      return {
        outcome: await storeChange(needs, changed, client.version, doneEvent(needs, trail)),
        result: changed,
      };
    },
  });
}
