import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyMaker } from '../ports/key-maker.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { sealerWith } from '../system/sealer.ts';
import { cheapKeyMaker } from '../testing/key-maker.ts';
import { emptyTenantStorage } from '../testing/storage.ts';
import { resealServerKeys } from './server-key-life.ts';
import { loadServerKeys, type ServerKeyNeeds } from './server-keys.ts';

const OLD_KEY = new Uint8Array(32).fill(1);
const NEW_KEY = new Uint8Array(32).fill(2);

const keyStore = (): ServerKeyStore => emptyTenantStorage().serverKeys;

function needsOver(store: ServerKeyStore, maker: KeyMaker = cheapKeyMaker()): ServerKeyNeeds {
  let filling = 6;
  return {
    store,
    keyMaker: maker,
    sealer: sealerWith([OLD_KEY]),
    configured: undefined,
    clock: { now: () => 1_800_000_000, milliseconds: () => 1_800_000_000_000 },
    signer: {
      sign: (claims, header, key) => Promise.resolve(JSON.stringify({ claims, header, d: key['d'] })),
      signOctets: (octets) => Promise.resolve(octets),
    },
    random: {
      alphanumeric: () => assert.fail('not used'),
      bytes: (count) => new Uint8Array(count).fill((filling += 1)),
    },
  };
}

test('the first start makes the default set, a federation key, a MAC key and the secret of pairwise subjects, and keeps them (decisions 27 and 28)', async () => {
  const store = keyStore();
  const maker = cheapKeyMaker();
  const keys = await loadServerKeys(needsOver(store, maker));
  assert.deepEqual(maker.made, [
    'RSA-2048',
    'P-256',
    'P-384',
    'P-521',
    'Ed25519',
    'RSA-2048',
    'P-256',
    'RSA-2048',
  ]);
  assert.equal((await keys.jwks()).keys.length, 7);
  const uses = (await store.all()).map(({ use }) => use);
  assert.deepEqual(uses, ['sig', 'sig', 'sig', 'sig', 'sig', 'enc', 'enc', 'federation', 'mac', 'pairwise']);
  assert.deepEqual(keys.accessTokenMac.export(), Buffer.alloc(32, 7));
  assert.deepEqual(keys.pairwiseSecret.export(), Buffer.alloc(32, 8));
});

test('a server whose clock is behind the clock that made the keys signs with them and publishes them all (F17)', async () => {
  const store = keyStore();
  await loadServerKeys(needsOver(store));
  const now = 1_800_000_000 - 90;
  const behind = await loadServerKeys({
    ...needsOver(store),
    clock: { now: () => now, milliseconds: () => now * 1000 },
  });
  assert.equal((await behind.jwks()).keys.length, 7);
  assert.ok(behind.canSign('RS256') && behind.canSign('EdDSA'));
  const signed = JSON.parse(await behind.sign({}, { alg: 'ES256', typ: 'JWT' })) as {
    header: { kid: string };
  };
  assert.ok((await behind.verificationKeys()).some(({ kid }) => kid === signed.header.kid));
});

test('another start loads the same keys and makes none (decision 27)', async () => {
  const store = keyStore();
  const first = await loadServerKeys(needsOver(store));
  const maker = cheapKeyMaker();
  const second = await loadServerKeys(needsOver(store, maker));
  assert.deepEqual(maker.made, []);
  assert.deepEqual(await second.jwks(), await first.jwks());
  assert.ok(second.accessTokenMac.equals(first.accessTokenMac));
  assert.ok(second.pairwiseSecret.equals(first.pairwiseSecret));
});

test('a database from before there were federation keys gets one at the next start, once (decision 28)', async () => {
  const store = keyStore();
  const before = await loadServerKeys(needsOver(keyStore()));
  const old = (await keyStoreWith(store, ({ use }) => use !== 'federation')).length;
  const maker = cheapKeyMaker();
  const [one, other] = await Promise.all([
    loadServerKeys(needsOver(store, maker)),
    loadServerKeys(needsOver(store, maker)),
  ]);
  assert.equal((await store.all()).length, old + 1);
  assert.deepEqual(await one.federation.jwks(), await other.federation.jwks());
  assert.equal((await one.jwks()).keys.length, (await before.jwks()).keys.length);
});

/** Fills an empty store with what a first start makes elsewhere, as far as `kept` says so. */
async function keyStoreWith(
  store: ServerKeyStore,
  kept: (key: StoredServerKey) => boolean,
): Promise<readonly StoredServerKey[]> {
  const full = keyStore();
  await loadServerKeys(needsOver(full));
  return await store.addFirst((await full.all()).filter(kept));
}

test('the loser of two simultaneous first starts takes the winner’s keys (ServerKeyStore.addFirst)', async () => {
  const store = keyStore();
  const won = await loadServerKeys(needsOver(store));
  let asked = 0;
  const raced: ServerKeyStore = {
    ...store,
    all: () => {
      asked += 1;
      return asked === 1 ? [] : store.all();
    },
  };
  const lost = await loadServerKeys(needsOver(raced));
  assert.deepEqual(await lost.jwks(), await won.jwks());
  assert.ok(lost.accessTokenMac.equals(won.accessTokenMac));
});

// proves rfc7517-9.2-1
test('nothing private is published or stored in the clear; kid and use are in both halves (decision 27)', async () => {
  const store = keyStore();
  const keys = await loadServerKeys(needsOver(store));
  const stored = await store.all();
  for (const open of [await keys.jwks(), await keys.federation.jwks(), await keys.verificationKeys(), stored])
    assert.equal(JSON.stringify(open).includes('private'), false);
  for (const { kid, use, public_jwk, sealed_jwk } of stored) {
    assert.ok(sealed_jwk !== null);
    const whole = JSON.parse(sealerWith([OLD_KEY]).open(sealed_jwk, `server key ${kid}`)) as JsonWebKey;
    if (public_jwk === null) {
      assert.ok(use === 'mac' || use === 'pairwise');
      assert.equal(whole['kty'], 'oct');
      continue;
    }
    const published = JSON.parse(public_jwk) as JsonWebKey;
    assert.deepEqual([published['kid'], published['use']], [kid, use === 'enc' ? 'enc' : 'sig']);
    for (const [name, value] of Object.entries(published)) assert.equal(whole[name], value, name);
    assert.equal(whole['d'], 'private');
  }
});

test('a ciphertext of one key does not open as another key (decision 16)', async () => {
  const store = keyStore();
  await loadServerKeys(needsOver(store));
  const stored = await store.all();
  const [rsa] = stored;
  const swapped = stored.map((key) =>
    key.use === 'mac' && rsa !== undefined ? { ...key, sealed_jwk: rsa.sealed_jwk } : key,
  );
  await assert.rejects(loadServerKeys(needsOver({ ...store, all: () => swapped })), { name: 'SealBroken' });
});

test('a store without its MAC key is an error, because a new key would invalidate all live tokens', async () => {
  const store = keyStore();
  await keyStoreWith(store, ({ use }) => use !== 'mac');
  await assert.rejects(loadServerKeys(needsOver(store)), /not the one for access tokens/);
});

test('a database from before there were pairwise subjects gets their secret at the next start, once (OpenID Connect Core 1.0 §8.1)', async () => {
  const store = keyStore();
  const old = (await keyStoreWith(store, ({ use }) => use !== 'pairwise')).length;
  const [one, other] = await Promise.all(
    [98, 99].map(async (filling) => {
      const bytes = (count: number): Uint8Array => new Uint8Array(count).fill(filling);
      return await loadServerKeys({ ...needsOver(store), random: { alphanumeric: () => 'x', bytes } });
    }),
  );
  assert.ok(one !== undefined && other !== undefined);
  assert.equal((await store.all()).length, old + 1);
  assert.ok(one.pairwiseSecret.equals(other.pairwiseSecret));
  assert.equal(
    (await one.jwks()).keys.some(({ kty }) => kty === 'oct'),
    false,
  );
});

test('resealing seals every key with the ring’s first key, once, and changes nothing else', async () => {
  const store = keyStore();
  const before = await loadServerKeys(needsOver(store));
  const ring = sealerWith([NEW_KEY, OLD_KEY]);
  assert.equal(await resealServerKeys(store, ring), 10);
  assert.equal(await resealServerKeys(store, ring), 0);
  const after = await loadServerKeys({ ...needsOver(store), sealer: sealerWith([NEW_KEY]) });
  assert.deepEqual(await after.jwks(), await before.jwks());
  assert.ok(after.accessTokenMac.equals(before.accessTokenMac));
  assert.equal(new Set((await store.all()).map(({ kid }) => kid)).size, 10);
});

test('the first key that fits the algorithm signs a JWT, which names its kid (interface, Server JWK set)', async () => {
  const store = keyStore();
  const keys = await loadServerKeys(needsOver(store));
  const kids = (await store.all()).map(({ kid }) => kid);
  for (const [alg, index] of [
    ['RS256', 0],
    ['PS512', 0],
    ['ES256', 1],
    ['ES384', 2],
    ['ES512', 3],
    ['EdDSA', 4],
  ] as const) {
    assert.equal(keys.canSign(alg), true);
    const signed = JSON.parse(await keys.sign({ sub: 'x' }, { alg, typ: 'at+jwt' })) as object;
    assert.deepEqual(signed, {
      claims: { sub: 'x' },
      header: { alg, kid: kids[index], typ: 'at+jwt' },
      d: 'private',
    });
  }
});

// proves rfc7517-4.2-1
test('keys for verification are public and sign; keys for decryption are private and encrypt (RFC 7517 §4.2)', async () => {
  const keys = await loadServerKeys(needsOver(keyStore()));
  const verifying = await keys.verificationKeys();
  assert.deepEqual(
    verifying.map((key) => [key['use'], key['d']]),
    Array.from({ length: 5 }, () => ['sig', undefined]),
  );
  const decrypting = await keys.decryptionKeys();
  assert.deepEqual(
    decrypting.map((key) => [key['use'], key['kty'], key['d']]),
    [
      ['enc', 'EC', 'private'],
      ['enc', 'RSA', 'private'],
    ],
  );
});

test('only a federation key signs for the federation, and it has a set of its own (decision 28)', async () => {
  const store = keyStore();
  const keys = await loadServerKeys(needsOver(store));
  const own = (await store.all()).find(({ use }) => use === 'federation');
  const signed = JSON.parse(await keys.federation.sign({}, { typ: 'jwk-set+jwt' })) as object;
  const header = { alg: 'RS256', kid: own?.kid, typ: 'jwk-set+jwt' };
  assert.deepEqual(signed, { claims: {}, header, d: 'private' });
  const [published, ...more] = (await keys.federation.jwks()).keys;
  assert.deepEqual([published?.['kid'], published?.['use'], published?.['alg']], [own?.kid, 'sig', 'RS256']);
  assert.deepEqual(more, []);
  for (const set of [(await keys.jwks()).keys, await keys.verificationKeys()])
    assert.equal(
      set.some(({ kid }) => kid === own?.kid),
      false,
    );
});
