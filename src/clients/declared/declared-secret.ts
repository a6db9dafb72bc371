import { digestOf } from '../../keys/digest.ts';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { isConfidential } from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { isLive, lengthProblem, makeSecret, openSecret, previousSecrets } from '../secrets/client-secrets.ts';

/**
 * Says how a declaration changes the secret of a client. `none`: it has none, before and after. `kept`: as it is. `given`: gets the value
 * of the declaration. `generated`: the server makes one. `removed`: the client no longer authenticates with a secret.
 */
export type SecretOutcome = 'none' | 'kept' | 'given' | 'generated' | 'removed';

/** Returns the outcome for a client and its declared metadata; `undefined` stands for a client that is not registered. */
export function secretOutcome(
  needs: Pick<RegistryNeeds, 'clock'>,
  client: StoredClient | undefined,
  metadata: ClientMetadata,
  client_secret: string | undefined,
): SecretOutcome {
  const present = client?.secrets ?? [];
  if (!isConfidential(metadata)) return present.length === 0 ? 'none' : 'removed';
  const [newest] = present;
  if (client_secret === undefined) return newest === undefined ? 'generated' : 'kept';
  const isThere =
    newest !== undefined && newest.digest === digestOf(client_secret) && isLive(newest, needs.clock.now());
  return isThere ? 'kept' : 'given';
}

/** Returns the secrets of a registered client after the change. A declaration without a secret leaves them as they are. */
export function declaredSecrets(
  needs: RegistryNeeds,
  client: StoredClient,
  metadata: ClientMetadata,
  client_secret: string | undefined,
): readonly StoredSecret[] {
  const outcome = secretOutcome(needs, client, metadata, client_secret);
  if (outcome === 'none' || outcome === 'removed') return [];
  if (outcome === 'kept') return client.secrets;
  const fresh = makeSecret(needs, client, metadata, client_secret);
  const grace = needs.settings['registration.previous-secret-grace'];
  const others = client.secrets.filter(({ digest }) => digest !== fresh.digest);
  return [fresh, ...previousSecrets({ ...client, secrets: others }, grace, needs.clock.now())];
}

/**
 * Returns why the secret that a client keeps does not suit its declared metadata. An apply that made another one would change a secret
 * that the declaration does not mention.
 * @throws SealBroken if it cannot be decrypted
 */
export function keptSecretProblem(
  { sealer }: Pick<RegistryNeeds, 'sealer'>,
  client: StoredClient,
  metadata: ClientMetadata,
): string | undefined {
  const [newest] = client.secrets;
  if (newest === undefined || metadata.token_endpoint_auth_method !== 'client_secret_jwt') return undefined;
  const problem = lengthProblem(metadata, openSecret(sealer, client, newest));
  return problem === undefined ? undefined : `the present secret ${problem}: declare a client_secret`;
}
