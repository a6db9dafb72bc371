import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { JsonWebKey } from '../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { parseCompactJws, signatureProblem } from './compact-jws.ts';

interface Group {
  readonly comment: string;
  readonly public?: JsonWebKey;
  readonly private: JsonWebKey | { readonly keys: readonly JsonWebKey[] };
  readonly tests: readonly {
    readonly tcId: number;
    readonly comment: string;
    readonly jws: string;
    readonly result: 'valid' | 'invalid' | 'acceptable';
  }[];
}

const FOLDER = new URL('../../../shared/vectors/wycheproof/', import.meta.url);

function groupsOf(file: string): readonly Group[] {
  const path = new URL(file, FOLDER);
  if (!existsSync(path)) return [];
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
};

/** Not JWTs of ours although they are JWSs: keyed with a secret, or without a payload. */
function isNoneOfOurs(found: string, jws: string): boolean {
  return found === 'algorithm' || (found === 'malformed' && jws.includes('..'));
}

for (const file of ['json_web_signature_test.json', 'json_web_key_test.json']) {
  const groups = groupsOf(file);
  const skip = groups.length === 0 ? `${file} is not in ../shared/vectors/wycheproof` : false;
  test(`Wycheproof ${file}: no invalid signature is verified, and every valid one of an asymmetric key is`, {
    skip,
  }, async () => {
    const wrong: string[] = [];
    let verified = 0;
    for (const group of groups) {
      for (const { tcId, comment, jws, result } of group.tests) {
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
