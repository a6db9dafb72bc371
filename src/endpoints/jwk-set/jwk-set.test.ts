import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtSigner } from '../../jose/compact-jws.ts';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import { keyMaker } from '../../jose/private-keys.ts';
import { tendServerKeys } from '../../keys/rotate-server-keys.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { KeyMaker } from '../../ports/key-maker.ts';
import { StorageUnavailable } from '../../ports/storage.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { systemClock } from '../../system/clock.ts';
import { type Answer, assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { type KeyProcess, keyScene, START } from '../../testing/key-life.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { answer } from '../answer.ts';
import type { Endpoint } from '../contract.ts';
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

test('200: while a key waits to take over, no cache keeps the set beyond that moment (decision 27)', async () => {
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
test('200: the published set holds public members only (decision 27)', async () => {
  const published = (await keySet()).json['keys'] as readonly Readonly<Record<string, unknown>>[];
  assert.ok(published.length >= 7);
  for (const jwk of published) assert.deepEqual(Object.keys(jwk), MEMBERS[String(jwk['kty'])]);
});

// proves rfc7517-4.5-1
test('200: the default set: RSA, P-256, P-384, P-521 and Ed25519 to sign, RSA and EC to encrypt; each kid once (decision 28)', async () => {
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

const endpoint = jwkSet({
  keys: await publishedKeys(),
  maxAge: 60,
  clock: systemClock,
});

async function asked(ifNoneMatch?: string): Promise<Answer> {
  const headers = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
  const response = await answer(endpoint, requestOf(contract, { headers }), () => assert.fail('no failure'));
  return await received(contract, response);
}

const etag = (await asked()).headers['etag'] ?? '';

for (const value of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, '*']) {
  test(`If-None-Match: ${value.replace(etag, 'ETAG')}: 304 without body, with ETag and Cache-Control (decision 30; RFC 9110 §15.4.5)`, async () => {
    const answered = await asked(value);
    assert.equal(answered.status, 304);
    assert.equal(answered.body, '');
    assert.deepEqual(answered.headers, { etag, 'cache-control': 'public, max-age=60' });
  });
}

for (const value of ['"other"', etag.slice(1, -1), 'W/"other"', '']) {
  test(`If-None-Match: ${value === '' ? '(empty)' : value.replaceAll(/[\w-]{43}/g, '…')}: 200 (RFC 9110 §13.1.2)`, async () => {
    assert.equal((await asked(value)).status, 200);
  });
}

test('another set of keys has another ETag (RFC 9110 §8.8.3)', async () => {
  const { keys } = await (await publishedKeys()).jwks();
  const fewer = jwkSet({
    keys: { jwks: async () => ({ keys: keys.slice(1) }) },
    maxAge: 60,
    clock: systemClock,
  });
  const response = await answer(
    fewer,
    requestOf(contract, { headers: { 'if-none-match': etag } }),
    () => undefined,
  );
  assert.equal(response.status, 200);
  assert.notEqual(response.headers['etag'], etag);
});

const ISSUER = 'https://op.example.com';

const READS = 10_000;

const SECONDS_A_STEP = 8;

const READS_A_STEP = 10;

const LIFETIME = 3600;

const MAX_AGE = 300;

const LIFE = { rotationInterval: 2500, announcement: 1000, retention: LIFETIME };

/** Real keys of one kind take the place of all others: what is tested does not depend on the kind. */
const curveKeys: KeyMaker = {
  ...keyMaker,
  makePrivateKey: async (kind) => await keyMaker.makePrivateKey(kind.startsWith('RSA') ? 'X25519' : kind),
};

interface Set {
  readonly keys: readonly JsonWebKey[];
  readonly etag: string;
  readonly maxAge: number;
}

async function read(endpoint: Endpoint): Promise<Set> {
  const answer = await received(contract, await endpoint.handle(requestOf(contract, {})));
  assert.equal(answer.status, 200);
  const keys = answer.json['keys'] as readonly JsonWebKey[];
  const kids = keys.map(({ kid }) => kid);
  assert.equal(new Set(kids).size, kids.length);
  for (const key of keys) assert.deepEqual([typeof key['kid'], key['d']], ['string', undefined]);
  for (const kind of ['P-256', 'P-384', 'P-521', 'Ed25519'])
    assert.ok(keys.some(({ use, crv }) => use === 'sig' && crv === kind));
  const maxAge = Number(/^public, max-age=(\d+)$/.exec(answer.headers['cache-control'] ?? '')?.[1]);
  return { keys, etag: String(answer.headers['etag']), maxAge };
}

interface Token {
  readonly jwt: string;
  readonly kid: unknown;
  readonly expires_at: number;
}

const isKnownTo = ({ kid }: Token, { keys }: Set): boolean => keys.some((key) => key['kid'] === kid);

// proves openid-core-10.1.1-1
test('H-157 10,000 reads while keys rotate on two processes: every answer is whole, and every live token verifies with it (decision 27)', async () => {
  const scene = keyScene(curveKeys);
  const clock = { now: () => scene.now, milliseconds: () => scene.now * 1000 };
  const verifier = joseJwtVerifier(clock);
  const signer = joseJwtSigner();
  const processes = [await scene.open(LIFE, { signer }), await scene.open(LIFE, { signer })];
  const endpoints = processes.map(({ keys }) => jwkSet({ keys, clock, maxAge: MAX_AGE }));
  const issue = async ({ keys }: KeyProcess): Promise<Token> => {
    const jwt = await keys.sign({ iss: ISSUER, exp: scene.now + LIFETIME }, { alg: 'ES256', typ: 'at+jwt' });
    const header = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()) as JsonWebKey;
    return { jwt, kid: header['kid'], expires_at: scene.now + LIFETIME };
  };
  const verifies = async ({ jwt }: Token, { keys }: Set): Promise<boolean> => {
    const profile = {
      algorithms: ['ES256'],
      types: ['at+jwt'],
      requiredClaims: ['exp'],
      issuer: ISSUER,
    } as const;
    const rules = {
      audience: { kind: 'where-present', values: [] },
      lifetimeMax: undefined,
      ageMax: undefined,
    } as const;
    return (await verifier.verify(jwt, keys, { ...profile, ...rules })).verified;
  };

  /** A reader that fetches the set only when its copy is too old, and refuses a signature of a key outside of it. */
  let cached: Set & { readonly until: number } = { keys: [], etag: '', maxAge: 0, until: 0 };
  let live: Token[] = [];
  const signedWith = new Set<unknown>();
  const tags: string[] = [];
  for (let reads = 0; reads < READS; reads += 1) {
    const turn = reads % 2;
    const [process, endpoint] = [processes[turn], endpoints[turn]];
    assert.ok(process !== undefined && endpoint !== undefined);
    if (reads % READS_A_STEP === 0) {
      scene.now += SECONDS_A_STEP;
      await Promise.all(processes.map(async ({ life }) => await tendServerKeys(life)));
      live = live.filter(({ expires_at }) => expires_at > scene.now);
      const token = await issue(process);
      signedWith.add(token.kid);
      live.push(token);
      if (scene.now >= cached.until) {
        const set = await read(endpoint);
        cached = { ...set, until: scene.now + set.maxAge };
      }
      assert.ok(isKnownTo(token, cached), `a new token's key is not in a set of ${cached.maxAge} s`);
    }
    const set = await read(endpoint);
    if (tags.at(-1) !== set.etag) tags.push(set.etag);
    for (const token of live) assert.ok(isKnownTo(token, set), `at ${scene.now - START}`);
    const sample = live[reads % live.length];
    if (reads % READS_A_STEP === 0) assert.ok(sample !== undefined && (await verifies(sample, set)));
  }
  assert.ok(signedWith.size >= 4, String(signedWith.size));
  // Announced, encryption keys replaced, removed: each of them switches the set once, on both processes at once.
  assert.equal(new Set(tags).size, tags.length, 'a set that was replaced came back');
  const removed = await scene.storage.serverKeys.removed();
  assert.ok(removed.length >= 5, String(removed.length));
  const changes = processes.flatMap(({ events }) => events);
  assert.equal(new Set(changes.map((event) => event.join(' '))).size, changes.length, 'made twice');
});

test('GET /jwks.json, a fault: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const cause = new Error('/var/lib/registry');
  const reports: unknown[] = [];
  const handle = (): never => {
    throw cause;
  };
  const faulty = {
    ...jwkSet({ keys: await publishedKeys(), maxAge: 300, clock: systemClock }),
    handle,
  };
  const response = await answer(faulty, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});
