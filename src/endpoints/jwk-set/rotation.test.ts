import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtSigner } from '../../jose/compact-jws.ts';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import { keyMaker } from '../../jose/private-keys.ts';
import { tendServerKeys } from '../../keys/rotate-server-keys.ts';
import type { KeyMaker } from '../../ports/key-maker.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { received, requestOf } from '../../testing/exchange.ts';
import { type KeyProcess, keyScene, START } from '../../testing/key-life.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';
import { jwkSet } from './endpoint.ts';

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

  /** Somebody who fetches the set only when it is too old, and refuses what is signed by a key that is not in it. */
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
