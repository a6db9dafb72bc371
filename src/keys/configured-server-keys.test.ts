import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { keyMaker } from '../jose/private-keys.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { keyScene, publishedKids, signer, verifyingKids } from '../testing/key-life.ts';
import { tendServerKeys } from './rotate-server-keys.ts';
import { configuredServerKeys } from './server-jwk-set.ts';

const key = async (
  kind: Parameters<typeof keyMaker.makePrivateKey>[0],
  more: JsonWebKey,
): Promise<JsonWebKey> => ({
  ...(await keyMaker.makePrivateKey(kind)),
  ...more,
});
const publicHalf = (jwk: JsonWebKey): JsonWebKey =>
  Object.fromEntries(
    Object.entries(jwk).filter(([name]) => !['d', 'p', 'q', 'dp', 'dq', 'qi'].includes(name)),
  );

const RSA = await key('RSA-2048', { use: 'sig', kid: 'first', alg: 'RS256', x5t: 'x', key_ops: ['sign'] });
const RSA_NEXT = await key('RSA-2048', { use: 'sig', kid: 'next' });
const RSA_OLD = publicHalf(await key('RSA-2048', { use: 'sig', kid: 'old' }));
const EC = await key('P-256', { use: 'sig' });
const ENC = await key('P-384', { use: 'enc', kid: 'e' });
const X = await key('X25519', { use: 'enc', kid: 'x' });

const setOf = (...keys: readonly unknown[]): string => JSON.stringify({ keys });
const read = async (text: string) => await configuredServerKeys(text, keyMaker);

// proves rfc7517-9.2-1
test('a configured set replaces the generated one: the first key for an algorithm signs, public ones are published only (decision 29)', async () => {
  const scene = keyScene();
  const configured = await read(setOf(RSA, RSA_NEXT, RSA_OLD, EC, ENC, X));
  const process = await scene.open({ configured: true, rotationInterval: 1 }, { configured });
  const thumbprint = await keyMaker.thumbprint(EC);
  assert.equal(await signer(process), 'first');
  assert.equal(
    await process.keys.sign({}, { alg: 'PS512', typ: 'JWT' }),
    'next',
    'the first is bound to RS256',
  );
  assert.equal(await signer(process, 'ES256'), thumbprint);
  assert.equal(process.keys.canSign('ES384'), false);
  await assert.rejects(process.keys.sign({}, { alg: 'ES384', typ: 'JWT' }), /no server key signs with ES384/);
  assert.deepEqual(await publishedKids(process), ['first', 'next', 'old', thumbprint, 'e', 'x']);
  assert.deepEqual(await verifyingKids(process), ['first', 'next', 'old', thumbprint]);
  assert.deepEqual(
    (await process.keys.decryptionKeys()).map(({ kid }) => kid),
    ['x', 'e'],
  );
  const { keys } = await process.keys.jwks();
  assert.deepEqual(Object.keys(keys[0] ?? {}), ['kty', 'n', 'e', 'use', 'kid', 'alg']);
  assert.deepEqual(keys[2], { kty: 'RSA', n: RSA_OLD['n'], e: 'AQAB', use: 'sig', kid: 'old' });
  // The MAC key and the federation key stay ours.
  assert.deepEqual(
    (await scene.storage.serverKeys.all()).map(({ use }) => use),
    ['federation', 'mac', 'pairwise'],
  );
  scene.now += 10;
  await tendServerKeys(process.life);
  assert.deepEqual(process.events, []);
});

test('a database whose keys were configured gets generated ones when the setting goes', async () => {
  const scene = keyScene();
  await scene.open({ configured: true }, { configured: await read(setOf(RSA)) });
  const process = await scene.open();
  assert.equal((await publishedKids(process)).length, 7);
  assert.notEqual(await signer(process), 'first');
});

test('where signatures.algorithms excludes RS256, a set needs a key for one that it holds (FAPI 2.0 Security Profile §5.4.1)', async () => {
  const algorithms = ['PS256', 'ES256'] as const;
  assert.equal((await configuredServerKeys(setOf(EC), keyMaker, algorithms)).length, 1);
  await assert.rejects(
    configuredServerKeys(setOf(EC), keyMaker, ['PS256']),
    /signatures\.algorithms \(PS256\)/,
  );
  await assert.rejects(configuredServerKeys(setOf(RSA), keyMaker, algorithms), /signatures\.algorithms/);
});

const REFUSED: readonly (readonly [name: string, text: string, words: RegExp])[] = [
  ['no JSON', '{', /must be a JWK set/],
  ['a single key', JSON.stringify(RSA), /must be a JWK set/],
  ['no keys', setOf(), /must be a JWK set/],
  ['a key twice', setOf(RSA, RSA), /keys\[1\] has the same kid/],
  ['two keys of one kid', setOf(RSA, { ...EC, kid: 'first' }), /keys\[1\] has the same kid/],
  [
    'two keys of one kid and different uses',
    setOf(RSA, { ...ENC, kid: 'first' }),
    /keys\[1\] has the same kid/,
  ],
  ['public keys only', setOf(RSA_OLD), /no private key with use sig/],
  ['encryption keys only', setOf(ENC), /no private key with use sig/],
  ['no key for RS256', setOf(EC), /RS256/],
  ['a key for RS256 that is bound to another algorithm', setOf({ ...RSA, alg: 'PS256' }), /RS256/],
  ['a symmetric key', setOf(RSA, { kty: 'oct', k: 'AAAA', use: 'sig' }), /keys\[1\] is a symmetric key/],
  ['a key without use', setOf({ ...RSA, use: undefined }), /keys\[0\] must have a use/],
  ['an unknown key type', setOf(RSA, { kty: 'AKP', use: 'sig' }), /keys\[1\] has a kty/],
  ['an unknown curve', setOf(RSA, { ...EC, crv: 'secp256k1' }), /keys\[1\] is on a curve/],
  ['a small exponent', setOf({ ...RSA, e: 'Aw' }), /keys\[0\] has a public exponent/],
  ['an algorithm of another kind', setOf(RSA, { ...EC, alg: 'ES384' }), /keys\[1\] has an alg/],
  ['no object', setOf(RSA, 'x'), /keys\[1\] is not a JSON object/],
  ['half a private key', setOf({ ...RSA, p: undefined }), /keys\[0\] has a private half that cannot be read/],
  ['the modulus of another key', setOf({ ...RSA, n: RSA_NEXT['n'] }), /keys\[0\] has a private half/],
  [
    'the point of another key',
    setOf(RSA, { ...EC, ...publicHalf(ENC), use: 'sig' }),
    /keys\[1\] has a private half/,
  ],
  ['a member twice', setOf(RSA).replace('"use"', '"use":"sig","use"'), /must be a JWK set/],
];

for (const [name, text, words] of REFUSED) {
  // proves rfc7517-4-1, rfc7517-4.5-1, rfc7517-9.2-1
  test(`a configured set with ${name} is refused, and no key is shown (decision 29)`, async () => {
    await assert.rejects(read(text), (failure: Error) => {
      assert.equal(failure.name, 'ServerJwkSetRefused');
      assert.match(failure.message, words);
      assert.equal(failure.message.includes(String(RSA['d']).slice(0, 10)), false);
      return true;
    });
  });
}

// proves rfc7518-3.3-1
test('a configured RSA key of 1024 bits is refused (RFC 7518 §3.3)', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const weak = { ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'w' };
  await assert.rejects(read(setOf(RSA, weak)), /keys\[1\] has a modulus of fewer than 2048 bits/);
});
