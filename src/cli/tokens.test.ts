import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatch } from './dispatch.ts';

async function decoded(...words: readonly string[]): Promise<readonly [number, string, string]> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await dispatch(['token', 'decode', ...words], {
    environment: {},
    print: (line) => void out.push(line),
    complain: (line) => void err.push(line),
  });
  return [code, out.join('\n'), err.join('\n')];
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const HEADER = { alg: 'ES256', typ: 'at+jwt' };

test('token decode: prints header and claims, with times in words', async () => {
  const jwt = `${part(HEADER)}.${part({ iss: 'https://op.example', exp: 1_800_000_000, aud: ['a', 'b'] })}.c2ln`;
  assert.deepEqual(await decoded(jwt), [
    0,
    'alg  ES256\ntyp  at+jwt\n\niss  https://op.example\nexp  1800000000 (2027-01-15T08:00:00Z)\naud  a b',
    '',
  ]);
  const [, json] = await decoded(jwt, '--json');
  assert.deepEqual(JSON.parse(json), {
    header: HEADER,
    payload: { iss: 'https://op.example', exp: 1_800_000_000, aud: ['a', 'b'] },
  });
});

test('token decode: an encrypted JWT has a header alone', async () => {
  const [code, out] = await decoded(`${part({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.k.iv.c.tag`);
  assert.deepEqual([code, out], [0, 'alg  RSA-OAEP\nenc  A256GCM\n\nThe payload is encrypted.']);
});

test('token decode: a text that is no JWT is refused, and the refusal does not repeat it', async () => {
  const rows: readonly (readonly [token: string, reason: string])[] = [
    ['opaque-secret', 'it has 1 parts between dots, and a signed JWT has 3, an encrypted one 5'],
    ['opaque-secret.e30.sig', 'its header is no JSON object in base64url'],
    [`${part(HEADER)}.${part(['list'])}.sig`, 'its payload is no JSON object in base64url'],
  ];
  for (const [token, reason] of rows)
    assert.deepEqual(await decoded(token), [1, '', `chancery token decode: this is no JWT: ${reason}`]);
});
