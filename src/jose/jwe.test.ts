import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { JWE_LENGTH_MAX, type JweDecryption, type JweProfile } from '../ports/jwe.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { CONTENT_ENCRYPTION_ALGORITHMS, KEY_MANAGEMENT_ALGORITHMS } from '../spec/server-capabilities.ts';
import { joseJweDecrypter, joseJweEncrypter } from './jwe.ts';

const VECTORS = new URL('../../test/vectors/', import.meta.url);
const EVERYTHING: JweProfile = {
  algorithms: KEY_MANAGEMENT_ALGORITHMS,
  encryptions: CONTENT_ENCRYPTION_ALGORITHMS,
};

const RSA: JsonWebKey = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: 'rsa',
  use: 'enc',
};
const EC: readonly JsonWebKey[] = ['P-256', 'P-384', 'P-521'].map((namedCurve) => ({
  ...generateKeyPairSync('ec', { namedCurve }).privateKey.export({ format: 'jwk' }),
  kid: namedCurve,
}));
const X25519: JsonWebKey = {
  ...generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' }),
  kid: 'x',
};

const decrypter = joseJweDecrypter();
const text = 'naïve – “quoted” 🔑';

function reasonOf(decryption: JweDecryption): string {
  return decryption.decrypted ? 'decrypted' : decryption.reason;
}

for (const alg of KEY_MANAGEMENT_ALGORITHMS) {
  for (const enc of CONTENT_ENCRYPTION_ALGORITHMS) {
    test(`${alg} with ${enc}: what is encrypted to a public key is read with its private key (RFC 7516 §5)`, async () => {
      for (const key of alg.startsWith('RSA') ? [RSA] : [...EC, X25519]) {
        const kid = String(key['kid']);
        const jwe = await joseJweEncrypter.encrypt(text, key, { alg, enc, cty: 'JWT', typ: 'x+jwt', kid });
        const read = await decrypter.decrypt(jwe, [RSA, ...EC, X25519], EVERYTHING);
        assert.ok(read.decrypted, kid);
        assert.equal(read.plaintext, text);
        const { alg: a, enc: e, cty, typ, kid: k } = read.header;
        assert.deepEqual([a, e, cty, typ, k], [alg, enc, 'JWT', 'x+jwt', kid]);
      }
    });
  }
}

// proves rfc7517-4.2-1
test('encrypt uses only the public half, and refuses a key of another kind, use or algorithm (RFC 7517 §4.2, §4.4)', async () => {
  const header = { alg: 'RSA-OAEP-256', enc: 'A128GCM' } as const;
  const { kty, n, e } = RSA;
  const [p256] = EC;
  await joseJweEncrypter.encrypt(text, { kty, n, e, d: 'no number' }, header);
  for (const key of [
    { kty, n, e, use: 'sig' },
    { kty, n, e, alg: 'RSA-OAEP' },
    p256 ?? {},
    { kty: 'oct', k: 'AA' },
  ])
    await assert.rejects(joseJweEncrypter.encrypt(text, key, header), /cannot be used/);
});

const segment = (json: string): string => Buffer.from(json).toString('base64url');

async function withHeader(change: (header: string) => string): Promise<string> {
  const jwe = await joseJweEncrypter.encrypt(text, RSA, { alg: 'RSA-OAEP', enc: 'A128GCM' });
  const [header = '', ...rest] = jwe.split('.');
  return [segment(change(Buffer.from(header, 'base64url').toString())), ...rest].join('.');
}

const HEADERS: readonly (readonly [reason: string, name: string, change: (header: string) => string])[] = [
  ['header', 'zip', (header) => header.replace('{', '{"zip":"DEF",')],
  ['header', 'crit', (header) => header.replace('{', '{"crit":["exp"],"exp":1,')],
  ['header', 'p2c', (header) => header.replace('{', '{"p2c":2000000000,')],
  ['header', 'b64', (header) => header.replace('{', '{"b64":false,')],
  ['header', 'a kid that is no string', (header) => header.replace('{', '{"kid":1,')],
  ['malformed', 'alg twice', (header) => header.replace('{', '{"alg":"dir",')],
  ['malformed', 'an array', () => '[]'],
  ['algorithm', 'dir', () => '{"alg":"dir","enc":"A128GCM"}'],
  ['algorithm', 'RSA1_5', () => '{"alg":"RSA1_5","enc":"A128GCM"}'],
  ['algorithm', 'a password', () => '{"alg":"PBES2-HS256+A128KW","enc":"A128GCM"}'],
  ['algorithm', 'an unknown enc', () => '{"alg":"RSA-OAEP","enc":"A128CTR"}'],
  ['algorithm', 'no enc', () => '{"alg":"RSA-OAEP"}'],
  ['unknown-key', 'another kid', (header) => header.replace('{', '{"kid":"other",')],
  ['decryption', 'a changed header', (header) => header.replace('{', '{"x":1,')],
  ['decryption', 'ECDH-ES without epk', () => '{"alg":"ECDH-ES","enc":"A128GCM"}'],
];

for (const [reason, name, change] of HEADERS) {
  // proves rfc7516-11.5-1, rfc7516-4.1.13-1
  test(`a header with ${name}: ${reason} (RFC 7516 §4.1)`, async () => {
    const decryption = await decrypter.decrypt(await withHeader(change), [RSA, ...EC], EVERYTHING);
    assert.equal(reasonOf(decryption), reason);
  });
}

test('decrypt refuses a text that is not a compact JWE, is too long or has another spelling (RFC 7516 §7.1)', async () => {
  const jwe = await withHeader((header) => header);
  const rows: readonly (readonly [string, string])[] = [
    ['malformed', ''],
    ['malformed', 'a.b.c'],
    ['malformed', `${jwe}.`],
    ['malformed', `${jwe}=`],
    ['malformed', jwe.replace('.', '..')],
    ['malformed', ` ${jwe}`],
    ['malformed', JSON.stringify({ protected: jwe.split('.')[0] })],
    ['too-large', `${jwe}${'A'.repeat(JWE_LENGTH_MAX)}`],
  ];
  for (const [reason, sent] of rows)
    assert.equal(reasonOf(await decrypter.decrypt(sent, [RSA], EVERYTHING)), reason, sent.slice(0, 40));
});

test('decrypt accepts only the algorithms of the profile', async () => {
  const jwe = await joseJweEncrypter.encrypt(text, RSA, { alg: 'RSA-OAEP', enc: 'A128GCM' });
  const only = { algorithms: ['RSA-OAEP-256'], encryptions: ['A128GCM'] } as const;
  assert.equal(reasonOf(await decrypter.decrypt(jwe, [RSA], only)), 'algorithm');
});

test('decrypt skips a broken key of ours and does not throw', async () => {
  const jwe = await joseJweEncrypter.encrypt(text, RSA, { alg: 'RSA-OAEP', enc: 'A128GCM' });
  const { d: _, ...publicOnly } = RSA;
  for (const key of [publicOnly, { kty: 'RSA' }])
    assert.equal(reasonOf(await decrypter.decrypt(jwe, [{ ...key, kid: 'rsa' }], EVERYTHING)), 'decryption');
});

interface Group {
  readonly comment: string;
  readonly private: JsonWebKey;
  readonly tests: readonly {
    readonly tcId: number;
    readonly comment: string;
    readonly jwe: string | object;
    readonly pt?: string;
    readonly result: 'valid' | 'invalid';
    readonly flags: readonly string[];
  }[];
}

/** Tells whether the server rejects a valid vector on purpose: an algorithm it does not support, or compressed plaintext. */
function notOurs(decryption: JweDecryption, flags: readonly string[]): boolean {
  const reason = reasonOf(decryption);
  return reason === 'algorithm' || (reason === 'header' && flags.includes('CompressedPlaintext'));
}

test('Wycheproof json_web_encryption_test.json: every invalid JWE is refused, and every valid one of our algorithms is decrypted', async () => {
  const wycheproof = new URL('wycheproof/json_web_encryption_test.json', VECTORS);
  const { testGroups } = JSON.parse(readFileSync(wycheproof, 'utf8')) as { testGroups: readonly Group[] };
  const wrong: string[] = [];
  let read = 0;
  for (const group of testGroups) {
    for (const { tcId, comment, jwe, pt, result, flags } of group.tests) {
      const decryption = await decrypter.decrypt(
        typeof jwe === 'string' ? jwe : JSON.stringify(jwe),
        [group.private],
        EVERYTHING,
      );
      const plaintext = decryption.decrypted ? Buffer.from(decryption.plaintext).toString('hex') : undefined;
      if (decryption.decrypted) read += 1;
      const right =
        result === 'valid' ? plaintext === pt || notOurs(decryption, flags) : plaintext === undefined;
      if (!right) wrong.push(`${tcId} ${group.comment} ${comment}: ${reasonOf(decryption)}, and ${result}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(read > 20, String(read));
});

const COOKBOOK = [
  '5_2.key_encryption_using_rsa-oaep_with_aes-gcm.json',
  '5_4.key_agreement_with_key_wrapping_using_ecdh-es_and_aes-keywrap_with_aes-gcm.json',
  '5_5.key_agreement_using_ecdh-es_with_aes-cbc-hmac-sha2.json',
];

for (const file of COOKBOOK) {
  const path = new URL(`jose-cookbook/jwe/${file}`, VECTORS);
  test(`RFC 7520 §${file.slice(0, 3).replace('_', '.')}: the printed JWE is read`, async () => {
    const { input, output } = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly input: { readonly plaintext: string; readonly key: JsonWebKey };
      readonly output: { readonly compact: string };
    };
    const read = await decrypter.decrypt(output.compact, [input.key], EVERYTHING);
    assert.ok(read.decrypted, reasonOf(read));
    assert.equal(read.plaintext, input.plaintext);
  });
}
