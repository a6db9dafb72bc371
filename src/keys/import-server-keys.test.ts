import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyMaker } from '../jose/private-keys.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { BY, keyScene, publishedKids, START, signer, verifyingKids } from '../testing/key-life.ts';
import { importServerKeys } from './import-server-keys.ts';
import { rotateServerKeys, tendServerKeys } from './rotate-server-keys.ts';

const RSA: JsonWebKey = { ...(await keyMaker.makePrivateKey('RSA-2048')), use: 'sig', kid: 'ours' };
const { kty, n, e } = await keyMaker.makePrivateKey('RSA-2048');
const PUBLIC: JsonWebKey = { kty, n, e, use: 'sig', kid: 'theirs' };
const X25519: JsonWebKey = { ...(await keyMaker.makePrivateKey('X25519')), use: 'enc' };

const setOf = (...keys: readonly JsonWebKey[]): string => JSON.stringify({ keys });

test('an imported private key takes over after the announcement, a public key is published, and both are removed in time', async () => {
  const scene = keyScene(keyMaker);
  const [one, other] = [await scene.open(), await scene.open()];
  const old = await signer(one);
  const imported = await importServerKeys(one.life, setOf(RSA, PUBLIC, X25519), false, BY);
  const x = await keyMaker.thumbprint(X25519);
  assert.deepEqual(imported, [
    { kid: 'ours', use: 'sig', outcome: 'announced', active_at: START + 1000 },
    { kid: 'theirs', use: 'sig', outcome: 'published' },
    { kid: x, use: 'enc', outcome: 'activated', active_at: START },
  ]);
  const published = await publishedKids(other);
  for (const kid of ['ours', 'theirs', x]) assert.ok(published.includes(kid));
  assert.equal((await other.keys.decryptionKeys())[0]?.['kid'], x);
  assert.equal(await signer(other), old);
  scene.now = START + 1000;
  assert.equal(await signer(other), 'ours');
  assert.ok((await verifyingKids(other)).includes('theirs'));
  scene.now = START + 5000;
  await tendServerKeys(other.life);
  assert.equal((await verifyingKids(one)).includes('theirs'), false);
  assert.ok((await verifyingKids(one)).includes(old));
});

test('an imported private half is sealed, and its successor has the same kind', async () => {
  const scene = keyScene(keyMaker);
  const process = await scene.open();
  await importServerKeys(process.life, setOf(RSA), true, BY);
  assert.equal(await signer(process), 'ours');
  assert.equal(JSON.stringify(await scene.storage.serverKeys.all()).includes(String(RSA['d'])), false);
  const [next] = await rotateServerKeys(process.life, { uses: ['sig'], kind: 'RSA', at_once: true }, BY);
  assert.equal(next?.succeeds, 'ours');
});

test('an import at once takes over from an announced successor, which never signs', async () => {
  const scene = keyScene(keyMaker);
  const process = await scene.open();
  const [announced] = await rotateServerKeys(
    process.life,
    { uses: ['sig'], kind: 'RSA', at_once: false },
    BY,
  );
  const [imported] = await importServerKeys(process.life, setOf(RSA), true, BY);
  assert.equal(imported?.outcome, 'activated');
  for (const seconds of [0, 1000]) {
    scene.now = START + seconds;
    assert.equal(await signer(process), 'ours');
  }
  assert.ok((await verifyingKids(process)).includes(announced?.kid));
});

test('H-289: a known key is not imported again, and one that was removed is told apart', async () => {
  const scene = keyScene(keyMaker);
  const process = await scene.open();
  await importServerKeys(process.life, setOf(RSA), true, BY);
  const again = await importServerKeys(process.life, setOf(RSA), true, BY);
  assert.deepEqual(again, [{ kid: 'ours', use: 'sig', outcome: 'known' }]);
  const removal = { at: scene.now, reason: 'compromised', replacement: await anotherKey() } as const;
  const event = {
    ...BY,
    at: scene.now,
    action: 'server-key.revoke',
    outcome: 'done',
    client_id: null,
  } as const;
  assert.equal(
    await scene.storage.serverKeys.remove(again[0]?.kid as never, removal, { ...event, detail: null }),
    true,
  );
  assert.equal((await importServerKeys(process.life, setOf(RSA), true, BY))[0]?.outcome, 'removed');
  const other = { ...PUBLIC, kid: 'ours' };
  assert.equal((await importServerKeys(process.life, setOf(other), true, BY))[0]?.outcome, 'removed');
  assert.notEqual(await signer(process), 'ours');

  async function anotherKey() {
    const [rsa] = await scene.storage.serverKeys.all();
    assert.ok(rsa !== undefined);
    const spare = keyScene(keyMaker);
    await spare.open();
    const [key] = await spare.storage.serverKeys.all();
    return key ?? rsa;
  }
});

test('H-289: another key under the kid of a published one is not imported, and the outcome says so', async () => {
  const process = await keyScene(keyMaker).open();
  await importServerKeys(process.life, setOf(PUBLIC), false, BY);
  const [imported] = await importServerKeys(process.life, setOf({ ...RSA, kid: 'theirs' }), true, BY);
  assert.deepEqual(imported, { kid: 'theirs', use: 'sig', outcome: 'taken' });
  assert.notEqual(await signer(process), 'theirs');
});

for (const [what, keys, problem] of [
  [
    'the same key under two kids',
    [RSA, { ...RSA, kid: 'twin' }],
    /^keys\[1\] is the same key as keys\[0\], under another kid$/,
  ],
  [
    'a public half of a private key',
    [RSA, { kty: 'RSA', n: RSA['n'], e: RSA['e'], use: 'sig', kid: 'half' }],
    /^keys\[1\] is the same key as keys\[0\]/,
  ],
  [
    'an escape sequence in a kid',
    [{ ...RSA, kid: 'a\u001b[2J' }],
    /^keys\[0\] has a kid with a control or invisible character$/,
  ],
  [
    'a direction override in a kid',
    [{ ...RSA, kid: 'a\u202eb' }],
    /^keys\[0\] has a kid with a control or invisible character$/,
  ],
] as const) {
  test(`H-289: a set with ${what} is refused completely, with the place`, async () => {
    const scene = keyScene(keyMaker);
    const process = await scene.open();
    const before = (await scene.storage.serverKeys.all()).length;
    await assert.rejects(importServerKeys(process.life, setOf(...keys), true, BY), { message: problem });
    assert.equal((await scene.storage.serverKeys.all()).length, before);
  });
}

test('a set with one bad key is refused completely; every set is refused if keys are configured', async () => {
  const scene = keyScene(keyMaker);
  const process = await scene.open();
  const before = await publishedKids(process);
  const refused: readonly (readonly [string, RegExp])[] = [
    [setOf(RSA, { ...PUBLIC, e: 'AQ' }), /keys\[1\] has a public exponent/],
    [setOf(RSA, { ...PUBLIC, use: 'enc' }), /keys\[1\] has no private half/],
    ['[]', /must be a JWK set/],
  ];
  for (const [text, words] of refused)
    await assert.rejects(importServerKeys(process.life, text, true, BY), words);
  assert.deepEqual(await publishedKids(process), before);
  const configured = await scene.open({ configured: true });
  await assert.rejects(
    importServerKeys(configured.life, setOf(RSA), true, BY),
    /keys\.jwk-set is configured/,
  );
});
