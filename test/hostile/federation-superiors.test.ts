import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testKey } from '../../src/testing/jwt.ts';
import type { Answer } from '../federation/authorities.ts';
import { call } from '../journeys/conformance-exchange.ts';
import {
  anchor,
  another,
  authorities,
  bad,
  good,
  now,
  post,
  program,
  request,
  rp,
} from './federated-applicant.ts';

/** Superiors that lie, loop, hang, redirect, equivocate, drip and flood, at the started program (docs/contract/hostile/federation.md). */
const TYPE = { 'content-type': 'application/entity-statement+jwt' };
const EC = testKey('ES256', 'other');

const REDIRECTED: Answer = (response) =>
  response
    .writeHead(302, { location: `${authorities.base}/${good.name}/.well-known/openid-federation` })
    .end();

/** Responses of the bad authority at the address of its configuration. */
const SCRIPTS: readonly (readonly [name: string, answer: Answer, status?: 503])[] = [
  ['hangs', () => undefined, 503],
  ['hangs after its headers', (response) => response.writeHead(200, TYPE).flushHeaders(), 503],
  [
    'drips',
    (response) => {
      response.writeHead(200, TYPE);
      const dripping = setInterval(() => response.write('a'), 20);
      response.on('close', () => clearInterval(dripping));
    },
    503,
  ],
  ['redirects', REDIRECTED],
  ['answers with a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  [
    'floods',
    (response) => {
      response.writeHead(200, TYPE);
      response.on('drain', () => response.write('a'.repeat(65_536)));
      response.write('a'.repeat(1_048_576));
    },
  ],
  [
    'sends a bomb',
    (response) =>
      response
        .writeHead(200, { ...TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(Buffer.alloc(10_485_760))),
  ],
  [
    'breaks off',
    (response) =>
      response.writeHead(200, { ...TYPE, 'content-length': '1000' }).write('a', () => response.destroy()),
    503,
  ],
  ['answers 500', (response) => response.writeHead(500, TYPE).end('a.b.c'), 503],
];
for (const [name, answer, status = 401] of SCRIPTS) {
  test(`an authority that ${name} leads to ${status} with its reason, and to 200 beside a good one (H-199, H-202)`, async () => {
    authorities.answer(`/${bad.name}/.well-known/openid-federation`, answer);
    const alone = await post(request({ authority_hints: [bad.id] }));
    const error = status === 503 ? 'temporarily_unavailable' : 'unauthorized_client';
    assert.deepEqual([alone.status, alone.error], [status, error], alone.words);
    assert.match(alone.words, status === 503 ? /^fetch_/ : /^invalid_trust_chain: fetch_/);
    assert.equal((await post(request({ authority_hints: [bad.id, good.id] }))).status, 200);
    assert.equal((await post(request({ authority_hints: [good.id, bad.id] }))).status, 200);
  });
}

/** Wrong statements of the good authority about the relying party. */
const WORDS: readonly (readonly [row: string, name: string, claims: () => object])[] = [
  ['H-204', 'of another entity', () => ({ sub: 'https://other.example' })],
  ['H-204', 'by another entity', () => ({ iss: 'https://other.example' })],
  ['H-204', 'that has expired', () => ({ exp: now() - 120 })],
  ['H-204', 'from the future', () => ({ iat: now() + 600 })],
  ['H-204', 'without keys', () => ({ jwks: undefined })],
  ['H-204', 'with an empty jwks', () => ({ jwks: { keys: [] } })],
  ['H-205', 'with another key', () => ({ jwks: { keys: [EC.jwk] } })],
  ['H-208', 'that does not allow relying parties', () => ({ constraints: { allowed_entity_types: [] } })],
  ['H-208', 'with a max_path_length of -1', () => ({ constraints: { max_path_length: -1 } })],
  ['H-208', 'with a max_path_length of text', () => ({ constraints: { max_path_length: '2' } })],
  [
    'H-208',
    'that permits other names',
    () => ({ constraints: { naming_constraints: { permitted: ['.example'] } } }),
  ],
  [
    'H-209',
    'with a policy that the metadata violates',
    () => ({ metadata_policy: { openid_relying_party: { contacts: { essential: true } } } }),
  ],
  [
    'H-209',
    'whose operators cannot be combined',
    () => ({ metadata_policy: { openid_relying_party: { scope: { value: 'a', one_of: ['b'] } } } }),
  ],
  [
    'H-210',
    'with an unknown critical operator',
    () => ({
      metadata_policy: { openid_relying_party: { scope: { magic: 1 } } },
      metadata_policy_crit: ['magic'],
    }),
  ],
  ['H-210', 'with an unknown critical claim', () => ({ crit: ['magic'], magic: 1 })],
  [
    'H-224',
    'with 5,000 keys',
    () => ({ jwks: { keys: Array.from({ length: 5000 }, (_, kid) => ({ kty: 'EC', kid: String(kid) })) } }),
  ],
];
for (const [row, name, claims] of WORDS) {
  test(`a superior's statement ${name} leads to 401 with its reason and no client (${row})`, async () => {
    good.vouch(rp, claims());
    const { status, error, words } = await post(request());
    assert.deepEqual([status, error], [401, 'unauthorized_client'], words);
    assert.match(words, /^invalid_[a-z_]+: [a-z_-]+: /);
  });
}

test('an unknown operator and trust marks that no setting requires are ignored (H-210, H-215)', async () => {
  good.vouch(rp, { metadata_policy: { openid_relying_party: { scope: { magic: 1 } } } });
  assert.equal((await post(request())).status, 200);
});

test('a loop leads to 401, and a loop beside a valid path to 200 (H-201)', async () => {
  good.publish([bad]);
  bad.publish([good]);
  good.vouch(bad);
  bad.vouch(good);
  const before = authorities.asked.length;
  assert.equal((await post(request())).status, 401);
  assert.ok(authorities.asked.length - before <= 20);
  bad.publish([good, anchor]);
  assert.equal((await post(request())).status, 200);
});

test('a chain with more superiors than the limit leads to 401 (H-201)', async () => {
  const number = another();
  const superiors = Array.from({ length: 6 }, (_, index) => authorities.entity(`long-${number}-${index}`));
  superiors.forEach((entity, index) => {
    const above = superiors[index + 1] ?? anchor;
    entity.publish([above]);
    above.vouch(entity);
  });
  superiors[0]?.vouch(rp);
  const { status, words } = await post(request({ authority_hints: [superiors[0]?.id] }));
  assert.equal(status, 401, words);
});

test('an authority with a different answer each time is asked once in a registration (H-225)', async () => {
  const path = `/${good.name}/.well-known/openid-federation`;
  const before = authorities.asked.length;
  assert.equal((await post(request())).status, 200);
  assert.equal(authorities.asked.slice(before).filter((asked) => asked === path).length, 1);
});

test('two hundred parallel registrations with a hanging authority: the server admits 16, rejects the others and answers introspection meanwhile (H-200)', async (context) => {
  const json = { grant_types: ['client_credentials'], scope: `${program.issuer}/token/introspect` };
  const client = await call(program, { method: 'POST', path: '/clients', bearer: program.masterToken, json });
  const { client_id, client_secret } = client.json;
  const authorization = `Basic ${Buffer.from(`${String(client_id)}:${String(client_secret)}`).toString('base64')}`;
  authorities.answer(`/${bad.name}/.well-known/openid-federation`, () => undefined);
  const underWay = new Set<object>();
  const registrations = Promise.all(
    Array.from({ length: 200 }, async () => {
      const registration = post(request({ authority_hints: [bad.id] }));
      underWay.add(registration);
      const { status } = await registration;
      underWay.delete(registration);
      return status;
    }),
  );
  const took: number[] = [];
  while (underWay.size > 0) {
    const start = performance.now();
    const response = await fetch(`${program.url}/token/introspect`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ token: 'nobody' }),
    });
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { active: false });
    took.push(performance.now() - start);
  }
  const statuses = await registrations;
  assert.equal(statuses.filter((status) => status === 503).length, 16);
  assert.equal(statuses.filter((status) => status === 429).length, 184);
  took.sort((a, b) => a - b);
  const p99 = took[Math.floor(took.length * 0.99)] ?? 0;
  context.diagnostic(
    `introspection beside 200 registrations: ${took.length} answers, p99 ${p99.toFixed(1)} ms`,
  );
});
