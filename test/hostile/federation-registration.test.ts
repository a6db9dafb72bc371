import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macJwt, segment, signedJwt, testKey } from '../../src/testing/jwt.ts';
import { call } from '../journeys/conformance-exchange.ts';
import {
  anchor,
  authorities,
  claimsOf,
  good,
  now,
  post,
  program,
  request,
  rp,
} from './federated-applicant.ts';

/** Sends hostile statements to POST /federation/clients of the started program (docs/contract/hostile/federation.md). */
const EC = testKey('ES256', 'other');

/** The server finds every error of the statement before it fetches anything. */
const STATEMENTS: readonly (readonly [row: string, name: string, body: () => string, status: 400 | 401])[] = [
  [
    'H-189',
    'alg none',
    () => `${segment('{"alg":"none","kid":"x"}')}.${segment(JSON.stringify(claimsOf()))}.`,
    400,
  ],
  [
    'H-189',
    'HS256 with its own public key',
    () =>
      macJwt('HS256', JSON.stringify(rp.key.jwk), claimsOf(), {
        kid: rp.key.kid,
        typ: 'entity-statement+jwt',
      }),
    401,
  ],
  ['H-189', 'alg EdDSA', () => request({}, { alg: 'EdDSA' }), 401],
  ['H-189', 'alg in lower case', () => request({}, { alg: 'es256' }), 401],
  ['H-189', 'the typ of another JWT', () => request({}, { typ: 'at+jwt' }), 401],
  ['H-189', 'an unknown crit', () => request({}, { crit: ['x'], x: 1 }), 401],
  ['H-189', 'b64 false', () => request({}, { b64: false, crit: ['b64'] }), 401],
  ['H-189', 'jwk in the header', () => request({}, { jwk: rp.key.jwk }), 401],
  ['H-189', 'jku in the header', () => request({}, { jku: `${authorities.base}/jku` }), 401],
  ['H-189', 'x5c in the header', () => request({}, { x5c: ['AA=='] }), 401],
  ['H-189', 'another kid', () => request({}, { kid: 'nobody' }), 401],
  [
    'H-190',
    'a payload that is an array',
    () => signedJwt(rp.key, '[]', { typ: 'entity-statement+jwt' }),
    400,
  ],
  [
    'H-190',
    'a claim twice',
    () =>
      signedJwt(rp.key, `{"iss":"a",${JSON.stringify(claimsOf()).slice(1)}`, { typ: 'entity-statement+jwt' }),
    400,
  ],
  [
    'H-190',
    '10,000 levels',
    () => signedJwt(rp.key, `{"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
    400,
  ],
  ['H-191', 'the iss of another entity', () => request({ iss: 'https://other.example' }), 400],
  ['H-191', 'an entity with a query', () => request({ iss: `${rp.id}?x`, sub: `${rp.id}?x` }), 400],
  ['H-191', 'an entity with a fragment', () => request({ iss: `${rp.id}#x`, sub: `${rp.id}#x` }), 400],
  [
    'H-191',
    'an entity with user information',
    () => request({ iss: 'https://a@rp.example', sub: 'https://a@rp.example' }),
    400,
  ],
  [
    'H-191',
    'an entity with dot segments',
    () => request({ iss: `${rp.id}/../x`, sub: `${rp.id}/../x` }),
    400,
  ],
  [
    'H-191',
    'an entity in upper case',
    () => request({ iss: 'https://RP.example', sub: 'https://RP.example' }),
    400,
  ],
  [
    'H-191',
    'an entity of 3,000 characters',
    () => request({ iss: `${rp.id}/${'x'.repeat(3000)}`, sub: `${rp.id}/${'x'.repeat(3000)}` }),
    400,
  ],
  ['H-193', 'no exp', () => request({ exp: undefined }), 401],
  ['H-193', 'an exp of text', () => request({ exp: String(now() + 60) }), 401],
  ['H-193', 'no iat', () => request({ iat: undefined }), 401],
  ['H-193', 'an iat of last year', () => request({ iat: now() - 31_536_000 }), 401],
  ['H-194', 'the aud of another server', () => request({ aud: 'https://other.example' }), 401],
  ['H-194', 'aud with another server', () => request({ aud: [program.issuer, 'https://b.example'] }), 401],
  ['H-196', 'no jwks', () => request({ jwks: undefined }), 400],
  ['H-196', 'an empty jwks', () => request({ jwks: { keys: [] } }), 400],
  ['H-196', 'a private key', () => request({ jwks: { keys: [{ ...rp.key.jwk, d: 'AQ' }] } }), 400],
  [
    'H-196',
    'a symmetric key',
    () => request({ jwks: { keys: [{ kty: 'oct', k: 'AQ', kid: rp.key.kid }] } }),
    400,
  ],
  [
    'H-196',
    '100 keys',
    () =>
      request({
        jwks: { keys: Array.from({ length: 100 }, (_, kid) => ({ ...EC.jwk, kid: String(kid) })) },
      }),
    400,
  ],
  ['H-196', 'a kid twice', () => request({ jwks: { keys: [rp.key.jwk, rp.key.jwk] } }), 400],
  [
    'H-197',
    'the key of another entity',
    () => signedJwt({ ...EC, kid: rp.key.kid }, claimsOf(), { typ: 'entity-statement+jwt' }),
    401,
  ],
  ['H-198', 'no authority_hints', () => request({ authority_hints: undefined }), 400],
  ['H-198', 'empty authority_hints', () => request({ authority_hints: [] }), 400],
  ['H-198', 'a hint that is text', () => request({ authority_hints: good.id }), 400],
  [
    'H-198',
    '500 hints',
    () => request({ authority_hints: Array.from({ length: 500 }, (_, index) => `${good.id}/${index}`) }),
    400,
  ],
  ['H-198', 'javascript:', () => request({ authority_hints: ['javascript:alert(1)'] }), 400],
  ['H-198', 'an internal address', () => request({ authority_hints: ['http://169.254.169.254'] }), 400],
  ['H-213', 'no openid_relying_party', () => request({ metadata: { federation_entity: {} } }), 400],
  [
    'H-213',
    'openid_relying_party as an array',
    () => request({ metadata: { openid_relying_party: [] } }),
    400,
  ],
];
for (const [row, name, body, status] of STATEMENTS) {
  test(`a statement with ${name} gets ${status} without a fetch (${row})`, async () => {
    const before = authorities.asked.length;
    const answer = await post(body());
    assert.equal(answer.status, status, JSON.stringify(answer));
    assert.equal(answer.error, status === 400 ? 'invalid_request' : 'unauthorized_client');
    assert.match(answer.words, /^[a-z_]+: [a-z_]+: /);
    assert.equal(authorities.asked.length, before);
  });
}

test('a hint that stands twice in authority_hints is read once, and the relying party is registered (H-198)', async () => {
  assert.equal((await post(request({ authority_hints: [good.id, good.id] }))).status, 200);
});

test('the interface’s dialect accepts a statement without kid, and OpenID Federation rejects it (H-189)', async () => {
  assert.equal((await post(request({}, { kid: undefined }))).status, 200);
  const { status, words } = await post(request({}, { kid: undefined }), 'application/entity-statement+jwt');
  assert.equal(status, 401, words);
});

test('the identifiers of the server, the anchor and an intermediate cannot be registered (H-192)', async () => {
  for (const stolen of [
    { iss: program.issuer, sub: program.issuer },
    { iss: anchor.id, sub: anchor.id },
    { iss: good.id, sub: good.id },
  ]) {
    const { status } = await post(request(stolen));
    assert.ok(status === 400 || status === 401, String(status));
  }
});

test('an entity identifier that is the client_id of another client gets 400 (H-222)', async () => {
  const json = { redirect_uris: ['https://x.example/cb'], preferred_client_id: rp.id };
  const taken = await call(program, { method: 'POST', path: '/clients', bearer: program.masterToken, json });
  assert.equal(taken.status, 200, taken.text);
  const { status, error } = await post(request());
  assert.deepEqual([status, error], [400, 'invalid_client_metadata']);
});
