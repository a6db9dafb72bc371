import { digestOf, sameDigest } from '../../keys/digest.ts';
import type { ClientStore, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId, ClientInstance, Digest, Sealed } from '../../spec/identifiers.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

/** Which registration a sealed text belongs to. */
type Owner = { readonly client_id: ClientId; readonly instance: ClientInstance };

type SecretLengths = 'clientSecretLength' | 'clientSecretLifetime' | 'registrationTokenLength';

/** What it takes to make secrets and registration tokens. */
export interface SecretNeeds extends Pick<RegistryNeeds, 'sealer' | 'clock' | 'random'> {
  readonly settings: Pick<RegistryNeeds['settings'], SecretLengths>;
}

const secretPlace = (owner: Owner): string => `client secret ${owner.instance} ${owner.client_id}`;
const registrationTokenPlace = (owner: Owner): string =>
  `registration token ${owner.instance} ${owner.client_id}`;

/** A new secret of the configured lifetime and at least that length, or of the value an authorised registrant prefers. */
export function makeSecret(
  needs: SecretNeeds,
  owner: Owner,
  metadata: ClientMetadata,
  preferred?: string,
): StoredSecret {
  const length = generatedLength(metadata, needs.settings.clientSecretLength);
  const secret = preferred ?? needs.random.alphanumeric(length);
  const created_at = needs.clock.now();
  const lifetime = needs.settings.clientSecretLifetime;
  return {
    digest: digestOf(secret),
    sealed: needs.sealer.seal(secret, secretPlace(owner)),
    created_at,
    // Counted from the next full second: a secret never lives shorter than is configured.
    expires_at: lifetime === 0 ? 0 : Math.ceil(needs.clock.milliseconds() / 1000) + lifetime,
  };
}

/** A new registration token; of the given value where a registration is brought from elsewhere. */
export function makeRegistrationToken(
  needs: SecretNeeds,
  owner: Owner,
  token = needs.random.alphanumeric(needs.settings.registrationTokenLength),
): { registration_token_digest: Digest; registration_token_sealed: Sealed } {
  return {
    registration_token_digest: digestOf(token),
    registration_token_sealed: needs.sealer.seal(token, registrationTokenPlace(owner)),
  };
}

export function openSecret(sealer: Sealer, client: StoredClient, secret: StoredSecret): string {
  return sealer.open(secret.sealed, secretPlace(client));
}

export function openRegistrationToken(sealer: Sealer, client: StoredClient): string {
  return sealer.open(client.registration_token_sealed, registrationTokenPlace(client));
}

export function isLive(secret: StoredSecret, now: number): boolean {
  return secret.expires_at === 0 || now < secret.expires_at;
}

/** The live secret that was presented. Compares with every one of them: constant time for as many as there are. */
export function liveSecretOf(client: StoredClient, presented: string, now: number): StoredSecret | undefined {
  const digest = digestOf(presented);
  let found: StoredSecret | undefined;
  for (const secret of client.secrets) {
    if (sameDigest(digest, secret.digest) && isLive(secret, now)) found = secret;
  }
  return found;
}

/** A client that asks for a new secret again and again within the grace period keeps the newest ones only. */
const PREVIOUS_SECRETS_MAX = 9;

/** The secrets that stay beside a new one: those of the grace period (decision 9). */
export function previousSecrets(client: StoredClient, grace: number, now: number): readonly StoredSecret[] {
  if (grace === 0) return [];
  const until = now + grace;
  return client.secrets
    .filter((secret) => isLive(secret, now))
    .slice(0, PREVIOUS_SECRETS_MAX)
    .map((secret) => ({
      ...secret,
      expires_at: secret.expires_at === 0 ? until : Math.min(secret.expires_at, until),
    }));
}

/** The same client with everything sealed by the ring's first key; undefined where it is already. */
export function resealed(sealer: Sealer, client: StoredClient): StoredClient | undefined {
  const sealedTexts = [client.registration_token_sealed, ...client.secrets.map((secret) => secret.sealed)];
  if (sealedTexts.every((text) => sealer.isCurrent(text))) return undefined;
  return {
    ...client,
    version: client.version + 1,
    secrets: client.secrets.map((secret) => ({
      ...secret,
      sealed: sealer.seal(openSecret(sealer, client, secret), secretPlace(client)),
    })),
    registration_token_sealed: sealer.seal(
      openRegistrationToken(sealer, client),
      registrationTokenPlace(client),
    ),
  };
}

const PAGE = 100;

/** Seals the secrets of every client with the ring's first key. @returns how many clients were changed. */
export async function resealClients(clients: ClientStore, sealer: Sealer): Promise<number> {
  let after: ClientId | undefined;
  let changed = 0;
  while (true) {
    const page: readonly StoredClient[] = await clients.page(after, PAGE);
    const outcomes = await Promise.all(
      page.map(async (client) => await resealClient(clients, sealer, client)),
    );
    changed += outcomes.filter(Boolean).length;
    after = page.at(-1)?.client_id;
    if (page.length < PAGE) return changed;
  }
}

async function resealClient(clients: ClientStore, sealer: Sealer, listed: StoredClient): Promise<boolean> {
  let client: StoredClient | undefined = listed;
  while (client !== undefined) {
    const fresh = resealed(sealer, client);
    if (fresh === undefined) return false;
    if ((await clients.replace(fresh, client.version)) === 'done') return true;
    // Somebody changed it meanwhile: what they wrote may be sealed with the old key as well.
    client = await clients.find(client.client_id);
  }
  return false;
}

/**
 * RFC 7518 §3.2: "A key of the same size as the hash output … or larger MUST be used", in octets; secrets are ASCII, so
 * as many characters.
 */
const OCTETS: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Characters that a client's secret needs for the assertions it is registered for; 0 where it makes none. */
function lengthNeeded(metadata: ClientMetadata, unlessRegistered: string): number {
  if (metadata.token_endpoint_auth_method !== 'client_secret_jwt') return 0;
  const registered = metadata['token_endpoint_auth_signing_alg'];
  return OCTETS[typeof registered === 'string' ? registered : unlessRegistered] ?? 0;
}

/** The length of a secret that is made: a client that has registered no algorithm may use any (decision 15). */
export const generatedLength = (metadata: ClientMetadata, configured: number): number =>
  Math.max(configured, lengthNeeded(metadata, 'HS512'));

/** @throws OAuthError invalid_client_metadata for a secret that is too short for its algorithm */
export function requireLongEnough(metadata: ClientMetadata, preferred: string | undefined): void {
  const least = lengthNeeded(metadata, 'HS256');
  if (preferred === undefined || preferred.length >= least) return;
  throw new OAuthError('invalid_client_metadata', {
    error_description: `preferred_client_secret needs at least ${least} characters for this algorithm`,
  });
}
