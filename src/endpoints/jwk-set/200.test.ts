import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerKeys } from '../../keys/server-keys.ts';
import { StorageUnavailable } from '../../ports/storage.ts';
import { systemClock } from '../../system/clock.ts';
import { type Answer, received, requestOf } from '../../testing/exchange.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { jwkSet } from './endpoint.ts';

const keys: ServerKeys = await publishedKeys();

async function keySet(): Promise<Answer> {
  const response = await answer(
    jwkSet({ keys, maxAge: 300, clock: systemClock }),
    requestOf(contract, {}),
    () => assert.fail('no failure'),
  );
  return await received(contract, response);
}

// proves rfc7517-5-1, rfc7517-8.5.1-1
test('GET /jwks.json: 200 with the key set, cacheable, with an ETag (interface; decision 30)', async () => {
  const answered = await keySet();
  assert.equal(answered.status, 200);
  assert.equal(answered.headers['content-type'], 'application/json');
  assert.equal(answered.headers['cache-control'], 'public, max-age=300');
  assert.match(answered.headers['etag'] ?? '', /^"[A-Za-z0-9_-]{43}"$/);
  assert.deepEqual(Object.keys(answered.json), ['keys']);
});

test('while a key waits to take over, no cache keeps the set beyond that moment (decision 27)', async () => {
  const { keys: published } = await keys.jwks();
  let now = 1_800_000_000;
  const clock = { now: () => now, milliseconds: () => now * 1000 };
  const set = { keys: published, activation_at: now + 400 };
  const endpoint = jwkSet({ keys: { jwks: async () => set }, maxAge: 300, clock });
  const cacheControl = async () => (await endpoint.handle(requestOf(contract, {}))).headers['cache-control'];
  assert.equal(await cacheControl(), 'public, max-age=300');
  now += 150;
  assert.equal(await cacheControl(), 'public, max-age=250');
  now += 250;
  assert.equal(await cacheControl(), 'public, max-age=0');
});

test('while storage is away: 200 with the last set for as long as a cache may keep it, then the fault (F14, RFC 9111 §4.2)', async () => {
  const { keys: published } = await keys.jwks();
  let now = 1_800_000_000;
  const clock = { now: () => now, milliseconds: () => now * 1000 };
  const away = new StorageUnavailable('away');
  const answers = [{ keys: published }, away, away, away, new Error('a defect')];
  const jwks = async () => {
    const found = answers.shift();
    if (found instanceof Error) throw found;
    return found ?? { keys: published };
  };
  const endpoint = jwkSet({ keys: { jwks }, maxAge: 300, clock });
  const ask = async () => await endpoint.handle(requestOf(contract, {}));
  const first = await ask();
  now += 100;
  const kept = await ask();
  assert.equal(kept.body, first.body);
  assert.equal(kept.headers['cache-control'], 'public, max-age=200');
  now += 200;
  await assert.rejects(ask, away);
  now -= 1;
  assert.equal((await ask()).headers['cache-control'], 'public, max-age=1');
  await assert.rejects(ask, /a defect/);
});

const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['kty', 'n', 'e', 'use', 'kid'],
  EC: ['kty', 'crv', 'x', 'y', 'use', 'kid'],
  OKP: ['kty', 'crv', 'x', 'use', 'kid'],
};

// proves rfc7517-4.1-1
test('the published set holds public members only (decision 27)', async () => {
  const published = (await keySet()).json['keys'] as readonly Readonly<Record<string, unknown>>[];
  assert.ok(published.length >= 7);
  for (const jwk of published) assert.deepEqual(Object.keys(jwk), MEMBERS[String(jwk['kty'])]);
});

// proves rfc7517-4.5-1
test('the default set: RSA, P-256, P-384, P-521 and Ed25519 to sign, RSA and EC to encrypt; each kid once (decision 28)', async () => {
  const published = (await keySet()).json['keys'] as readonly Readonly<Record<string, unknown>>[];
  const kinds = published.map(({ use, kty, crv }) => [use, crv ?? kty].join(' '));
  assert.deepEqual(kinds, [
    'sig RSA',
    'sig P-256',
    'sig P-384',
    'sig P-521',
    'sig Ed25519',
    'enc RSA',
    'enc P-256',
  ]);
  assert.equal(new Set(published.map(({ kid }) => kid)).size, published.length);
});
