import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  rememberedOutcome,
  rememberedOutcomes,
} from '../../src/clients/client-authentication/remembered-outcomes.ts';
import { metadataOf, registeredScope } from '../../src/clients/registered-client.ts';
import { clientUses } from '../../src/clients/upkeep/client-uses.ts';
import type { StoredAccessToken } from '../../src/ports/access-token-store.ts';
import type { StoredClient } from '../../src/ports/client-store.ts';
import { type CacheName, ProcessCaches } from '../../src/spec/caches.ts';
import type { AccessTokenKey, ClientId, ClientInstance } from '../../src/spec/identifiers.ts';
import { withRecordCache } from '../../src/storage/record-cache.ts';
import { emptyTenantStorage } from '../../src/testing/storage.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const ENTRIES = 20_000;
const LIMITS = { clients: undefined, accessTokens: undefined };
/** A flat text: a part of another one would keep the other one in memory. */
const random = (characters: number): string =>
  Buffer.from(randomBytes(characters).toString('base64url'), 'latin1').toString('latin1', 0, characters);

const METADATA = {
  client_name: 'A client with a usual name',
  redirect_uris: ['https://client.example.com/callback', 'https://client.example.com/other'],
  contacts: ['admin@client.example.com'],
  grant_types: ['authorization_code', 'client_credentials', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'client_secret_basic',
  scope: 'read write https://op.example.com/token/introspect',
  application_type: 'web',
  subject_type: 'public',
  id_token_signed_response_alg: 'RS256',
};

/** Returns a record with texts of its own, as an engine reads it. */
function aStoredClient(more: object = {}): StoredClient {
  const text = JSON.stringify({
    client_id: random(24),
    instance: random(16),
    version: 1,
    issued_at: 1_800_000_000,
    metadata: JSON.stringify({ ...METADATA, ...more }),
    data: null,
    secrets: [{ digest: random(43), sealed: random(120), created_at: 1_800_000_000, expires_at: 0 }],
    registration_token_digest: random(43),
    registration_token_sealed: random(120),
    privileges: '{"scope":["read","write"]}',
    registered_via: 'master:operator',
    shared_digest: null,
    entity_id: null,
    expires_at: null,
    document: null,
    federation: null,
    resolved_at: null,
    renew_at: null,
  });
  return JSON.parse(text) as StoredClient;
}

function aStoredToken(): StoredAccessToken {
  const [client_id, instance] = [random(24), random(16)];
  const members = { active: true, scope: 'read write', client_id, token_type: 'Bearer', exp: 1_800_036_000 };
  const more = { iat: 1_800_000_000, sub: client_id, iss: 'https://op.example.com', jti: random(16) };
  const text = JSON.stringify({
    key: random(54),
    expires_at: 1_800_036_000,
    client_id,
    client_instance: instance,
    grant_id: null,
    introspection: JSON.stringify({ ...members, ...more }),
  });
  return JSON.parse(text) as StoredAccessToken;
}

/** Of 20,000 random digests, one in five times two share their 30 bits, and the later displaces the earlier. Ten pairs do not happen. */
const DISPLACED_MAX = 10;

const kept: unknown[] = [];

/** Fills one cache, and compares the growth of the heap with the estimate. */
async function compare(name: CacheName, fill: (caches: ProcessCaches) => Promise<unknown>): Promise<number> {
  const caches = new ProcessCaches(4 * 1024 ** 3);
  collectGarbage();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  // An object that stays until the end is no garbage that leaves during the next comparison.
  kept.push(await fill(caches));
  collectGarbage();
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  const figures = caches.figures().find((cache) => cache.name === name);
  assert.ok(
    figures !== undefined && figures.entries > ENTRIES - DISPLACED_MAX,
    `${figures?.entries} entries`,
  );
  return figures.bytes / grown;
}

const cachedOver = (caches: ProcessCaches, make: () => StoredClient) => {
  const storage = emptyTenantStorage();
  return withRecordCache(
    {
      ...storage,
      clients: { ...storage.clients, find: make },
      accessTokens: { ...storage.accessTokens, find: aStoredToken },
    },
    LIMITS,
    caches,
  );
};

async function fillClients(caches: ProcessCaches, make: () => StoredClient): Promise<unknown> {
  const cached = cachedOver(caches, make);
  for (let index = 0; index < ENTRIES; index += 1) {
    const client = await cached.clients.find(`client-${index}` as ClientId);
    assert.ok(client !== undefined);
    metadataOf(client);
    registeredScope(client);
  }
  return cached;
}

async function fillTokens(caches: ProcessCaches): Promise<unknown> {
  const cached = cachedOver(caches, aStoredClient);
  for (let index = 0; index < ENTRIES; index += 1)
    await cached.accessTokens.find(random(54) as AccessTokenKey);
  return cached;
}

async function fillAuthentications(caches: ProcessCaches): Promise<unknown> {
  const outcomes = rememberedOutcomes(caches);
  for (let index = 0; index < ENTRIES; index += 1) {
    const client = aStoredClient();
    const [secret] = client.secrets;
    assert.ok(secret !== undefined);
    outcomes.set(`Basic ${index}`, rememberedOutcome(client, secret));
  }
  return await Promise.resolve(outcomes);
}

async function fillUses(caches: ProcessCaches): Promise<unknown> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const clock = { now: () => 1_800_000_000, milliseconds: () => 0 };
  const clients = { recordUses: async () => await Promise.resolve() };
  const uses = clientUses({ clients, clock, log, caches });
  const client = aStoredClient();
  for (let index = 0; index < ENTRIES; index += 1) {
    uses.note({ ...client, instance: random(16) as ClientInstance }, undefined);
  }
  await uses.flush();
  return uses;
}

const LARGE = {
  redirect_uris: Array.from({ length: 60 }, (_, at) => `https://client.example.com/callback/${at}`),
};
const WIDE = { client_name: 'Ωμέγα 🦊'.repeat(40) };
const ROWS: readonly (readonly [
  what: string,
  name: CacheName,
  fill: (caches: ProcessCaches) => Promise<unknown>,
])[] = [
  ['clients of the usual size', 'clients', async (caches) => await fillClients(caches, aStoredClient)],
  [
    'clients with 60 redirect URIs',
    'clients',
    async (caches) => await fillClients(caches, () => aStoredClient(LARGE)),
  ],
  [
    'clients with a name beyond Latin-1',
    'clients',
    async (caches) => await fillClients(caches, () => aStoredClient(WIDE)),
  ],
  ['access tokens', 'access-tokens', fillTokens],
  ['authentications', 'authentications', fillAuthentications],
  ['uses of clients', 'client-uses', fillUses],
];

for (const [what, name, fill] of ROWS) {
  test(`H-310 the estimated bytes of ${what} are not below their memory, and at most twice as much`, async (context) => {
    const ratio = await compare(name, fill);
    context.diagnostic(`estimate / heap: ${ratio.toFixed(2)}`);
    assert.ok(ratio >= 0.95 && ratio <= 2, ratio.toFixed(2));
  });
}
