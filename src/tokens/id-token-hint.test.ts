import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { CompactEncrypt, importJWK } from 'jose';
import { joseJweDecrypter, joseJweEncrypter } from '../jose/jwe.ts';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { segment, signedJwt, testKey } from '../testing/jwt.ts';
import { type IdTokenHint, type IdTokenHintNeeds, readIdTokenHint } from './id-token-hint.ts';

const NOW = 1_800_000_000;
const ISSUER = 'https://op.example.com';
const CLAIMS = { iss: ISSUER, sub: 'alice', aud: 'rp', exp: NOW + 300, iat: NOW, sid: 's1' };

const RETIRED = testKey('RS256', 'retired');
const ACTIVE = testKey('ES256', 'active');
const STRANGER = testKey('ES256', 'active');
const RECEIVER = encryptionKey('enc');

function encryptionKey(kid: string): { readonly jwk: JsonWebKey; readonly privateJwk: JsonWebKey } {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const named = { use: 'enc', kid };
  return {
    jwk: { ...publicKey.export({ format: 'jwk' }), ...named },
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...named },
  };
}

const NEEDS: IdTokenHintNeeds = {
  issuer: ISSUER,
  keys: {
    verificationKeys: () => [ACTIVE.jwk, RETIRED.jwk],
    decryptionKeys: async () => [RECEIVER.privateJwk],
  },
  verifier: joseJwtVerifier({ now: () => NOW, milliseconds: () => NOW * 1000 }),
  decrypter: joseJweDecrypter(),
};

const hint = (claims: object = {}, header: object = {}, key = ACTIVE): string =>
  signedJwt(key, { ...CLAIMS, ...claims }, { typ: 'JWT', ...header });

const read = async (text: string): Promise<IdTokenHint> => await readIdTokenHint(NEEDS, text);

async function reasonOf(text: string): Promise<string> {
  const outcome = await read(text);
  return outcome.holds ? 'holds' : outcome.reason;
}

async function encrypted(plaintext: string, header: object = {}): Promise<string> {
  const named = { alg: 'RSA-OAEP-256', enc: 'A256GCM', cty: 'JWT', kid: 'enc', ...header } as const;
  return await joseJweEncrypter.encrypt(plaintext, RECEIVER.jwk, named);
}

// proves openid-core-3.1.2.1-7
test('a valid hint yields its subject, client and session (OpenID Connect RP-Initiated Logout 1.0 §2)', async () => {
  const outcome = await read(hint());
  assert.ok(outcome.holds);
  const { claims, ...told } = outcome;
  assert.deepEqual(told, { holds: true, sub: 'alice', audience: ['rp'], client_id: 'rp', sid: 's1' });
  assert.equal(claims['iat'], NOW);
});

test('an expired hint and one signed by a retired key are valid (decision 32)', async () => {
  assert.equal(await reasonOf(hint({ exp: NOW - 86_400 * 365, iat: NOW - 86_400 * 366 })), 'holds');
  assert.equal(await reasonOf(hint({}, {}, RETIRED)), 'holds');
});

test('a hint with several audiences belongs to azp, which must be one of them (OpenID Connect Core 1.0 §2)', async () => {
  const outcome = await read(hint({ aud: ['rs', 'rp'], azp: 'rp' }));
  assert.ok(outcome.holds);
  assert.deepEqual([outcome.client_id, outcome.audience], ['rp', ['rs', 'rp']]);
  for (const claims of [
    { aud: ['rs', 'rp'] },
    { aud: ['rs', 'rp'], azp: 'x' },
    { aud: [] },
    { aud: [1] },
    { aud: {} },
  ]) {
    assert.equal(await reasonOf(hint(claims)), 'claims', JSON.stringify(claims));
  }
});

for (const [what, text, reason] of [
  ['a stranger’s key', hint({}, {}, STRANGER), 'signature'],
  ['a key that is not ours', hint({}, {}, testKey('ES256', 'unknown')), 'unknown-key'],
  ['another issuer', hint({ iss: 'https://evil.example' }), 'issuer'],
  ['no sub', hint({ sub: undefined }), 'claims'],
  ['no exp', hint({ exp: undefined }), 'claims'],
  ['iat in the future', hint({ iat: NOW + 600 }), 'not-yet-valid'],
  ['an access token', hint({}, { typ: 'at+jwt' }), 'type'],
  ['a logout token', hint({}, { typ: 'logout+jwt' }), 'type'],
  ['an introspection response', hint({}, { typ: 'token-introspection+jwt' }), 'type'],
  ['no typ', hint({}, { typ: undefined }), 'type'],
  ['an unknown crit', hint({}, { crit: ['x'], x: 1 }), 'header'],
  ['nothing', '', 'malformed'],
  ['six segments', 'a.b.c.d.e.f', 'malformed'],
] as const) {
  test(`${what}: the hint is invalid (decision 32)`, async () => {
    assert.equal(await reasonOf(text), reason);
  });
}

for (const alg of ['none', 'HS256']) {
  test(`alg ${alg}: the hint is invalid (decision 32; H-167)`, async () => {
    const header = segment(JSON.stringify({ alg, typ: 'JWT', kid: 'active' }));
    const input = `${header}.${segment(JSON.stringify(CLAIMS))}`;
    const mac = createHmac('sha256', JSON.stringify(ACTIVE.jwk)).update(input).digest('base64url');
    assert.equal(await reasonOf(`${input}.`), 'malformed');
    assert.equal(await reasonOf(`${input}.${mac}`), 'algorithm');
  });
}

// proves openid-core-3.1.2.1-7
test('an encrypted hint is valid if it contains a valid signed JWT (decision 32)', async () => {
  assert.equal(await reasonOf(await encrypted(hint())), 'holds');
  assert.equal(await reasonOf(await encrypted(hint({ exp: NOW - 600 }))), 'holds');
});

// proves openid-core-3.1.2.1-7
test('an encrypted hint with raw claims, an unsigned JWT or another JWE is invalid (pac4j CVE-2026-29000; trap S10)', async () => {
  const unsigned = `${segment('{"alg":"none","typ":"JWT"}')}.${segment(JSON.stringify(CLAIMS))}.`;
  assert.equal(await reasonOf(await encrypted(JSON.stringify(CLAIMS))), 'malformed');
  assert.equal(await reasonOf(await encrypted(unsigned)), 'malformed');
  assert.equal(await reasonOf(await encrypted(`${unsigned}AA`)), 'algorithm');
  assert.equal(await reasonOf(await encrypted(hint({}, {}, STRANGER))), 'signature');
  assert.equal(await reasonOf(await encrypted(await encrypted(hint()))), 'malformed');
});

test('a hint encrypted to another key or changed in transit is invalid and does not throw (RFC 7516 §11.5)', async () => {
  const other = encryptionKey('enc');
  const header = { alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'enc' } as const;
  assert.equal(await reasonOf(await joseJweEncrypter.encrypt(hint(), other.jwk, header)), 'JWE: decryption');
  const good = await encrypted(hint());
  assert.equal(await reasonOf(`${good.slice(0, -6)}AAAAAA`), 'JWE: decryption');
  const compressed = await new CompactEncrypt(Buffer.from(hint()))
    .setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', kid: 'enc', zip: 'DEF' })
    .encrypt(await importJWK({ ...RECEIVER.jwk, kty: 'RSA' }, 'RSA-OAEP-256'));
  assert.equal(await reasonOf(compressed), 'JWE: header');
});

test('hints are accepted in every algorithm that an ID token can be registered for (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  for (const algorithm of SIGNING_ALGORITHMS) {
    const key = testKey(algorithm, algorithm);
    const needs = { ...NEEDS, keys: { ...NEEDS.keys, verificationKeys: () => [key.jwk] } };
    const outcome = await readIdTokenHint(needs, hint({}, {}, key));
    assert.ok(outcome.holds, algorithm);
  }
});
