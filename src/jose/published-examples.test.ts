import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonWebKey } from '../spec/jwk.ts';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  HMAC_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
} from '../spec/server-capabilities.ts';
import { matchingSecret, parseCompactJws, signatureProblem } from './compact-jws.ts';
import { joseJweDecrypter } from './jwe.ts';

/** RFC 7520, with the examples of RFC 7797 and RFC 8037 in the same collection; those of encryption are in jwe.test.ts. */
const FOLDER = new URL('../../test/vectors/jose-cookbook/', import.meta.url);

interface Example {
  readonly input: { readonly key: JsonWebKey; readonly payload: string; readonly plaintext: string };
  readonly output: { readonly compact?: string; readonly json?: object };
}

interface Nested {
  readonly sign: Example;
  readonly encrypt: Example;
}

function read(file: string): Example {
  return JSON.parse(readFileSync(new URL(`${file}.json`, FOLDER), 'utf8')) as Example;
}

/** The payload, or why the signature does not hold. */
async function signatureVerdict(compact: string, key: JsonWebKey): Promise<string> {
  const jws = parseCompactJws(compact);
  if ('reason' in jws) return jws.reason;
  const problem = await signatureProblem(jws, [key], SIGNING_ALGORITHMS);
  return problem ?? Buffer.from(jws.payload).toString();
}

for (const file of [
  'jws/4_1.rsa_v15_signature',
  'jws/4_2.rsa-pss_signature',
  'jws/4_3.ecdsa_signature',
  'curve25519/jws',
]) {
  test(`${file}: the signature holds, and the payload is the one that was signed (RFC 7520 §4; RFC 8037 A.4)`, async () => {
    const { input, output } = read(file);
    const compact = output.compact ?? '';
    assert.equal(await signatureVerdict(compact, input.key), input.payload);
    assert.equal(await signatureVerdict(`${compact.slice(0, -8)}AAAAAAAA`, input.key), 'signature');
  });
}

test('jws/4_4.hmac-sha2_integrity_protection: the MAC holds; no public key verifies it (RFC 7520 §4.4)', async () => {
  const { input, output } = read('jws/4_4.hmac-sha2_integrity_protection');
  const jws = parseCompactJws(output.compact ?? '');
  assert.ok(!('reason' in jws));
  const secret = Buffer.from(String(input.key['k']), 'base64url');
  assert.deepEqual(matchingSecret(jws, [secret], HMAC_ALGORITHMS), { secretIndex: 0 });
  assert.equal(await signatureVerdict(output.compact ?? '', input.key), 'algorithm');
});

/** Not JWTs: the payload is elsewhere, not encoded, or beside several signatures; RFC 7519 §7.1 knows the compact form alone. */
for (const [file, reason] of [
  ['jws/4_5.signature_with_detached_content', 'malformed'],
  ['jws/4_6.protecting_specific_header_fields', 'malformed'],
  ['jws/4_7.protecting_content_only', 'malformed'],
  ['jws/4_8.multiple_signatures', 'malformed'],
  ['rfc7797/hmac-sha2_b64_false', 'malformed'],
  ['rfc7797/4.2.hmac-sha2_b64_false', 'malformed'],
] as const) {
  test(`${file}: no JWT, and not read (RFC 7519 §7.2)`, () => {
    const { output } = read(file);
    const sent = output.compact ?? JSON.stringify(output.json);
    const jws = parseCompactJws(sent);
    assert.equal('reason' in jws ? jws.reason : 'read', reason);
  });
}

const EVERYTHING = {
  algorithms: KEY_MANAGEMENT_ALGORITHMS,
  encryptions: CONTENT_ENCRYPTION_ALGORITHMS,
} as const;

test('6.nesting_signatures_and_encryption: the signed JWT is inside, by either key (RFC 7520 §6)', async () => {
  const { sign, encrypt } = read('6.nesting_signatures_and_encryption') as unknown as Nested;
  const decryption = await joseJweDecrypter().decrypt(
    encrypt.output.compact ?? '',
    [encrypt.input.key],
    EVERYTHING,
  );
  assert.ok(decryption.decrypted, 'reason' in decryption ? decryption.reason : '');
  assert.equal(decryption.header['cty'], 'JWT');
  assert.equal(decryption.plaintext, sign.output.compact);
  assert.equal(await signatureVerdict(decryption.plaintext, sign.input.key), sign.input.payload);
});

test('curve25519/ecdh-es: read with the X25519 key (RFC 8037 A.6)', async () => {
  const { input, output } = read('curve25519/ecdh-es');
  const decryption = await joseJweDecrypter().decrypt(output.compact ?? '', [input.key], EVERYTHING);
  assert.equal(decryption.decrypted && decryption.plaintext, input.plaintext);
});

test('jwe/5_6.direct_encryption_using_aes-gcm: a shared key decrypts nothing here (RFC 7520 §5.6)', async () => {
  const { input, output } = read('jwe/5_6.direct_encryption_using_aes-gcm');
  const decryption = await joseJweDecrypter().decrypt(output.compact ?? '', [input.key], EVERYTHING);
  assert.deepEqual(decryption, { decrypted: false, reason: 'algorithm' });
});

interface CryptoGroup {
  readonly comment: string;
  readonly private: JsonWebKey;
  readonly tests: readonly { readonly tcId: number; readonly jwe?: string; readonly result: string }[];
}

const WYCHEPROOF = new URL('../wycheproof/json_web_crypto_test.json', FOLDER);

test('Wycheproof json_web_crypto_test.json, encryption: every invalid JWE is refused, and every valid one of our algorithms is decrypted', async () => {
  const { testGroups } = JSON.parse(readFileSync(WYCHEPROOF, 'utf8')) as {
    readonly testGroups: readonly CryptoGroup[];
  };
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (const group of testGroups) {
    for (const { tcId, jwe, result } of group.tests) {
      if (jwe === undefined) continue;
      const decryption = await joseJweDecrypter().decrypt(jwe, [group.private], EVERYTHING);
      const found = decryption.decrypted ? 'read' : decryption.reason;
      seen.add(`${result} ${found}`);
      // Wrapped with a shared key: none of ours, valid or not.
      const isRight = found === 'algorithm' || (found === 'read') === (result === 'valid');
      if (!isRight) wrong.push(`${tcId} ${group.comment}: ${found}, and ${result}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen.size > 1, [...seen].join());
});
