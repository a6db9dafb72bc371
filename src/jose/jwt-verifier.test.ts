import assert from 'node:assert/strict';
import { createHash, createHmac, createPublicKey, type KeyObject } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CompactSign } from 'jose';
import type { JwtProfile, JwtRefusal } from '../ports/jwt-verifier.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { segment, signature, signedJwt, signedSegments, type TestKey, testKey } from '../testing/jwt.ts';
import { joseJwtVerifier } from './jwt-verifier.ts';

const NOW = 1_800_000_000;
const verifier = joseJwtVerifier({ now: () => NOW, milliseconds: () => NOW * 1000 });

const ISSUER = 'https://publisher.example';
const AUDIENCE = 'https://op.example.com';
const CLAIMS = { iss: ISSUER, sub: 'app', aud: AUDIENCE, exp: NOW + 300, iat: NOW, jti: 'j1' };

const PROFILE: JwtProfile = {
  algorithms: SIGNING_ALGORITHMS,
  types: [undefined, 'jwt'],
  requiredClaims: ['iss', 'exp'],
  issuer: ISSUER,
  audience: { kind: 'where-present', values: [AUDIENCE] },
  lifetimeMax: undefined,
  ageMax: undefined,
};

const KEYS = new Map(SIGNING_ALGORITHMS.map((algorithm) => [algorithm, testKey(algorithm)]));

function keyFor(algorithm: (typeof SIGNING_ALGORITHMS)[number]): TestKey {
  const key = KEYS.get(algorithm);
  assert.ok(key);
  return key;
}

const EC = keyFor('ES256');
const RSA = keyFor('RS256');

/** `verified`, or the reason of the refusal. */
async function outcome(
  jwt: string,
  keys: readonly JsonWebKey[] = [EC.jwk],
  profile: Partial<JwtProfile> = {},
): Promise<'verified' | JwtRefusal> {
  const verification = await verifier.verify(jwt, keys, { ...PROFILE, ...profile });
  return verification.verified ? 'verified' : verification.reason;
}

for (const algorithm of SIGNING_ALGORITHMS) {
  test(`${algorithm}: the claims of a JWT signed with the key are those that were signed; one octet more is refused (RFC 7515 §5.2)`, async () => {
    const key = keyFor(algorithm);
    const jwt = signedJwt(key, CLAIMS);
    const verification = await verifier.verify(jwt, [key.jwk], PROFILE);
    assert.ok(verification.verified);
    assert.deepEqual({ ...verification.claims }, CLAIMS);
    assert.equal(verification.header['alg'], algorithm);
    const [header, , own] = jwt.split('.');
    const changed = `${header}.${segment(JSON.stringify({ ...CLAIMS, sub: 'other' }))}.${own}`;
    assert.equal(await outcome(changed, [key.jwk]), 'signature');
    assert.equal(await outcome(jwt, [{ ...testKey(algorithm).jwk }]), 'signature');
    const others = SIGNING_ALGORITHMS.filter((other) => other !== algorithm);
    assert.equal(await outcome(jwt, [key.jwk], { algorithms: others }), 'algorithm');
  });
}

test('verify accepts a JWT that the jose package signed', async () => {
  const jwt = await new CompactSign(Buffer.from(JSON.stringify(CLAIMS)))
    .setProtectedHeader({ alg: 'PS256', typ: 'JWT', kid: 'k1' })
    .sign(keyFor('PS256').privateKey);
  assert.equal(await outcome(jwt, [keyFor('PS256').jwk]), 'verified');
});

for (const alg of ['none', 'None', 'nOnE', 'NONE', '']) {
  test(`alg ${alg}, without a signature and with one: refused (H-139)`, async () => {
    const input = `${segment(JSON.stringify({ alg, kid: 'k1' }))}.${segment(JSON.stringify(CLAIMS))}`;
    assert.equal(await outcome(`${input}.`), 'malformed');
    assert.equal(await outcome(`${input}.AA`), 'algorithm');
    assert.equal(await outcome(`${input}.${segment(signature(EC, input))}`), 'algorithm');
  });
}

function publicKeyForms(jwk: JsonWebKey): readonly (readonly [string, string | Buffer])[] {
  const key: KeyObject = createPublicKey({ key: jwk, format: 'jwk' });
  return [
    ['PEM', key.export({ format: 'pem', type: 'spki' })],
    ['DER', key.export({ format: 'der', type: 'spki' })],
    ['JWK text', JSON.stringify(jwk)],
    ['modulus or coordinate', Buffer.from(String(jwk['n'] ?? jwk['x']), 'base64url')],
    ['modulus or coordinate as text', String(jwk['n'] ?? jwk['x'])],
    ['nothing', ''],
  ];
}

for (const [name, jwk] of [
  ['RSA', RSA.jwk],
  ['EC', EC.jwk],
] as const) {
  for (const [form, secret] of publicKeyForms(jwk)) {
    test(`HS256 keyed with the ${name} public key as ${form}: refused (H-139, CVE-2026-11800)`, async () => {
      const input = `${segment('{"alg":"HS256","kid":"k1"}')}.${segment(JSON.stringify(CLAIMS))}`;
      const mac = createHmac('sha256', secret).update(input).digest();
      const symmetric = { kty: 'oct', k: segment(secret), kid: 'k1' };
      assert.equal(await outcome(`${input}.${segment(mac)}`, [jwk, symmetric]), 'algorithm');
    });
  }
}

const STRANGER = testKey('ES256', 'k1');

for (const header of [
  { jwk: STRANGER.jwk },
  { jku: 'https://stranger.example/jwks.json' },
  { x5u: 'https://stranger.example/cert.pem' },
  { x5c: ['MIIB'] },
  { kid: 'https://stranger.example/jwks.json' },
  { kid: "' OR '1'='1" },
  { kid: '../../../../dev/null' },
]) {
  test(`${JSON.stringify(header).slice(0, 60)}: a key that the JWT brings or names is never used (H-139)`, async () => {
    const forged = signedJwt(STRANGER, CLAIMS, header);
    assert.equal(await outcome(forged), 'kid' in header ? 'unknown-key' : 'signature');
  });
}

for (const header of [
  { crit: ['exp'] },
  { crit: [] },
  { crit: ['b64'], b64: false },
  { b64: false },
  { b64: true },
  { zip: 'DEF' },
  { kid: 1 },
  { typ: ['JWT'] },
]) {
  test(`header ${JSON.stringify(header)}: refused although the signature holds (RFC 7515 §4.1.11)`, async () => {
    assert.equal(await outcome(signedJwt(EC, CLAIMS, header)), 'header');
  });
}

test('an RSA key with e = 1, under which the padded digest is its own signature: never used (H-076)', async () => {
  const input = `${segment('{"alg":"RS256","kid":"k1"}')}.${segment(JSON.stringify(CLAIMS))}`;
  const weak = { ...RSA.jwk, e: 'AQ' };
  assert.equal(await outcome(`${input}.${segment(pkcs1Encoded(input))}`, [weak]), 'unknown-key');
  const genuine = signedJwt(RSA, CLAIMS);
  assert.equal(await outcome(genuine, [{ ...RSA.jwk, e: 'AQAB' }]), 'verified');
  assert.equal(await outcome(genuine, [{ ...RSA.jwk, e: 'AAEAAQ' }]), 'unknown-key');
});

/** RFC 8017 §9.2 with SHA-256 and 256 octets. */
function pkcs1Encoded(input: string): Uint8Array {
  const digestInfo = Buffer.from('3031300d060960864801650304020105000420', 'hex');
  const digest = createHash('sha256').update(input).digest();
  const padding = Buffer.alloc(256 - 3 - digestInfo.length - digest.length, 0xff);
  return Buffer.concat([Buffer.from([0, 1]), padding, Buffer.from([0]), digestInfo, digest]);
}

for (const [name, bytes] of [
  ['64 zero octets', new Uint8Array(64)],
  ['r = s = 1', Uint8Array.from({ length: 64 }, (_, at) => (at % 32 === 31 ? 1 : 0))],
  ['63 octets', new Uint8Array(63)],
  ['a DER signature', Buffer.from('3006020100020100', 'hex')],
] as const) {
  test(`an ES256 signature of ${name}: refused (CVE-2022-21449)`, async () => {
    const input = `${segment('{"alg":"ES256","kid":"k1"}')}.${segment(JSON.stringify(CLAIMS))}`;
    assert.equal(await outcome(`${input}.${segment(bytes)}`), 'signature');
  });
}

for (const payload of [
  '[]',
  `[${JSON.stringify(CLAIMS)}]`,
  '"x"',
  '1',
  'null',
  'true',
  '{',
  '{} {}',
  '\ufeff{}',
]) {
  test(`payload ${payload.slice(0, 30)}: refused although the signature holds (fast-jwt CVE-2026-107723)`, async () => {
    assert.equal(await outcome(signedJwt(EC, payload)), 'malformed');
  });
}

test('a payload that is not UTF-8, and one nested 4,000 deep: refused without a fault (H-142)', async () => {
  assert.equal(await outcome(signedJwt(EC, Buffer.from('{"iss":"é"}', 'latin1'))), 'malformed');
  const deep = `{"iss":"${ISSUER}","a":${'['.repeat(2500)}${']'.repeat(2500)}}`;
  assert.equal(await outcome(signedJwt(EC, deep)), 'malformed');
});

test('a repeated claim or header member, also one that is escaped, is refused (RFC 7519 §4: names "MUST be unique")', async () => {
  const claims = JSON.stringify(CLAIMS).slice(0, -1);
  assert.equal(await outcome(signedJwt(EC, `${claims},"iss":"${ISSUER}"}`)), 'malformed');
  assert.equal(await outcome(signedJwt(EC, String.raw`${claims},"\u0069ss":"${ISSUER}"}`)), 'malformed');
  const header = '{"alg":"none","alg":"ES256","kid":"k1"}';
  assert.equal(await outcome(signedSegments(EC, header, JSON.stringify(CLAIMS))), 'malformed');
});

test('a JWT over 8 KB is refused before it is decoded (H-142)', async () => {
  const padded = (length: number): string => signedJwt(EC, { ...CLAIMS, pad: 'x'.repeat(length) });
  const bare = padded(0).length;
  const fitting = padded(Math.floor(((8192 - bare) * 3) / 4));
  assert.ok(fitting.length > 8185 && fitting.length <= 8192, String(fitting.length));
  assert.equal(await outcome(fitting), 'verified');
  assert.equal(await outcome(`${fitting}${'A'.repeat(8193 - fitting.length)}`), 'too-large');
  assert.equal(await outcome('.'.repeat(1_000_000)), 'too-large');
});

test('other spellings of a verified JWT are not that JWT: padding, spare bits, alphabet, white space, segments (H-139)', async () => {
  const jwt = signedJwt(EC, CLAIMS);
  const [header = '', payload = '', own = ''] = jwt.split('.');
  assert.equal(await outcome(jwt), 'verified');
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(own.slice(-1));
  const spare = `${own.slice(0, -1)}${alphabet[last + 1]}`;
  assert.deepEqual(Buffer.from(spare, 'base64url'), Buffer.from(own, 'base64url'));
  const spellings = [
    `${header}.${payload}.${spare}`,
    `${jwt}=`,
    `${jwt}==`,
    `${jwt}.`,
    `${jwt}\n`,
    ` ${jwt}`,
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${header}..${own}`,
    `.${payload}.${own}`,
    `${jwt}.${own}.${own}`,
    `${header}.${payload}.${own.slice(0, 10)}+/${own.slice(12)}`,
    JSON.stringify({ protected: header, payload, signature: own }),
    '',
    '..',
  ];
  for (const spelling of spellings) assert.equal(await outcome(spelling), 'malformed', spelling);
});

test('kid chooses the key; without one at most 3 are tried (H-139)', async () => {
  const named = signedJwt(EC, CLAIMS);
  assert.equal(await outcome(named, [{ ...EC.jwk, kid: 'k2' }]), 'unknown-key');
  assert.equal(await outcome(named, [{ ...STRANGER.jwk }, EC.jwk]), 'verified');
  const nameless = signedJwt(EC, CLAIMS, { kid: undefined });
  const strangers = Array.from({ length: 3 }, (_, at) => testKey('ES256', `s${at}`).jwk);
  assert.equal(await outcome(nameless, [...strangers.slice(1), EC.jwk]), 'verified');
  assert.equal(await outcome(nameless, [...strangers, EC.jwk]), 'signature');
  // Keys that cannot have signed it do not count.
  assert.equal(
    await outcome(nameless, [RSA.jwk, keyFor('ES384').jwk, ...strangers.slice(1), EC.jwk]),
    'verified',
  );
});

for (const members of [
  { use: 'enc' },
  { key_ops: ['encrypt'] },
  { key_ops: 'verify' },
  { alg: 'ES384' },
  { alg: 'ECDH-ES' },
]) {
  test(`a key with ${JSON.stringify(members)} verifies no ES256 signature (RFC 7517 §4.2-4.4)`, async () => {
    assert.equal(await outcome(signedJwt(EC, CLAIMS), [{ ...EC.jwk, ...members }]), 'unknown-key');
    const fitting = { ...EC.jwk, use: 'sig', key_ops: ['verify'], alg: 'ES256' };
    assert.equal(await outcome(signedJwt(EC, CLAIMS), [fitting]), 'verified');
  });
}

test('unreadable keys are skipped: half a point, no modulus, no member (RFC 7517 §5)', async () => {
  const broken = [
    { kty: 'EC', crv: 'P-256', x: 'AA', kid: 'k1' },
    { kty: 'EC', crv: 'P-256', kid: 'k1' },
  ];
  assert.equal(await outcome(signedJwt(EC, CLAIMS), broken), 'signature');
  assert.equal(await outcome(signedJwt(EC, CLAIMS), [...broken, EC.jwk]), 'verified');
  assert.equal(await outcome(signedJwt(EC, CLAIMS), []), 'unknown-key');
});

test('typ is one of the accepted, without regard to case and to application/ (RFC 7515 §4.1.9)', async () => {
  for (const typ of ['JWT', 'jwt', 'application/jwt', undefined]) {
    assert.equal(await outcome(signedJwt(EC, CLAIMS, { typ })), 'verified', String(typ));
  }
  for (const typ of ['at+jwt', 'entity-statement+jwt', 'logout+jwt', '', 'text/jwt', 'jwt ']) {
    assert.equal(await outcome(signedJwt(EC, CLAIMS, { typ })), 'type', typ);
  }
  assert.equal(await outcome(signedJwt(EC, CLAIMS), [EC.jwk], { types: ['jwt'] }), 'type');
});

const CLAIM_ROWS: readonly (readonly [change: object, expected: 'verified' | JwtRefusal])[] = [
  [{ exp: undefined }, 'claims'],
  [{ exp: NOW - 59 }, 'verified'],
  [{ exp: NOW - 60 }, 'expired'],
  [{ exp: 0 }, 'expired'],
  [{ exp: String(NOW + 300) }, 'claims'],
  [{ exp: NOW + 300.5 }, 'claims'],
  [{ exp: -1 }, 'claims'],
  [{ exp: 1e308 }, 'claims'],
  [{ exp: null }, 'claims'],
  [{ nbf: NOW + 8 }, 'verified'],
  [{ nbf: NOW + 60 }, 'verified'],
  [{ nbf: NOW + 61 }, 'not-yet-valid'],
  [{ nbf: true }, 'claims'],
  [{ iat: NOW + 60 }, 'verified'],
  [{ iat: NOW + 61 }, 'not-yet-valid'],
  [{ iat: [NOW] }, 'claims'],
  [{ iss: undefined }, 'claims'],
  [{ iss: [ISSUER] }, 'claims'],
  [{ iss: `${ISSUER}/` }, 'issuer'],
  [{ iss: ISSUER.toUpperCase() }, 'issuer'],
  [{ iss: '' }, 'issuer'],
  [{ sub: 1 }, 'claims'],
  [{ jti: 1 }, 'claims'],
  [{ aud: undefined }, 'verified'],
  [{ aud: [AUDIENCE, 'https://other.example'] }, 'verified'],
  [{ aud: [] }, 'audience'],
  [{ aud: `${AUDIENCE}/` }, 'audience'],
  [{ aud: 1 }, 'audience'],
  [{ aud: [AUDIENCE, 1] }, 'audience'],
  [{ aud: null }, 'audience'],
  [{ aud: { [AUDIENCE]: true } }, 'audience'],
];

for (const [change, expected] of CLAIM_ROWS) {
  const shown = JSON.stringify(change, (_, value: unknown) => (value === undefined ? 'absent' : value));
  test(`claims with ${shown}: ${expected} (RFC 7519 §4.1; 60 s of skew)`, async () => {
    assert.equal(await outcome(signedJwt(EC, { ...CLAIMS, ...change })), expected);
  });
}

test('a sole audience is a string or an array of it alone: more values and absence are refused (decision 45; draft-ietf-oauth-rfc7523bis)', async () => {
  const audience = { kind: 'sole', values: [AUDIENCE] } as const;
  const audienceOf = async (aud: unknown) =>
    await outcome(signedJwt(EC, { ...CLAIMS, aud }), [EC.jwk], { audience });
  for (const aud of [AUDIENCE, [AUDIENCE]]) assert.equal(await audienceOf(aud), 'verified');
  for (const aud of [
    [],
    [AUDIENCE, AUDIENCE],
    [[AUDIENCE]],
    [AUDIENCE, 'https://other.example'],
    undefined,
    `${AUDIENCE}/`,
    '',
  ]) {
    assert.equal(await audienceOf(aud), 'audience', JSON.stringify(aud));
  }
});

test('a profile may bound how far exp lies ahead and iat behind (H-150)', async () => {
  const bounded = async (change: object) =>
    await outcome(signedJwt(EC, { ...CLAIMS, ...change }), [EC.jwk], { lifetimeMax: 600, ageMax: 600 });
  assert.equal(await bounded({ exp: NOW + 660, iat: NOW - 660 }), 'verified');
  assert.equal(await bounded({ exp: NOW + 661 }), 'lifetime');
  assert.equal(await bounded({ iat: NOW - 661 }), 'age');
});

test('a JWT that was read for its issuer is verified as it stands, up to the length of the profile, also between others', async () => {
  const jwt = signedJwt(EC, CLAIMS);
  const another = signedJwt(STRANGER, CLAIMS);
  assert.deepEqual(verifier.claimedIssuer(jwt), { iss: ISSUER });
  assert.equal(await outcome(jwt, [EC.jwk], { lengthMax: jwt.length - 1 }), 'too-large');
  assert.equal(await outcome(jwt, [EC.jwk], { lengthMax: jwt.length }), 'verified');
  assert.deepEqual(verifier.claimedIssuer(another), { iss: ISSUER });
  const both = [outcome(jwt), outcome(another), outcome(jwt)];
  assert.deepEqual(await Promise.all(both), ['verified', 'signature', 'verified']);
});

test('claimedIssuer reads the issuer of an unverified JWT, and refuses everything else', () => {
  assert.deepEqual(verifier.claimedIssuer(signedJwt(STRANGER, CLAIMS)), { iss: ISSUER });
  assert.deepEqual(verifier.claimedIssuer(signedJwt(EC, { ...CLAIMS, iss: 1 })), { reason: 'claims' });
  assert.deepEqual(verifier.claimedIssuer(signedJwt(EC, '[]')), { reason: 'malformed' });
  assert.deepEqual(verifier.claimedIssuer(signedJwt(EC, CLAIMS, { crit: ['exp'] })), { reason: 'header' });
  assert.deepEqual(verifier.claimedIssuer('x'.repeat(8193)), { reason: 'too-large' });
});

test('2,000 mutations of a JWT: each is refused or is the JWT itself, and none is a fault (nimbus CVE-2019-17195)', async () => {
  const jwt = signedJwt(EC, CLAIMS);
  let state = 12_345;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  for (let round = 0; round < 2000; round += 1) {
    const at = random(jwt.length);
    const mutant = jwt.slice(0, at) + String.fromCodePoint(33 + random(94)) + jwt.slice(at + random(3));
    if (mutant !== jwt) assert.notEqual(await outcome(mutant), 'verified', mutant);
  }
});

test('only this folder makes verified claims (style, habit 7)', async () => {
  const makers: string[] = [];
  let seen = 0;
  for await (const file of glob('**/*.ts', { cwd: new URL('..', import.meta.url) })) {
    seen += 1;
    if (file.endsWith('.test.ts')) continue;
    const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
    if (text.includes('as VerifiedClaims')) makers.push(file);
  }
  assert.ok(seen > 100);
  assert.deepEqual(makers, ['jose/jwt-verifier.ts']);
});
