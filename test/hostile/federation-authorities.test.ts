import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PINNED_ONLY } from '../../src/federation/trust-anchors/trust-anchors.ts';
import {
  type Resolution,
  resolveTrust,
  type TrustNeeds,
} from '../../src/federation/trust-chain/resolve-trust.ts';
import { statementSource } from '../../src/federation/trust-chain/statement-source.ts';
import { joseJwtInspector } from '../../src/jose/jwt-verifier.ts';
import { openOutboundHttp } from '../../src/outbound/outbound-http.ts';
import { systemClock } from '../../src/system/clock.ts';
import { ampleCaches } from '../../src/testing/caches.ts';
import { type Answer, type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';

/** Authorities that lie, loop, hang, redirect, equivocate, drip and flood, over real sockets (docs/contract/hostile/federation.md). */
const TYPE = { 'content-type': 'application/entity-statement+jwt' };
let authorities: Authorities;
let rp: Entity;
let good: Entity;
let bad: Entity;
let anchor: Entity;

before(async () => {
  authorities = await startAuthorities();
  rp = authorities.entity('rp');
  good = authorities.entity('good');
  bad = authorities.entity('bad');
  anchor = authorities.entity('anchor');
});

after(async () => await authorities.close());

beforeEach(() => {
  rp.publish([bad, good]);
  for (const authority of [good, bad]) {
    authority.publish([anchor]);
    authority.vouch(rp);
    anchor.vouch(authority);
  }
  anchor.publish([]);
});

/** Ten megabytes, compressed before the tests: compressing would hold up the good authority, which runs in this process. */
const BOMB = gzipSync(Buffer.alloc(10_485_760));

function needs(options: { readonly timeoutMs?: number; readonly keptMs?: number } = {}): TrustNeeds {
  const { timeoutMs = 1_000, keptMs = 0 } = options;
  const outbound = openOutboundHttp(
    {
      allowHttp: true,
      ports: [{ first: 1, last: 65_535 }],
      allowNetworks: ['127.0.0.0/8'],
      ownOrigins: new Set(['https://op.example.com']),
      timeoutMs,
      bodyMax: 65_536,
      fetchesPerHost: 16,
      fetchesPerAddress: 16,
      fetches: 16,
      negativeCacheMs: 60_000,
    },
    { clock: systemClock },
  );
  return {
    inspector: joseJwtInspector,
    source: statementSource({
      outbound,
      clock: systemClock,
      keptMs,
      failedMs: keptMs,
      caches: ampleCaches(),
    }),
    clock: systemClock,
    outbound,
    anchorKeys: PINNED_ONLY,
    anchors: [{ entity_id: anchor.id, keys: [anchor.key.jwk] }],
    limits: {
      lookMs: 10_000,
      statement: { length: 65_536, keys: 16, authorityHints: 50 },
      search: { hints: 5, depth: 5, paths: 100 },
      budget: { fetches: 20, bytes: 524_288, timeMs: 10_000 },
    },
    allowHttp: true,
    markStatuses: { wants: () => false, check: async () => assert.fail('no status is wanted') },
    constraints: undefined,
    requiredTrustMarks: [],
  };
}

const ask = async (trust: TrustNeeds = needs()): Promise<Resolution> =>
  await resolveTrust(trust, { subject: { entity_id: rp.id }, entityType: undefined });

const CONFIGURATION = '/bad/.well-known/openid-federation';

const SCRIPTS: readonly (readonly [name: string, answer: Answer, code: string])[] = [
  ['hangs before its headers', () => undefined, 'fetch_timeout'],
  ['hangs after its headers', (response) => response.writeHead(200, TYPE).flushHeaders(), 'fetch_timeout'],
  [
    'drips a byte at a time',
    (response) => {
      response.writeHead(200, TYPE);
      const dripping = setInterval(() => response.write('a'), 20);
      response.on('close', () => clearInterval(dripping));
    },
    'fetch_timeout',
  ],
  [
    'redirects to a good statement',
    (response) =>
      response.writeHead(302, { location: `${authorities.base}/good/.well-known/openid-federation` }).end(),
    'fetch_redirected',
  ],
  [
    'answers with a page',
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    'fetch_media-type',
  ],
  [
    'answers as application/jose',
    (response) => response.writeHead(200, { 'content-type': 'application/jose' }).end('a.b.c'),
    'fetch_media-type',
  ],
  [
    'floods',
    (response) => {
      response.writeHead(200, TYPE);
      response.on('drain', () => response.write('a'.repeat(65_536)));
      response.write('a'.repeat(1_048_576));
    },
    'fetch_too-large',
  ],
  [
    'sends a bomb',
    (response) => response.writeHead(200, { ...TYPE, 'content-encoding': 'gzip' }).end(BOMB),
    'fetch_encoded',
  ],
  [
    'breaks off',
    (response) =>
      response.writeHead(200, { ...TYPE, 'content-length': '1000' }).write('a', () => response.destroy()),
    'fetch_connection',
  ],
  ['answers 500', (response) => response.writeHead(500, TYPE).end('a.b.c'), 'fetch_status'],
  ['answers with nothing', (response) => response.writeHead(200, TYPE).end(), 'statement_not_signed_jwt'],
  [
    'answers with a body that is not UTF-8',
    (response) => response.writeHead(200, TYPE).end(Buffer.from([0xff, 0xfe])),
    'statement_not_signed_jwt',
  ],
];
for (const [name, answer, code] of SCRIPTS) {
  // proves openid-federation-18.1-1
  test(`an authority that ${name} fails with ${code}, and the search finds the good one beside it (H-199, H-202)`, async () => {
    authorities.answer(CONFIGURATION, answer);
    const { chain, search } = await ask();
    assert.equal(chain?.immediate_superior, good.id);
    const dead = search.superiors.find(({ entity_id }) => entity_id === bad.id);
    assert.equal(dead?.reason?.code, code);
  });
}

test('an authority with another key than its superior states fails, and the search finds the good one beside it (H-204, H-206)', async () => {
  const liar = authorities.entity('bad');
  liar.publish([anchor]);
  liar.vouch(rp);
  const { chain, search } = await ask();
  assert.equal(chain?.immediate_superior, good.id);
  const lied = search.superiors.find(({ entity_id }) => entity_id === bad.id);
  assert.equal(lied?.superiors[0]?.chain?.reason?.code, 'chain_signature');
});

// proves openid-federation-10.1-1
test('an authority with a different answer each time is asked once in a resolution (H-225)', async () => {
  const before = authorities.asked.length;
  good.publish([anchor, bad]);
  good.vouch(bad);
  await ask();
  const asked = authorities.asked.slice(before);
  assert.equal(new Set(asked).size, asked.length, asked.join('\n'));
});

// proves openid-federation-18.1-1
test('a hundred resolutions of an entity in a broken federation cost two fetches (H-227)', async () => {
  rp.publish([bad]);
  authorities.answer(CONFIGURATION, (response) => response.writeHead(404).end());
  const trust = needs({ keptMs: 60_000 });
  const before = authorities.asked.length;
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await ask(trust)));
  for (let round = 0; round < 50; round += 1) answers.push(await ask(trust));
  assert.ok(answers.every(({ chain }) => chain === undefined));
  assert.equal(authorities.asked.length - before, 2);
});

test('a hundred resolutions with an authority that sends invalid statements cost two fetches (H-227)', async () => {
  rp.publish([bad]);
  authorities.answer(CONFIGURATION, (response) => response.writeHead(200, TYPE).end('a.b.c'));
  const trust = needs({ keptMs: 60_000 });
  const before = authorities.asked.length;
  for (let round = 0; round < 100; round += 1) assert.equal((await ask(trust)).chain, undefined);
  assert.equal(authorities.asked.length - before, 2);
});

test('two hundred parallel resolutions with a hanging authority all end without a chain (H-200)', async () => {
  rp.publish([bad]);
  authorities.answer(CONFIGURATION, () => undefined);
  const trust = needs();
  const answers = await Promise.all(Array.from({ length: 200 }, async () => await ask(trust)));
  assert.ok(answers.every(({ chain, reason }) => chain === undefined && reason !== undefined));
});
