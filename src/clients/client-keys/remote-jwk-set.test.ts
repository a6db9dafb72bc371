import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settings } from '../../config/settings.ts';
import { joseJwtVerifier } from '../../jose/jwt-verifier.ts';
import type { JwtVerification } from '../../ports/jwt-verifier.ts';
import type { Expectation, Fetched, OutboundHttp } from '../../ports/outbound-http.ts';
import { ProcessCaches } from '../../spec/caches.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { ampleCaches } from '../../testing/caches.ts';
import { testSettings } from '../../testing/settings.ts';
import {
  KEY_SET_LIFETIME,
  RELOAD_INTERVAL,
  type RemoteVerification,
  remoteJwkSets,
} from './remote-jwk-set.ts';

const URL_A = 'https://publisher.example/jwks.json';
const CAUSE = { purpose: 'client-keys', remoteAddress: '192.0.2.1' } as const;
const KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };

interface Peer {
  readonly sets: ReturnType<typeof remoteJwkSets>;
  readonly fetched: string[];
  readonly expectations: Expectation[];
  /** The results of the next fetches; a string is a body. */
  found: string | Fetched;
  advance(seconds: number): void;
  /** Asks for the key of this kid, as a JWT does: verified if the set has it. */
  ask(kid: string, url?: string, remoteAddress?: string): Promise<string>;
}

function peer(found: Peer['found'], settings: Partial<Settings> = {}, caches = ampleCaches()): Peer {
  let now = 1_800_000_000;
  const fetched: string[] = [];
  const expectations: Expectation[] = [];
  const outbound: OutboundHttp = {
    urlProblem: () => undefined,
    async get(url, expectation) {
      fetched.push(url);
      expectations.push(expectation);
      const { found } = self;
      await Promise.resolve();
      if (typeof found !== 'string') return found;
      return { status: 'ok', body: Buffer.from(found), mediaType: 'application/json' };
    },
  };
  const sets = remoteJwkSets({
    outbound,
    clock: { now: () => now, milliseconds: () => now * 1000 },
    settings: testSettings(settings),
    caches,
    verifier: joseJwtVerifier({ now: () => now, milliseconds: () => now * 1000 }),
  });
  const self: Peer = {
    sets,
    fetched,
    expectations,
    found,
    advance: (seconds) => {
      now += seconds;
    },
    ask: async (kid, url = URL_A, remoteAddress = '192.0.2.1') =>
      outcome(await sets.verifyWith({ url }, { purpose: 'client-keys', remoteAddress }, verifierOf(kid))),
  };
  return self;
}

function verifierOf(kid: string): (keys: readonly JsonWebKey[]) => Promise<JwtVerification> {
  return async (keys) => {
    const known = keys.some((key) => key['kid'] === kid);
    return await Promise.resolve<JwtVerification>(
      known
        ? { verified: true, claims: {} as (JwtVerification & { verified: true })['claims'], header: {} }
        : { verified: false, reason: 'unknown-key' },
    );
  };
}

const outcome = (verification: RemoteVerification): string =>
  verification.verified ? 'verified' : verification.reason;

const setOf = (...kids: readonly string[]): string =>
  JSON.stringify({ keys: kids.map((kid) => ({ ...KEY, kid })) });

test('a key set is fetched once per lifetime (RFC 7517 §5)', async () => {
  const publisher = peer(setOf('a'));
  assert.equal(await publisher.ask('a'), 'verified');
  publisher.advance(KEY_SET_LIFETIME - 1);
  assert.equal(await publisher.ask('a'), 'verified');
  assert.deepEqual(publisher.fetched, [URL_A]);
  assert.deepEqual(publisher.expectations[0]?.mediaTypes, ['application/jwk-set+json', 'application/json']);
  publisher.found = setOf('b');
  publisher.advance(1);
  assert.equal(await publisher.ask('a'), 'unknown-key');
  assert.equal(publisher.fetched.length, 2);
});

test('an added key is found at once: an unknown kid causes one reload', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  publisher.found = setOf('a', 'b');
  publisher.advance(1);
  assert.equal(await publisher.ask('b'), 'verified');
  assert.equal(publisher.fetched.length, 2);
});

test('invented kids cause one reload a minute, however many requests send them (H-151)', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  for (let round = 0; round < 10; round += 1) assert.equal(await publisher.ask(`x${round}`), 'unknown-key');
  assert.equal(publisher.fetched.length, 2);
  publisher.advance(RELOAD_INTERVAL - 1);
  await publisher.ask('x');
  assert.equal(publisher.fetched.length, 2);
  publisher.advance(1);
  await publisher.ask('x');
  assert.equal(publisher.fetched.length, 3);
});

test('parallel requests for an unknown key share one reload (F23)', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  publisher.found = setOf('b');
  const asked = Array.from({ length: 20 }, async () => await publisher.ask('b'));
  assert.deepEqual(new Set(await Promise.all(asked)), new Set(['verified']));
  assert.equal(publisher.fetched.length, 2);
});

test('a set that was just fetched is not reloaded for an unknown kid', async () => {
  const publisher = peer(setOf('a'));
  assert.equal(await publisher.ask('x'), 'unknown-key');
  assert.equal(publisher.fetched.length, 1);
});

test('only an unknown kid causes a reload; a bad signature does not', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  const bad = await publisher.sets.verifyWith(
    { url: URL_A },
    CAUSE,
    async () => await Promise.resolve({ verified: false, reason: 'signature' }),
  );
  assert.equal(outcome(bad), 'signature');
  assert.equal(publisher.fetched.length, 1);
});

test('a failed fetch verifies nothing, gives the reason and is not cached', async () => {
  const publisher = peer({ status: 'failed', reason: 'timeout', detail: 'after 3000 ms' });
  const verification = await publisher.sets.verifyWith({ url: URL_A }, CAUSE, verifierOf('a'));
  assert.deepEqual(verification, { verified: false, reason: 'key-set', detail: 'timeout: after 3000 ms' });
  publisher.found = setOf('a');
  assert.equal(await publisher.ask('a'), 'verified');
});

const NO_ANSWER: Fetched = { status: 'failed', reason: 'timeout', detail: 'after 3000 ms', retryAfter: 60 };

test('the last keys stay in use for outbound.stale-key-sets while their server gives no answer (decision 50)', async () => {
  const publisher = peer(setOf('a'), { 'outbound.stale-key-sets': 100 });
  await publisher.ask('a');
  publisher.found = NO_ANSWER;
  publisher.advance(KEY_SET_LIFETIME + 99);
  assert.equal(await publisher.ask('a'), 'verified');
  assert.equal(await publisher.ask('b'), 'key-set', 'whether b is a new key is not known');
  publisher.advance(1);
  assert.equal(await publisher.ask('a'), 'key-set');
  publisher.found = setOf('a');
  publisher.advance(60);
  assert.equal(await publisher.ask('a'), 'verified');
});

test('the last keys end with their lifetime if their server answers that there are none', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  publisher.found = { status: 'failed', reason: 'status', detail: 'status 404' };
  publisher.advance(KEY_SET_LIFETIME);
  assert.equal(await publisher.ask('a'), 'key-set');
});

test('unknown keys cause outbound.key-set-fetches in a minute at most, from however many networks (decision 50)', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  const outcomes: string[] = [];
  for (let network = 1; network <= 50; network += 1)
    outcomes.push(await publisher.ask('x', URL_A, `192.0.2.${network}`));
  assert.equal(publisher.fetched.length, 4);
  assert.deepEqual(new Set(outcomes.slice(0, 3)), new Set(['unknown-key']));
  assert.deepEqual(new Set(outcomes.slice(3)), new Set(['key-set']));
  assert.equal(await publisher.ask('a'), 'verified');
  publisher.advance(RELOAD_INTERVAL);
  publisher.found = setOf('a', 'x');
  assert.equal(await publisher.ask('x', URL_A, '192.0.2.99'), 'verified');
});

test('another network’s unknown keys do not keep a new key of the client from being found (decision 50)', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  for (let round = 0; round < 9; round += 1) await publisher.ask('x', URL_A, '198.51.100.1');
  publisher.found = setOf('a', 'b');
  assert.equal(await publisher.ask('b'), 'verified');
  assert.equal(publisher.fetched.length, 3);
});

test('a key server without an answer is asked outbound.key-set-fetches times in a minute at most (decision 50)', async () => {
  const publisher = peer(NO_ANSWER, { 'outbound.key-set-fetches': 2 });
  for (let round = 0; round < 9; round += 1) assert.equal(await publisher.ask('a'), 'key-set');
  assert.equal(publisher.fetched.length, 2);
  publisher.advance(60);
  publisher.found = setOf('a');
  assert.equal(await publisher.ask('a'), 'verified');
});

test('a fetch that found no slot does not count', async () => {
  const publisher = peer({ status: 'failed', reason: 'busy', detail: 'no slot', retryAfter: 1 });
  for (let round = 0; round < 9; round += 1) await publisher.ask('a');
  publisher.found = setOf('a');
  assert.equal(await publisher.ask('a'), 'verified');
});

test('a JWT that no key could verify causes no fetch: another algorithm, no signature, another type (decision 50)', async () => {
  const publisher = peer(setOf('a'));
  for (const reason of ['algorithm', 'malformed', 'type'] as const) {
    const refused = await publisher.sets.verifyWith(
      { url: URL_A },
      CAUSE,
      async () => await Promise.resolve({ verified: false, reason }),
    );
    assert.equal(outcome(refused), reason);
  }
  assert.deepEqual(publisher.fetched, []);
});

test('a failed reload leaves the cached keys in use until they expire (F23)', async () => {
  const publisher = peer(setOf('a'));
  await publisher.ask('a');
  publisher.found = { status: 'failed', reason: 'status', detail: '503' };
  assert.equal(await publisher.ask('b'), 'key-set');
  assert.equal(await publisher.ask('a'), 'verified');
  publisher.advance(KEY_SET_LIFETIME);
  assert.equal(await publisher.ask('a'), 'key-set');
});

for (const body of [
  '',
  '[]',
  '{}',
  '{"keys":{}}',
  '{"keys":"a"}',
  '{"keys":[],"keys":[]}',
  setOf(...Array.from({ length: 21 }, (_, at) => `k${at}`)),
]) {
  test(`${body.slice(0, 40) || 'nothing'} is not accepted as a key set (RFC 7517 §5)`, async () => {
    assert.equal(await peer(body).ask('a'), 'key-set');
  });
}

test('keys that break the key policy are left out, and the others are used (H-075, H-076)', async () => {
  const good = { ...KEY, kid: 'good' };
  const keys = [
    null,
    'text',
    { ...KEY, kid: 'private', d: 'AAAA' },
    { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' },
    { kty: 'RSA', n: 'AQAB', e: 'AQ', kid: 'weak' },
    good,
  ];
  const publisher = peer(JSON.stringify({ keys }));
  let seen: readonly JsonWebKey[] = [];
  await publisher.sets.verifyWith({ url: URL_A }, CAUSE, async (found) => {
    seen = found;
    return await verifierOf('good')(found);
  });
  assert.deepEqual(seen, [good]);
});

test('H-310 sets are cached by URL; beyond the memory of the cache the oldest ones are evicted', async () => {
  const caches = new ProcessCaches(0);
  const publisher = peer(setOf('a'), {}, caches);
  const urls = Array.from({ length: 2000 }, (_, at) => `https://publisher.example/${at}`);
  for (const url of urls) await publisher.ask('a', url);
  assert.equal(publisher.fetched.length, 2000);
  for (const url of urls.slice(-100)) await publisher.ask('a', url);
  assert.equal(publisher.fetched.length, 2000);
  await publisher.ask('a', urls[0]);
  assert.equal(publisher.fetched.length, 2001);
  const figures = caches.figures().find(({ name }) => name === 'key-sets');
  assert.ok(figures !== undefined && figures.bytes <= figures.bytesMax && figures.evictions > 1000);
});

const find = async ({ sets }: Peer, kid: string): Promise<unknown> =>
  await sets.find({ url: URL_A }, CAUSE, (keys) => keys.find((key) => key['kid'] === kid)?.['kid']);

test('an encryption key is found in the cached set; a missing one causes at most one reload a minute', async () => {
  const publisher = peer(setOf('a'));
  assert.deepEqual(await find(publisher, 'a'), { found: 'a' });
  assert.deepEqual(await find(publisher, 'a'), { found: 'a' });
  assert.equal(publisher.fetched.length, 1);
  publisher.found = setOf('b');
  assert.deepEqual(await find(publisher, 'b'), { found: 'b' });
  assert.equal(publisher.fetched.length, 2);
  for (const kid of ['c', 'd', 'e']) {
    assert.deepEqual(await find(publisher, kid), {
      problem: 'the key set has no suitable key',
      lacksKey: true,
    });
  }
  assert.equal(publisher.fetched.length, 2);
  publisher.advance(RELOAD_INTERVAL);
  publisher.found = setOf('c');
  assert.deepEqual(await find(publisher, 'c'), { found: 'c' });
  assert.equal(publisher.fetched.length, 3);
});

test('find gives the reason if the set cannot be fetched, and does not reload a set that was just fetched', async () => {
  const publisher = peer({ status: 'failed', reason: 'timeout', detail: 'late' });
  assert.deepEqual(await find(publisher, 'a'), { problem: 'timeout: late' });
  publisher.found = setOf('b');
  assert.deepEqual(await find(publisher, 'a'), {
    problem: 'the key set has no suitable key',
    lacksKey: true,
  });
  assert.equal(publisher.fetched.length, 2);
});
