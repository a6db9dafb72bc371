import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { ServerKeyStore, StoredServerKey } from '../ports/server-key-store.ts';
import type { KeyId } from '../spec/identifiers.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { sealerWith } from '../system/sealer.ts';
import { loadServerKeys, resealServerKeys, type ServerKeyNeeds } from './server-keys.ts';

const OLD_KEY = new Uint8Array(32).fill(1);
const NEW_KEY = new Uint8Array(32).fill(2);

function keyStore(
  kept: readonly StoredServerKey[] = [],
): ServerKeyStore & { kept(): readonly StoredServerKey[] } {
  let keys = kept;
  return {
    kept: () => keys,
    all: () => keys,
    async addFirst(offered) {
      if (keys.length === 0) keys = offered;
      return keys;
    },
    async reseal(kid, sealed_jwk) {
      keys = keys.map((key) => (key.kid === kid ? { ...key, sealed_jwk } : key));
    },
  };
}

/** Keys that look like keys and cost nothing. */
function keyMaker(): KeyMaker & { readonly made: KeyKind[] } {
  const made: KeyKind[] = [];
  return {
    made,
    async makePrivateKey(kind): Promise<JsonWebKey> {
      made.push(kind);
      const private_ = { d: 'private', serial: made.length };
      if (kind === 'RSA-2048')
        return { kty: 'RSA', n: `n${made.length}`, e: 'AQAB', p: 'private', ...private_ };
      if (kind === 'Ed25519') return { kty: 'OKP', crv: kind, x: `x${made.length}`, ...private_ };
      return { kty: 'EC', crv: kind, x: `x${made.length}`, y: 'y', ...private_ };
    },
    async thumbprint(jwk) {
      return `thumbprint of ${JSON.stringify([jwk['n'], jwk['x'], jwk['k']])}`;
    },
  };
}

function needsOver(store: ServerKeyStore, maker: KeyMaker = keyMaker()): ServerKeyNeeds {
  return {
    store,
    keyMaker: maker,
    sealer: sealerWith([OLD_KEY]),
    clock: { now: () => 1_800_000_000, milliseconds: () => 1_800_000_000_000 },
    signer: {
      sign: (claims, header, key) => Promise.resolve(JSON.stringify({ claims, header, d: key['d'] })),
    },
    random: { alphanumeric: () => assert.fail('not used'), bytes: (count) => new Uint8Array(count).fill(7) },
  };
}

test('the first start makes the default set and a MAC key, and keeps them (decisions 27 and 28)', async () => {
  const store = keyStore();
  const maker = keyMaker();
  const keys = await loadServerKeys(needsOver(store, maker));
  assert.deepEqual(maker.made, ['RSA-2048', 'P-256', 'P-384', 'P-521', 'Ed25519', 'RSA-2048', 'P-256']);
  assert.equal((await keys.jwks()).keys.length, 7);
  const uses = store.kept().map(({ use }) => use);
  assert.deepEqual(uses, ['sig', 'sig', 'sig', 'sig', 'sig', 'enc', 'enc', 'mac']);
  assert.deepEqual(keys.accessTokenMac.export(), Buffer.alloc(32, 7));
});

test('another start loads the same keys and makes none (decision 27)', async () => {
  const store = keyStore();
  const first = await loadServerKeys(needsOver(store));
  const maker = keyMaker();
  const second = await loadServerKeys(needsOver(store, maker));
  assert.deepEqual(maker.made, []);
  assert.deepEqual(await second.jwks(), await first.jwks());
  assert.ok(second.accessTokenMac.equals(first.accessTokenMac));
});

test('whoever loses the race of two first starts takes the winner’s keys (ServerKeyStore.addFirst)', async () => {
  const winner = keyStore();
  const won = await loadServerKeys(needsOver(winner));
  const raced = { ...winner, all: () => [] };
  const lost = await loadServerKeys(needsOver(raced));
  assert.deepEqual(await lost.jwks(), await won.jwks());
});

test('nothing private is published or stored in the clear; kid and use are in both halves (decision 27)', async () => {
  const store = keyStore();
  const jwks = await (await loadServerKeys(needsOver(store))).jwks();
  assert.equal(JSON.stringify(jwks).includes('private'), false);
  assert.equal(JSON.stringify(store.kept()).includes('private'), false);
  for (const { kid, use, public_jwk, sealed_jwk } of store.kept()) {
    const whole = JSON.parse(sealerWith([OLD_KEY]).open(sealed_jwk, `server key ${kid}`)) as JsonWebKey;
    if (public_jwk === null) {
      assert.deepEqual([use, whole['kty']], ['mac', 'oct']);
      continue;
    }
    const published = JSON.parse(public_jwk) as JsonWebKey;
    assert.deepEqual([published['kid'], published['use']], [kid, use]);
    for (const [name, value] of Object.entries(published)) assert.equal(whole[name], value, name);
    assert.equal(whole['d'], 'private');
  }
});

test('a ciphertext of one key does not open as another key (decision 16)', async () => {
  const store = keyStore();
  await loadServerKeys(needsOver(store));
  const [rsa] = store.kept();
  const swapped = store
    .kept()
    .map((key) => (key.use === 'mac' && rsa !== undefined ? { ...key, sealed_jwk: rsa.sealed_jwk } : key));
  await assert.rejects(loadServerKeys(needsOver(keyStore(swapped))), { name: 'SealBroken' });
});

test('a store that lost the MAC key is an error, not a new key: live tokens would die silently', async () => {
  const store = keyStore();
  await loadServerKeys(needsOver(store));
  const rest = store.kept().filter(({ use }) => use !== 'mac');
  await assert.rejects(loadServerKeys(needsOver(keyStore(rest))), /not the one for access tokens/);
});

test('resealing moves every key to the ring’s first key, once, and changes nothing else', async () => {
  const store = keyStore();
  const before = await loadServerKeys(needsOver(store));
  const ring = sealerWith([NEW_KEY, OLD_KEY]);
  assert.equal(await resealServerKeys(store, ring), 8);
  assert.equal(await resealServerKeys(store, ring), 0);
  const after = await loadServerKeys({ ...needsOver(store), sealer: sealerWith([NEW_KEY]) });
  assert.deepEqual(await after.jwks(), await before.jwks());
  assert.ok(after.accessTokenMac.equals(before.accessTokenMac));
  assert.equal(new Set(store.kept().map(({ kid }: { kid: KeyId }) => kid)).size, 8);
});

test('a JWT is signed by the first key that the algorithm takes, and names it (interface, Server JWK set)', async () => {
  const store = keyStore();
  const keys = await loadServerKeys(needsOver(store));
  const kids = store.kept().map(({ kid }) => kid);
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
      ['enc', 'RSA', 'private'],
      ['enc', 'EC', 'private'],
    ],
  );
});
