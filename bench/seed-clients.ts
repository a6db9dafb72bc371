import { metadataOf } from '../src/clients/registered-client.ts';
import {
  makeRegistrationToken,
  makeSecret,
  openRegistrationToken,
  openSecret,
  type SecretNeeds,
} from '../src/clients/secrets/client-secrets.ts';
import type { ClientUse, CreateConditions, StoredClient } from '../src/ports/client-store.ts';
import type { Sealer } from '../src/ports/sealer.ts';
import {
  type ClientId,
  type ClientInstance,
  DEFAULT_TENANT,
  IDENTIFIER_LENGTHS,
} from '../src/spec/identifiers.ts';
import { systemClock } from '../src/system/clock.ts';
import { systemRandom } from '../src/system/random.ts';
import { sealerForTenant, sealerWith } from '../src/system/sealer.ts';
import { testSettings } from '../src/testing/settings.ts';
import { ENCRYPTION_KEY } from '../test/program/start.ts';
import { inGroups, type Place } from './place.ts';

/** Creations that are sent at once and share a commit. The next batch is made while this one is written. */
const BATCH = 10_000;
const PASSES = 16;

export interface ClientSeeding {
  readonly place: Place;
  /** A client that the server registered. The others are copies with their own identifiers and secrets. */
  readonly example: ClientId;
  /** How many further clients the database gets. */
  readonly clients: number;
  /** How many of them the load uses, taken evenly from all. */
  readonly kept: number;
  /** Returns a client as it is stored instead of a mere copy. `isKept`: the load uses it, with its secret. */
  readonly vary?: (client: StoredClient, index: number, isKept: boolean) => StoredClient;
  /** Returns the uses on record of a client. */
  readonly usesOf?: (client: StoredClient, index: number) => readonly ClientUse[];
}

export interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
}

/** Fills the database of a stopped server with clients whose secrets it can open, through the storage floor. */
export async function seedClients(seeding: ClientSeeding): Promise<readonly Credentials[]> {
  const storage = await seeding.place.open();
  const store = storage.forTenant(DEFAULT_TENANT).clients;
  const needs: SecretNeeds = {
    sealer: sealerForTenant(sealerWith([Buffer.from(ENCRYPTION_KEY, 'hex')]), DEFAULT_TENANT),
    clock: systemClock,
    random: systemRandom,
    settings: testSettings({
      'registration.client-secret-length': IDENTIFIER_LENGTHS.client_secret,
      'registration.client-secret-lifetime': 0,
      'registration.registration-token-length': IDENTIFIER_LENGTHS.registration_access_token,
    }),
  };
  const example = await store.find(seeding.example);
  if (example === undefined) throw new Error('the client to seed others from is not there');
  const every = Math.max(1, Math.floor(seeding.clients / seeding.kept));
  const chosen: StoredClient[] = [];
  let writing: Promise<unknown> | undefined;
  const { vary = (client) => client, usesOf = () => [] } = seeding;
  let made = 0;
  for (const ids of inGroups(clientIds(seeding.clients), BATCH)) {
    const batch = ids.map((client_id, index) => {
      const client = anotherClient(needs, example, client_id);
      return vary(client, made + index, (made + index) % every === 0);
    });
    await writing;
    const uses = batch.flatMap((client, index) => usesOf(client, made + index));
    writing = Promise.all(batch.map(async (client) => await store.create(client, conditions(client)))).then(
      async () => await store.recordUses(uses),
    );
    chosen.push(...batch.filter((_, index) => (made + index) % every === 0));
    made += ids.length;
  }
  await writing;
  await storage.close();
  return chosen.slice(0, seeding.kept).map((client) => credentialsOf(needs.sealer, client));
}

/**
 * Makes random identifiers in an order that rises and starts again. In random order each creation would write different
 * pages, and filling would take twice as long. In one rising order the list would find its rows side by side, which never
 * happens in real life. None of them is kept in memory: there may be ten million.
 */
function* clientIds(count: number): Generator<ClientId> {
  for (let pass = 0; pass < PASSES; pass += 1)
    for (let rank = pass; rank < count; rank += PASSES) yield idOfRank((rank + Math.random()) / count);
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** As many as a number between 0 and 1 decides. */
const RANKED_LENGTH = 8;

/** @param rank where the identifier stands among all, from 0 to 1 */
function idOfRank(rank: number): ClientId {
  let rest = rank;
  let id = '';
  while (id.length < RANKED_LENGTH) {
    rest *= ALPHABET.length;
    id += ALPHABET.charAt(Math.floor(rest));
    rest %= 1;
  }
  return (id + systemRandom.alphanumeric(IDENTIFIER_LENGTHS.client_id - RANKED_LENGTH)) as ClientId;
}

function anotherClient(needs: SecretNeeds, example: StoredClient, client_id: ClientId): StoredClient {
  const owner = {
    client_id,
    instance: needs.random.alphanumeric(IDENTIFIER_LENGTHS.instance) as ClientInstance,
  };
  return {
    ...example,
    ...owner,
    secrets: [makeSecret(needs, owner, metadataOf(example))],
    ...makeRegistrationToken(needs, owner),
  };
}

function conditions({ client_id, registered_via }: StoredClient): CreateConditions {
  const now = systemClock.now();
  const event = {
    at: now,
    action: 'client.create',
    outcome: 'done',
    actor: registered_via,
    client_id,
    request_id: 'seed',
    detail: null,
  } as const;
  return { reuseDeletedId: false, now, event };
}

function credentialsOf(sealer: Sealer, client: StoredClient): Credentials {
  const [secret] = client.secrets;
  if (secret === undefined) throw new Error('a seeded client has no secret');
  return {
    client_id: client.client_id,
    client_secret: openSecret(sealer, client, secret),
    registration_access_token: openRegistrationToken(sealer, client),
  };
}
