import { randomBytes } from 'node:crypto';
import { joseJwtSigner } from '../src/jose/compact-jws.ts';
import { joseJwtVerifier } from '../src/jose/jwt-verifier.ts';
import { keyMaker } from '../src/jose/private-keys.ts';
import { loadServerKeys } from '../src/keys/server-keys.ts';
import type { StoredAccessToken } from '../src/ports/access-token-store.ts';
import type { StoredClient } from '../src/ports/client-store.ts';
import type { Storage } from '../src/ports/storage.ts';
import { ProcessCaches } from '../src/spec/caches.ts';
import {
  type AccessTokenKey,
  type ClientId,
  DEFAULT_TENANT,
  type Digest,
  IDENTIFIER_LENGTHS,
} from '../src/spec/identifiers.ts';
import { systemClock } from '../src/system/clock.ts';
import { systemRandom } from '../src/system/random.ts';
import { sealerForTenant, sealerWith } from '../src/system/sealer.ts';
import {
  type AccessTokenContent,
  type AccessTokenFormat,
  type AccessTokenNeeds,
  type MintedAccessToken,
  mintAccessToken,
  mintIdentifier,
  verifiedTokens,
} from '../src/tokens/access-token.ts';
import type { GenuineJwt } from '../src/tokens/self-contained-token.ts';
import { locatorAt } from '../src/tokens/token-identifier.ts';
import { ENCRYPTION_KEY } from '../test/program/start.ts';
import type { Place } from './place.ts';

const LIFETIME_S = 86_400;

export interface Seeding {
  readonly place: Place;
  readonly issuer: string;
  readonly client_id: string;
  /** How many access tokens the database gets. */
  readonly tokens: number;
  /** How many of them the load uses, taken evenly from all. */
  readonly kept: number;
  /** How many additional tokens are JWTs. */
  readonly selfContained: number;
}

export interface Seeded {
  readonly client: StoredClient;
  readonly tokens: readonly string[];
  readonly selfContained: readonly string[];
}

/** Fills the database of a stopped server. */
export async function seed({ place, issuer, client_id, ...counts }: Seeding): Promise<Seeded> {
  // It stays open, because each signature reads its keys from it.
  const storage = await place.open();
  try {
    const { needs, client } = await openNeeds(storage, issuer, client_id as ClientId, ENCRYPTION_KEY);
    const selfContained: MintedAccessToken[] = [];
    while (selfContained.length < counts.selfContained) {
      selfContained.push(await mintAccessToken(needs, contentFor(client, 'self-contained')));
    }
    await place.insertTokens(selfContained.map(({ stored }) => stored));
    const tokens: string[] = [];
    await place.insertTokens(recordsOf(identifiers(needs, client, counts), tokens));
    return {
      client,
      tokens: shuffle(tokens),
      selfContained: shuffle(selfContained.map(({ access_token }) => access_token)),
    };
  } finally {
    await storage.close();
  }
}

/** Returns the records, and adds the tokens to `tokens`. */
function* recordsOf(rows: Iterable<Row>, tokens: string[]): Generator<StoredAccessToken> {
  for (const { stored, access_token } of rows) {
    if (access_token !== undefined) tokens.push(access_token);
    yield stored;
  }
}

/** @param encryptionKey the key of the database in hexadecimal digits */
export async function openNeeds(
  storage: Storage,
  issuer: string,
  client_id: ClientId,
  encryptionKey: string,
): Promise<{ readonly needs: AccessTokenNeeds; readonly client: StoredClient }> {
  const tenant = storage.forTenant(DEFAULT_TENANT);
  const bound = { clock: systemClock, random: systemRandom };
  const keys = await loadServerKeys({
    store: tenant.serverKeys,
    keyMaker,
    signer: joseJwtSigner(),
    sealer: sealerForTenant(sealerWith([Buffer.from(encryptionKey, 'hex')]), DEFAULT_TENANT),
    configured: undefined,
    ...bound,
  });
  const client = await tenant.clients.find(client_id);
  if (client === undefined) throw new Error('the client to seed tokens for is not there');
  // Nothing is presented while a database is filled.
  const caches = new ProcessCaches(0);
  const selfContained = {
    keys,
    verifier: joseJwtVerifier(systemClock),
    algorithm: 'RS256',
    defaultAudience: [issuer],
    genuine: caches.open<Digest, GenuineJwt>('verified-tokens', { weigh: () => 1 }),
  } as const;
  const genuine = verifiedTokens(caches, 1);
  const needs = {
    issuer,
    mac: keys.accessTokenMac,
    genuine,
    selfContained,
    store: tenant.accessTokens,
    ...bound,
  };
  return { needs, client };
}

const contentFor = (
  { client_id, instance }: StoredClient,
  format: AccessTokenFormat,
): AccessTokenContent => ({
  format,
  client_id,
  client_instance: instance,
  sub: client_id,
  scope: ['read', 'write'],
  audience: [],
  confirmation: undefined,
  lifetime: LIFETIME_S,
});

interface Row {
  readonly stored: StoredAccessToken;
  /** Only for tokens that the load uses. */
  readonly access_token?: string;
}

/** Makes genuine tokens, and between them records with random digests, to which no token belongs. */
function* identifiers(
  needs: AccessTokenNeeds,
  client: StoredClient,
  { tokens, kept }: Pick<Seeding, 'tokens' | 'kept'>,
): Generator<Row> {
  const every = Math.max(1, Math.floor(tokens / kept));
  let example: StoredAccessToken | undefined;
  for (let index = 0; index < tokens; index += 1) {
    if (example !== undefined && (index % every !== 0 || index >= every * kept)) {
      yield { stored: anotherLike(example) };
    } else {
      const minted = mintIdentifier(needs, contentFor(client, 'identifier'));
      example = minted.stored;
      yield minted;
    }
  }
}

const DIGEST_BYTES = 32;

/** Returns the record of another token. No client holds that one. */
export function anotherLike(example: Omit<StoredAccessToken, 'key'>): StoredAccessToken {
  const digest = randomBytes(DIGEST_BYTES).toString('base64url');
  const jti = JSON.stringify(digest.slice(0, IDENTIFIER_LENGTHS.instance));
  return {
    ...example,
    key: (locatorAt(Date.now()) + digest) as AccessTokenKey,
    introspection: example.introspection.replace(/(?<="jti":)"[^"]*"/, jti),
  };
}

/** A load in the order of issue would read the table like a tape. */
function shuffle(texts: readonly string[]): string[] {
  return texts
    .map((text) => ({ text, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ text }) => text);
}
