import { joseJwtSigner } from '../src/jose/jwt-signer.ts';
import { joseJwtVerifier } from '../src/jose/jwt-verifier.ts';
import { keyMaker } from '../src/jose/key-maker.ts';
import { loadServerKeys } from '../src/keys/server-keys.ts';
import type { AccessTokenStore } from '../src/ports/access-token-store.ts';
import type { StoredClient } from '../src/ports/client-store.ts';
import { BoundedMap } from '../src/spec/bounded-map.ts';
import { type AccessTokenKey, type ClientId, DEFAULT_TENANT, type Digest } from '../src/spec/identifiers.ts';
import { openSqliteStorage } from '../src/storage/sqlite/open.ts';
import { systemClock } from '../src/system/clock.ts';
import { systemRandom } from '../src/system/random.ts';
import { sealerForTenant, sealerWith } from '../src/system/sealer.ts';
import { type AccessTokenNeeds, mintAccessToken } from '../src/tokens/access-token.ts';
import type { GenuineJwt } from '../src/tokens/self-contained-token.ts';
import { ENCRYPTION_KEY } from '../test/program/start.ts';

const BATCH = 2_000;
const LIFETIME_S = 86_400;

export interface Seeding {
  readonly path: string;
  readonly issuer: string;
  readonly client_id: string;
  /** How many tokens the database shall hold. */
  readonly tokens: number;
  /** How many of them the load shall use; taken evenly from all. */
  readonly kept: number;
}

export interface Seeded {
  readonly client: StoredClient;
  readonly tokens: readonly string[];
}

/** Fills the database of a stopped server with genuine access tokens, through the storage floor. */
export async function seed({ path, issuer, client_id, tokens, kept }: Seeding): Promise<Seeded> {
  const storage = await openSqliteStorage(path);
  const tenant = storage.forTenant(DEFAULT_TENANT);
  const sealer = sealerForTenant(sealerWith([Buffer.from(ENCRYPTION_KEY, 'hex')]), DEFAULT_TENANT);
  const bound = { clock: systemClock, random: systemRandom };
  const keys = await loadServerKeys({
    store: tenant.serverKeys,
    keyMaker,
    signer: joseJwtSigner(),
    sealer,
    configured: undefined,
    ...bound,
  });
  const client = await tenant.clients.find(client_id as ClientId);
  if (client === undefined) throw new Error('the client to seed tokens for is not there');
  const store = tenant.accessTokens;
  const needs = {
    issuer,
    mac: keys.accessTokenMac,
    genuine: new BoundedMap<AccessTokenKey, true>(2),
    selfContained: {
      keys,
      verifier: joseJwtVerifier(systemClock),
      algorithm: 'RS256',
      defaultAudience: [issuer],
      genuine: new BoundedMap<Digest, GenuineJwt>(2),
    },
    store,
    ...bound,
  } as const;
  const every = Math.max(1, Math.floor(tokens / kept));
  const chosen: string[] = [];
  for (let issued = 0; issued < tokens; issued += BATCH) {
    const batch = Math.min(BATCH, tokens - issued);
    const minted = await issueBatch(needs, store, client, batch);
    chosen.push(...minted.filter((_, index) => (issued + index) % every === 0));
  }
  await storage.close();
  return { client, tokens: shuffle(chosen.slice(0, kept)) };
}

async function issueBatch(
  needs: AccessTokenNeeds,
  store: AccessTokenStore,
  { client_id, instance }: StoredClient,
  count: number,
): Promise<string[]> {
  const minting = Array.from(
    { length: count },
    async () =>
      await mintAccessToken(needs, {
        format: 'identifier',
        client_id,
        client_instance: instance,
        sub: client_id,
        scope: ['read', 'write'],
        audience: [],
        confirmation: undefined,
        lifetime: LIFETIME_S,
      }),
  );
  const minted = await Promise.all(minting);
  await Promise.all(minted.map(async ({ stored }) => await store.issue(stored)));
  return minted.map(({ access_token }) => access_token);
}

/** Load in the order of issue would read the table like a tape. */
function shuffle(texts: readonly string[]): string[] {
  return texts
    .map((text) => ({ text, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ text }) => text);
}
