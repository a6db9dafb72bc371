import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonWebKey } from '../spec/jwk.ts';
import { HMAC_ALGORITHMS, SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { canonicalOctets, matchingSecret, parseCompactJws, signatureProblem } from './compact-jws.ts';

interface Group {
  readonly comment: string;
  readonly public?: JsonWebKey;
  readonly private: JsonWebKey | { readonly keys: readonly JsonWebKey[] };
  readonly tests: readonly {
    readonly tcId: number;
    readonly comment: string;
    /** Absent in a case about encryption (jwe.test.ts). */
    readonly jws?: string;
    readonly result: 'valid' | 'invalid' | 'acceptable';
  }[];
}

const FOLDER = new URL('../../test/vectors/wycheproof/', import.meta.url);

function groupsOf(file: string): readonly Group[] {
  const path = new URL(file, FOLDER);
  return (JSON.parse(readFileSync(path, 'utf8')) as { testGroups: readonly Group[] }).testGroups;
}

function keysOf(group: Group): readonly JsonWebKey[] {
  const found = group.public ?? group.private;
  return 'keys' in found ? (found.keys as readonly JsonWebKey[]) : [found];
}

async function verdict(jws: string, keys: readonly JsonWebKey[]): Promise<string> {
  const parsed = parseCompactJws(jws);
  if ('reason' in parsed) return parsed.reason;
  return (await signatureProblem(parsed, keys, SIGNING_ALGORITHMS)) ?? 'verified';
}

/** Answered otherwise on purpose, by file and number. */
const DEVIATIONS: Readonly<Record<string, string>> = {
  // Keys whose alg is PS256 and ES521 (no algorithm at all) for signatures of PS384 and ES512: RFC 7517 §4.4 binds them.
  'json_web_signature_test.json 346': 'unknown-key',
  'json_web_signature_test.json 347': 'unknown-key',
  'json_web_signature_test.json 350': 'unknown-key',
  'json_web_signature_test.json 351': 'unknown-key',
  // Characters outside the alphabet, which a lenient decoder passes over.
  'json_web_signature_test.json 372': 'malformed',
  'json_web_signature_test.json 373': 'malformed',
  // A modulus of a form that can be factored (ROCA): the key policy refuses the key before it gets here.
  'json_web_key_test.json 7': 'verified',
  'json_web_crypto_test.json 46': 'verified',
};

/** Not JWTs of ours although they are JWSs: keyed with a secret, or without a payload. */
function isNoneOfOurs(found: string, jws: string): boolean {
  return found === 'algorithm' || (found === 'malformed' && jws.includes('..'));
}

for (const file of ['json_web_signature_test.json', 'json_web_key_test.json', 'json_web_crypto_test.json']) {
  const groups = groupsOf(file);
  test(`Wycheproof ${file}: no invalid signature is verified, and every valid one of an asymmetric key is`, async () => {
    const wrong: string[] = [];
    let verified = 0;
    for (const group of groups) {
      for (const { tcId, comment, jws, result } of group.tests) {
        if (jws === undefined) continue;
        const found = await verdict(jws, keysOf(group));
        if (found === 'verified') verified += 1;
        const deviation = DEVIATIONS[`${file} ${tcId}`];
        const isRight =
          deviation === undefined
            ? (found === 'verified') === (result === 'valid') || isNoneOfOurs(found, jws)
            : found === deviation;
        if (!isRight) wrong.push(`${tcId} ${group.comment} ${comment}: ${found}, and ${result}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(verified > 0);
  });
}

/** The HMAC cases of both files, which the test above finds to be none of ours. */
const HMAC_GROUPS = ['json_web_signature_test.json', 'json_web_crypto_test.json']
  .flatMap(groupsOf)
  .flatMap((group) => keysOf(group).map((key) => ({ group, key })))
  .filter(({ group, key }) => key['kty'] === 'oct' && keysOf(group).length === 1);

function macVerdict(jws: string, secret: Uint8Array): string {
  const parsed = parseCompactJws(jws);
  if ('reason' in parsed) return parsed.reason;
  const match = matchingSecret(parsed, [secret], HMAC_ALGORITHMS);
  return 'reason' in match ? match.reason : 'held';
}

/**
 * 367 and 370 are named for a padding that their texts do not have: both are letter for letter the valid JWS. 372 and 373
 * hold a character outside the alphabet, which a lenient decoder passes over.
 */
const HMAC_DEVIATIONS: Readonly<Record<number, 'held' | 'malformed'>> = {
  367: 'held',
  370: 'held',
  372: 'malformed',
  373: 'malformed',
};

test('Wycheproof, HMAC: no invalid MAC holds, and every valid one of a long enough key does', () => {
  const wrong: string[] = [];
  let held = 0;
  for (const { group, key } of HMAC_GROUPS) {
    const secret = Buffer.from(String(key['k']), 'base64url');
    for (const { tcId, comment, jws, result } of group.tests) {
      if (jws === undefined) continue;
      const found = macVerdict(jws, secret);
      if (found === 'held') held += 1;
      const deviation = HMAC_DEVIATIONS[tcId];
      const isRight =
        deviation === undefined ? (found === 'held') === (result === 'valid') : found === deviation;
      if (!isRight) wrong.push(`${tcId} ${group.comment} ${comment}: ${found}, and ${result}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(held >= 3, String(held));
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

test('a segment is decoded only as its octets are encoded, whatever its last characters are (RFC 4648 §3.5)', () => {
  const wrong: string[] = [];
  let decoded = 0;
  for (const begin of ['', 'QUJD', 'Q', 'QU', 'QUJ'])
    for (let last = -1; last < ALPHABET.length; last += 1) {
      const segment = begin + ALPHABET.charAt(last);
      const octets = Buffer.from(segment, 'base64url');
      const found = canonicalOctets(segment);
      if (found !== undefined) decoded += 1;
      const isCanonical = octets.toString('base64url') === segment;
      if (isCanonical !== (found !== undefined) || (found !== undefined && !octets.equals(found)))
        wrong.push(segment);
    }
  assert.deepEqual(wrong, []);
  assert.equal(decoded, 2 + 4 + 16 + 64);
});
