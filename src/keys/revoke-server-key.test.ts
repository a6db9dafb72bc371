import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BY, keyScene, publishedKids, START, signer, verifyingKids } from '../testing/key-life.ts';
import { rotateServerKeys } from './rotate-server-keys.ts';
import { revokeServerKey } from './server-key-life.ts';

const RSA = { uses: ['sig'], kind: 'RSA', at_once: false } as const;

test('a revoked key is gone at once in every process, and another key signs', async () => {
  const scene = keyScene();
  const [one, other] = [await scene.open(), await scene.open()];
  const compromised = await signer(other);
  scene.now += 7;
  assert.equal(await revokeServerKey(one.life, compromised, BY), 'revoked');
  for (const process of [one, other]) {
    assert.notEqual(await signer(process), compromised);
    assert.equal((await publishedKids(process)).includes(compromised), false);
    assert.equal((await verifyingKids(process)).includes(compromised), false);
    assert.ok((await publishedKids(process)).includes(await signer(process)));
    assert.equal((await publishedKids(process)).length, 7);
  }
  const [removed] = await scene.storage.serverKeys.removed();
  assert.deepEqual(
    [removed?.kid, removed?.removed_at, removed?.reason],
    [compromised, START + 7, 'compromised'],
  );
  const [event, ...more] = await scene.storage.audit.page(0, 10);
  assert.deepEqual([event?.action, event?.actor, event?.detail], ['server-key.revoke', 'cli', compromised]);
  assert.deepEqual(more, []);
  assert.deepEqual(one.events, [['server-key.revoke', compromised]]);
  assert.equal(await revokeServerKey(other.life, compromised, BY), 'unknown');
});

test('the successor that was announced for a compromised key still takes over in its time, from the replacement', async () => {
  const scene = keyScene();
  const process = await scene.open();
  const compromised = await signer(process);
  const [announced] = await rotateServerKeys(process.life, RSA, BY);
  await revokeServerKey(process.life, compromised, BY);
  const replacement = await signer(process);
  assert.notEqual(replacement, announced?.kid);
  scene.now += 1000;
  assert.equal(await signer(process), announced?.kid);
  assert.ok((await verifyingKids(process)).includes(replacement));
});

test('a revoked key that was only announced never signs, and the old key goes on', async () => {
  const scene = keyScene();
  const process = await scene.open();
  const old = await signer(process);
  const [announced] = await rotateServerKeys(process.life, RSA, BY);
  assert.equal(await revokeServerKey(process.life, String(announced?.kid), BY), 'revoked');
  scene.now += 2000;
  assert.equal(await signer(process), old);
  assert.equal((await publishedKids(process)).length, 7);
  assert.equal((await rotateServerKeys(process.life, RSA, BY))[0]?.change, 'announced');
});

test('a compromised key that has retired is not replaced', async () => {
  const scene = keyScene();
  const process = await scene.open();
  const old = await signer(process);
  await rotateServerKeys(process.life, { ...RSA, at_once: true }, BY);
  const current = await signer(process);
  assert.equal(await revokeServerKey(process.life, old, BY), 'revoked');
  assert.equal(await signer(process), current);
  assert.equal((await publishedKids(process)).length, 7);
});

test('a revoked encryption key no longer decrypts, and a revoked federation key no longer signs', async () => {
  const scene = keyScene();
  const process = await scene.open();
  const [enc] = await process.keys.decryptionKeys();
  await revokeServerKey(process.life, String(enc?.['kid']), BY);
  const kids = (await process.keys.decryptionKeys()).map(({ kid }) => kid);
  assert.equal(kids.length, 2);
  assert.equal(kids.includes(enc?.['kid']), false);
  const federation = await process.keys.federation.sign({}, {});
  await revokeServerKey(process.life, federation, BY);
  assert.notEqual(await process.keys.federation.sign({}, {}), federation);
  assert.equal((await process.keys.federation.jwks()).keys.length, 1);
});

test('the MAC key, an unknown key and configured keys cannot be revoked', async () => {
  const scene = keyScene();
  const process = await scene.open();
  const mac = (await scene.storage.serverKeys.all()).find(({ use }) => use === 'mac');
  for (const kid of [String(mac?.kid), 'nobody'])
    assert.equal(await revokeServerKey(process.life, kid, BY), 'unknown');
  const configured = await scene.open({ configured: true });
  assert.equal(await revokeServerKey(configured.life, await signer(process), BY), 'configured');
  assert.deepEqual(await scene.storage.audit.page(0, 10), []);
});
