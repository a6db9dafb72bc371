import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { SignJWT } from 'jose';
import type { JwtProfile } from '../ports/jwt-verifier.ts';
import type { MacAlgorithm } from '../spec/jose-algorithms.ts';
import { HMAC_ALGORITHMS } from '../spec/server-capabilities.ts';
import { macJwt, segment, signedJwt, testKey } from '../testing/jwt.ts';
import { joseJwtVerifier } from './jwt-verifier.ts';

const NOW = 1_800_000_000;
const CLAIMS = { iss: 'client', aud: 'https://op.example', exp: NOW + 60 };
const SECRET = Buffer.from('ü'.repeat(64));
const OTHER = Buffer.from('o'.repeat(64));

const PROFILE: JwtProfile<MacAlgorithm> = {
  algorithms: HMAC_ALGORITHMS,
  types: [undefined, 'jwt'],
  requiredClaims: ['iss', 'exp'],
  issuer: 'client',
  audience: { kind: 'sole', values: ['https://op.example'] },
  lifetimeMax: 600,
  ageMax: 600,
};

/** The index of the secret, or the reason of the refusal. */
function outcome(jwt: string, secrets: readonly Uint8Array[], profile = PROFILE, now = NOW): number | string {
  const verifier = joseJwtVerifier({ now: () => now, milliseconds: () => now * 1000 });
  const verification = verifier.verifyMac(jwt, secrets, profile);
  return verification.verified ? verification.secretIndex : verification.reason;
}

test('the HMAC that RFC 7515 §A.1 prints', () => {
  const jwt =
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt' +
    'cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const key = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow';
  const profile = { ...PROFILE, issuer: 'joe', audience: { kind: 'where-present', values: [] } } as const;
  assert.equal(outcome(jwt, [Buffer.from(key, 'base64url')], profile, 1_300_819_379), 0);
  assert.equal(outcome(jwt, [OTHER], profile, 1_300_819_379), 'signature');
});

for (const algorithm of HMAC_ALGORITHMS) {
  test(`${algorithm}: a MAC of the jose package verifies, and the matching one of several secrets is found (RFC 7518 §3.2)`, async () => {
    const jwt = await new SignJWT(CLAIMS).setProtectedHeader({ alg: algorithm, typ: 'JWT' }).sign(SECRET);
    assert.equal(outcome(jwt, [SECRET]), 0);
    assert.equal(outcome(jwt, [OTHER, OTHER, SECRET, OTHER]), 2);
    assert.equal(outcome(jwt, [OTHER]), 'signature');
    assert.equal(outcome(jwt, []), 'unknown-key');
    const others = HMAC_ALGORITHMS.filter((each) => each !== algorithm);
    assert.equal(outcome(jwt, [SECRET], { ...PROFILE, algorithms: others }), 'algorithm');
  });

  test(`${algorithm}: a secret shorter than the hash is not used (RFC 7518 §3.2)`, () => {
    const octets = Number(algorithm.slice(2)) / 8;
    const [short, long] = [Buffer.alloc(octets - 1, 's'), Buffer.alloc(octets, 's')];
    assert.equal(outcome(macJwt(algorithm, short, CLAIMS), [short]), 'unknown-key');
    assert.equal(outcome(macJwt(algorithm, short, CLAIMS), [short, long]), 'signature');
    assert.equal(outcome(macJwt(algorithm, long, CLAIMS), [short, long]), 1);
    assert.equal(outcome(macJwt(algorithm, '', CLAIMS), [Buffer.alloc(0)]), 'unknown-key');
  });
}

test('a MAC cut short, extended, or of another input is refused', () => {
  const jwt = macJwt('HS256', SECRET, CLAIMS);
  const [header = '', payload = '', mac = ''] = jwt.split('.');
  const octets = Buffer.from(mac, 'base64url');
  for (const forged of [
    octets.subarray(0, 16),
    octets.subarray(0, 1),
    Buffer.concat([octets, octets]),
    Buffer.alloc(32),
    createHmac('sha256', SECRET).update(payload).digest(),
    createHmac('sha512', SECRET).update(`${header}.${payload}`).digest(),
  ]) {
    assert.equal(outcome(`${header}.${payload}.${segment(forged)}`, [SECRET]), 'signature');
  }
});

test('alg none and signatures are refused as MACs (RFC 8725 §3.1)', () => {
  for (const alg of ['none', 'None', '', 'hs256', 'HS1', null, undefined, 256, ['HS256'], '__proto__']) {
    assert.equal(outcome(macJwt('HS256', SECRET, CLAIMS, { alg }), [SECRET]), 'algorithm', String(alg));
  }
  const key = testKey('RS256');
  assert.equal(outcome(signedJwt(key, CLAIMS), [SECRET]), 'algorithm');
  const pem = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' });
  assert.equal(outcome(signedJwt(key, CLAIMS), [Buffer.from(pem)]), 'algorithm');
});

test('verifyMac checks type, claims and times like verify', () => {
  const rows: readonly (readonly [claims: object, reason: string])[] = [
    [{ iss: 'other' }, 'issuer'],
    [{ aud: ['https://op.example', 'https://b.example'] }, 'audience'],
    [{ exp: undefined }, 'claims'],
    [{ exp: NOW - 60 }, 'expired'],
    [{ exp: NOW + 661 }, 'lifetime'],
    [{ iat: NOW - 661 }, 'age'],
    [{ nbf: NOW + 61 }, 'not-yet-valid'],
  ];
  for (const [claims, reason] of rows) {
    assert.equal(outcome(macJwt('HS256', SECRET, { ...CLAIMS, ...claims }), [SECRET]), reason);
  }
  assert.equal(outcome(macJwt('HS256', SECRET, CLAIMS, { typ: 'at+jwt' }), [SECRET]), 'type');
  assert.equal(outcome(macJwt('HS256', SECRET, CLAIMS, { crit: ['exp'] }), [SECRET]), 'header');
  assert.equal(outcome(macJwt('HS256', SECRET, '[]'), [SECRET]), 'malformed');
  assert.equal(outcome(macJwt('HS256', SECRET, { ...CLAIMS, x: 'x'.repeat(8192) }), [SECRET]), 'too-large');
});
