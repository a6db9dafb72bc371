import { digestOf, sameDigest } from '../../keys/digest.ts';
import type { ClientStore, StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { ClientId, ClientInstance } from '../../spec/identifiers.ts';
import type { RegistryNeeds } from '../registry-needs.ts';

/** The registration that an encrypted text belongs to. */
type Owner = { readonly client_id: ClientId; readonly instance: ClientInstance };

/** Everything that making secrets and registration tokens needs. */
export type SecretNeeds = Pick<RegistryNeeds, 'sealer' | 'clock' | 'random' | 'settings'>;

const secretPlace = (owner: Owner): string => `client secret ${owner.instance} ${owner.client_id}`;
const registrationTokenPlace = (owner: Owner): string =>
  `registration token ${owner.instance} ${owner.client_id}`;

/** Hands on the object that it is given, so that a class that extends it adds its private members to that object. */
const Given = function (given: object) {
  return given;
} as unknown as new (
  given: object,
) => object;

/**
 * The text that was just made, on the record that holds it sealed. The answer to a registration shows it, and opening it would take
 * as long as sealing it. A copy of the record does not have it, nor does one that comes from the storage. A `WeakMap` would do the
 * same, but the collector visits each of its entries (ADR 106).
 */
class Made extends Given {
  readonly #owner: Owner;
  readonly #text: string;

  private constructor(record: object, owner: Owner, text: string) {
    super(record);
    this.#owner = owner;
    this.#text = text;
  }

  /** Notes the text of a record that was made for this owner. */
  static note(record: object, owner: Owner, text: string): void {
    void new Made(record, owner, text);
  }

  /** Returns the text if the record was made for this owner. */
  static textFor({ client_id, instance }: Owner, record: object): string | undefined {
    if (!(#text in record)) return undefined;
    const isOwn = record.#owner.client_id === client_id && record.#owner.instance === instance;
    return isOwn ? record.#text : undefined;
  }
}

/**
 * Makes a secret of the configured lifetime. Its length is the configured one or what its algorithm needs,
 * whichever is longer.
 * @param preferred the value that an authorised registrant chose; undefined generates one
 */
export function makeSecret(
  needs: SecretNeeds,
  owner: Owner,
  metadata: ClientMetadata,
  preferred?: string,
): StoredSecret {
  const length = generatedLength(metadata, needs.settings['registration.client-secret-length']);
  const secret = preferred ?? needs.random.alphanumeric(length);
  const created_at = needs.clock.now();
  const lifetime = needs.settings['registration.client-secret-lifetime'];
  const stored = {
    digest: digestOf(secret),
    sealed: needs.sealer.seal(secret, secretPlace(owner)),
    created_at,
    // Rounded up, so that a secret never lives shorter than configured.
    expires_at: lifetime === 0 ? 0 : Math.ceil(needs.clock.milliseconds() / 1000) + lifetime,
  };
  Made.note(stored, owner, secret);
  return stored;
}

/**
 * Makes a registration token.
 * @param token the value of an imported registration; absent generates one
 */
export function makeRegistrationToken(
  needs: SecretNeeds,
  owner: Owner,
  token = needs.random.alphanumeric(needs.settings['registration.registration-token-length']),
): RegistrationToken {
  const sealed = {
    registration_token_digest: digestOf(token),
    registration_token_sealed: needs.sealer.seal(token, registrationTokenPlace(owner)),
  };
  Made.note(sealed, owner, token);
  return sealed;
}

type RegistrationToken = Pick<StoredClient, 'registration_token_digest' | 'registration_token_sealed'>;

/** Returns a client with a registration token that was just made for it. */
export function withRegistrationToken(
  client: Omit<StoredClient, keyof RegistrationToken>,
  token: RegistrationToken,
): StoredClient {
  const { registration_token_digest, registration_token_sealed } = token;
  const whole = { ...client, registration_token_digest, registration_token_sealed };
  const text = Made.textFor(client, token);
  if (text !== undefined) Made.note(whole, client, text);
  return whole;
}

/**
 * Decrypts a secret of a client.
 * @throws SealBroken if it was encrypted for another registration or key
 */
export function openSecret(sealer: Sealer, client: Owner, secret: StoredSecret): string {
  return Made.textFor(client, secret) ?? sealer.open(secret.sealed, secretPlace(client));
}

/**
 * Decrypts the registration token of a client.
 * @throws SealBroken
 */
export function openRegistrationToken(sealer: Sealer, client: StoredClient): string {
  return (
    Made.textFor(client, client) ??
    sealer.open(client.registration_token_sealed, registrationTokenPlace(client))
  );
}

/**
 * Says whether a secret is valid.
 * @param now seconds since the Unix epoch
 */
export function isLive(secret: StoredSecret, now: number): boolean {
  return secret.expires_at === 0 || now < secret.expires_at;
}

/**
 * Returns the live secret that equals the presented one. Compares with every secret, so the time does not
 * reveal which one matches.
 */
export function liveSecretOf(client: StoredClient, presented: string, now: number): StoredSecret | undefined {
  const digest = digestOf(presented);
  let found: StoredSecret | undefined;
  for (const secret of client.secrets) {
    if (sameDigest(digest, secret.digest) && isLive(secret, now)) found = secret;
  }
  return found;
}

/** Says whether a presented secret that is not live was one of the client, for the log only. */
export function isExpiredSecretOf(client: StoredClient, presented: string): boolean {
  const digest = digestOf(presented);
  return client.secrets.some((secret) => sameDigest(digest, secret.digest));
}

/**
 * Secrets that stay beside a new one. A client that rotates often within the grace period keeps the newest
 * ones only.
 */
const PREVIOUS_SECRETS_MAX = 9;

/**
 * Returns the live secrets, set to expire at the end of the grace period (decision 9).
 * @param grace seconds; 0 keeps none
 */
export function previousSecrets(client: StoredClient, grace: number, now: number): readonly StoredSecret[] {
  if (grace === 0) return [];
  const until = now + grace;
  return liveSecrets(client, now).map((secret) => ({
    ...secret,
    expires_at: secret.expires_at === 0 ? until : Math.min(secret.expires_at, until),
  }));
}

/** Returns the live secrets that may stay beside a new one, the newest first. */
export const liveSecrets = (client: StoredClient, now: number): readonly StoredSecret[] =>
  client.secrets.filter((secret) => isLive(secret, now)).slice(0, PREVIOUS_SECRETS_MAX);

type Secrets = Owner & Pick<StoredClient, 'secrets'>;

/** Encrypts the secrets of one owner with the current key; returns undefined if they are already. */
export function resealedSecrets(sealer: Sealer, owner: Secrets): readonly StoredSecret[] | undefined {
  const areCurrent = owner.secrets.every(({ sealed }) => sealer.isCurrent(sealed));
  return areCurrent ? undefined : secretsFor(sealer, owner, owner);
}

/**
 * Encrypts the secrets of one instance of a client for another one, or again for the same.
 * @throws SealBroken
 */
export function secretsFor(sealer: Sealer, from: Secrets, to: Owner): readonly StoredSecret[] {
  return from.secrets.map((secret) => ({
    ...secret,
    sealed: sealer.seal(openSecret(sealer, from, secret), secretPlace(to)),
  }));
}

/** Encrypts all secrets of a client with the current key; returns undefined if they are already. */
function resealed(sealer: Sealer, client: StoredClient): StoredClient | undefined {
  const secrets = resealedSecrets(sealer, client);
  if (secrets === undefined && sealer.isCurrent(client.registration_token_sealed)) return undefined;
  return {
    ...client,
    version: client.version + 1,
    secrets: secrets ?? client.secrets,
    registration_token_sealed: sealer.seal(
      openRegistrationToken(sealer, client),
      registrationTokenPlace(client),
    ),
  };
}

const PAGE = 100;

/**
 * Encrypts the secrets of every client with the current key.
 * @returns the number of changed clients
 */
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
    // Another request changed the client; its write may have used the old key.
    client = await clients.find(client.client_id);
  }
  return false;
}

/**
 * RFC 7518 §3.2: "A key of the same size as the hash output … or larger MUST be used". In octets, which equal
 * characters because secrets are ASCII.
 */
const OCTETS: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };

/** Returns the characters that the secret needs for the assertions of its client; 0 for other methods. */
function lengthNeeded(metadata: ClientMetadata, unlessRegistered: string): number {
  if (metadata.token_endpoint_auth_method !== 'client_secret_jwt') return 0;
  const registered = metadata['token_endpoint_auth_signing_alg'];
  return OCTETS[typeof registered === 'string' ? registered : unlessRegistered] ?? 0;
}

/**
 * Returns the length of a generated secret. A client without a registered algorithm may use any of them
 * (decision 15).
 */
const generatedLength = (metadata: ClientMetadata, configured: number): number =>
  Math.max(configured, lengthNeeded(metadata, 'HS512'));

/** Returns the rule that a preferred secret breaks if it is too short for its algorithm. */
export function lengthProblem(metadata: ClientMetadata, preferred: string | undefined): string | undefined {
  const least = lengthNeeded(metadata, 'HS256');
  return preferred === undefined || preferred.length >= least
    ? undefined
    : `needs at least ${least} characters for its signing algorithm`;
}
