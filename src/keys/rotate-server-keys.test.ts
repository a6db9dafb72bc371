import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BY, keyScene, publishedKids, START, signer, verifyingKids } from '../testing/key-life.ts';
import { rotateServerKeys, tendServerKeys } from './rotate-server-keys.ts';

const RSA_ONLY = { uses: ['sig'], kind: 'RSA', at_once: false } as const;
const DAY = 86_400;

// proves openid-core-10.1.1-1
test('a new key is published before it signs, and the old key stays until its tokens have expired (decision 27)', async () => {
  const scene = keyScene();
  const [one, other] = [await scene.open(), await scene.open()];
  const old = await signer(one);
  assert.equal(await signer(other), old);
  const [rotated] = await rotateServerKeys(one.life, RSA_ONLY, BY);
  const successor = rotated?.kid;
  assert.deepEqual(rotated, {
    kid: successor,
    use: 'sig',
    kind: 'RSA',
    succeeds: old,
    active_at: START + 1000,
    change: 'announced',
  });
  for (const process of [one, other]) {
    assert.equal(await signer(process), old);
    assert.ok((await publishedKids(process)).includes(successor));
    assert.equal((await process.keys.jwks()).activation_at, START + 1000);
  }
  scene.now = START + 999;
  assert.equal(await signer(other), old);
  scene.now = START + 1000;
  for (const process of [one, other]) {
    assert.equal(await signer(process), successor);
    assert.ok((await publishedKids(process)).includes(old));
    assert.ok((await verifyingKids(process)).includes(old));
    assert.equal((await process.keys.jwks()).activation_at, undefined);
  }
  scene.now = START + 1000 + 4999;
  await tendServerKeys(other.life);
  assert.ok((await verifyingKids(one)).includes(old));
  scene.now += 1;
  await Promise.all([tendServerKeys(one.life), tendServerKeys(other.life)]);
  for (const process of [one, other]) {
    assert.equal((await publishedKids(process)).includes(old), false);
    assert.equal((await verifyingKids(process)).includes(old), false);
    assert.equal(await signer(process), successor);
  }
  const [removed, ...more] = await scene.storage.serverKeys.removed();
  assert.deepEqual([removed?.kid, removed?.reason, removed?.removed_at], [old, 'superseded', START + 6000]);
  assert.deepEqual(more, []);
  const kept = await scene.storage.audit.page(0, 100);
  assert.deepEqual(
    kept.map(({ action, actor, detail }) => [action, actor, detail]),
    [
      ['server-key.announce', 'cli', successor],
      ['server-key.remove', 'server', old],
    ],
  );
  assert.deepEqual(
    [...one.events, ...other.events],
    [
      ['server-key.announce', successor],
      ['server-key.remove', old],
    ],
  );
});

test('another key than the one asked for does not change, and a second request finds what is announced', async () => {
  const scene = keyScene();
  const process = await scene.open();
  const ec = await signer(process, 'ES256');
  const [first] = await rotateServerKeys(process.life, RSA_ONLY, BY);
  scene.now += 10;
  const [second, ...more] = await rotateServerKeys(process.life, RSA_ONLY, BY);
  assert.deepEqual(second, { ...first, change: 'known' });
  assert.deepEqual(more, []);
  scene.now += DAY;
  assert.equal(await signer(process, 'ES256'), ec);
  assert.equal(await signer(process), first?.kid);
});

test('at once: the new key signs from now on, also one that was announced; the old one still verifies', async () => {
  const scene = keyScene();
  const [one, other] = [await scene.open(), await scene.open()];
  const [oldRsa, oldEc] = [await signer(one), await signer(one, 'ES256')];
  const [announced] = await rotateServerKeys(one.life, RSA_ONLY, BY);
  scene.now += 5;
  const rotated = await rotateServerKeys(other.life, { ...RSA_ONLY, kind: undefined, at_once: true }, BY);
  assert.equal(rotated.length, 5);
  assert.ok(rotated.every(({ change, active_at }) => change === 'activated' && active_at === START + 5));
  assert.equal(await signer(one), announced?.kid);
  assert.notEqual(await signer(one, 'ES256'), oldEc);
  const verifying = await verifyingKids(one);
  for (const kid of [oldRsa, oldEc]) assert.ok(verifying.includes(kid));
  assert.equal(verifying.length, 10);
});

// proves openid-core-10.2.1-1
test('an encryption key is replaced at once: the old one is no longer published and still decrypts (OpenID Connect Core 1.0 §10.2.1)', async () => {
  const scene = keyScene();
  const [one, other] = [await scene.open(), await scene.open()];
  const before = (await one.keys.jwks()).keys.filter(({ use }) => use === 'enc').map(({ kid }) => kid);
  await rotateServerKeys(one.life, { uses: ['enc'], kind: undefined, at_once: false }, BY);
  const after = (await other.keys.jwks()).keys.filter(({ use }) => use === 'enc').map(({ kid }) => kid);
  assert.equal(after.length, 2);
  assert.ok(after.every((kid) => !before.includes(kid)));
  const decrypting = (await other.keys.decryptionKeys()).map(({ kid }) => kid);
  assert.deepEqual(new Set(decrypting), new Set([...before, ...after]));
  scene.now += 5000;
  await tendServerKeys(one.life);
  assert.equal((await other.keys.decryptionKeys()).length, 2);
});

test('rotation by the clock replaces each sig and enc key when due, never federation keys, and in one process only', async () => {
  const scene = keyScene();
  const interval = 30 * DAY;
  const processes = [
    await scene.open({ rotationInterval: interval }),
    await scene.open({ rotationInterval: interval }),
    await scene.open({ rotationInterval: interval }),
  ];
  const tendAll = async () =>
    await Promise.all(processes.map(async ({ life }) => await tendServerKeys(life)));
  const [one, other] = processes;
  assert.ok(one !== undefined && other !== undefined);
  const federation = await one.keys.federation.jwks();
  const old = await signer(one);
  scene.now = START + interval - 1001;
  await tendAll();
  assert.deepEqual(
    processes.flatMap(({ events }) => events),
    [],
  );
  scene.now += 1;
  await tendAll();
  await tendAll();
  const announced = processes.flatMap(({ events }) => events);
  assert.equal(announced.length, 5);
  assert.equal((await publishedKids(other)).length, 12);
  assert.equal(await signer(other), old);
  scene.now = START + interval;
  assert.notEqual(await signer(other), old);
  await tendAll();
  assert.equal(processes.flatMap(({ events }) => events).length, 7, 'and the two encryption keys');
  assert.deepEqual(await other.keys.federation.jwks(), federation);
});

// proves rfc7517-4.5-1
test('after many rotations the set has its first size, and no kid was used twice', async () => {
  const scene = keyScene();
  const process = await scene.open({ rotationInterval: DAY });
  const seen = new Set<unknown>();
  for (let hour = 0; hour < 24 * 10; hour += 1) {
    await tendServerKeys(process.life);
    const published = await publishedKids(process);
    assert.equal(new Set(published).size, published.length);
    assert.ok((await verifyingKids(process)).includes(await signer(process)));
    assert.ok(published.length >= 7 && published.length <= 17, String(published.length));
    for (const kid of published) seen.add(kid);
    scene.now += 3600;
  }
  assert.ok(seen.size >= 7 * 9, String(seen.size));
});

test('generated keys that a configured set replaces are not rotated; the federation key is, when asked for', async () => {
  const scene = keyScene();
  const process = await scene.open({ configured: true, rotationInterval: DAY });
  scene.now += 2 * DAY;
  await tendServerKeys(process.life);
  const uses = ['sig', 'enc', 'federation'] as const;
  const rotated = await rotateServerKeys(process.life, { uses, kind: undefined, at_once: false }, BY);
  assert.deepEqual(
    rotated.map(({ use, change }) => [use, change]),
    [['federation', 'announced']],
  );
});
