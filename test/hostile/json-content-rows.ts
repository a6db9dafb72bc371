import assert from 'node:assert/strict';
import type { Answer } from './attacked-program.ts';
import type { BodyRow } from './registration-routes.ts';
import { PLAIN } from './registry.ts';

const BODY_LIMIT_BYTES = 65_536;
const PLAIN_SOURCE = JSON.stringify(PLAIN).slice(1, -1);
const withMember = (source: string): string => `{${PLAIN_SOURCE},${source}}`;

/** `data` comes back letter for letter (decision 12). */
function keepsData(name: string, data: string): BodyRow {
  return {
    name,
    body: withMember(`"data":${data}`),
    expected: 'registered',
    privileged: true,
    check: ({ body }) => assert.ok(body.endsWith(`"data":${data}}`), body.slice(-300)),
  };
}

function withoutTrace(name: string, source: string, traces: readonly string[]): BodyRow {
  return {
    name,
    body: withMember(source),
    expected: 'registered',
    check: ({ json }) => {
      for (const trace of traces) assert.ok(!Object.hasOwn(json, trace), `${trace} came back`);
    },
  };
}

const refused = (name: string, source: string): BodyRow => ({
  name,
  body: withMember(source),
  expected: 'invalid_request',
});

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];

const PROTOTYPES: readonly BodyRow[] = PROTOTYPE_NAMES.flatMap((name) => [
  withoutTrace(`H-094 ${name} as a member`, `"${name}":{"scope":"x","polluted":1}`, [
    name,
    'polluted',
    'scope',
  ]),
  keepsData(`H-094 ${name} in data`, `{"${name}":{"polluted":1},"x":{"${name}":1}}`),
]);

const nested = (depth: number): string => '{"a":'.repeat(depth - 1) + '{}' + '}'.repeat(depth - 1);
const nestedArrays = (depth: number): string => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

const DEPTHS: readonly BodyRow[] = [
  // The body itself is the first of 16 levels.
  keepsData('H-095 data that makes the body 16 deep', nested(15)),
  ...[16, 20, 1_000, 5_000, 9_000].map((depth) =>
    refused(`H-095 data ${depth} deep`, `"data":${nested(depth)}`),
  ),
  refused('H-095 data with arrays 30,000 deep', `"data":${nestedArrays(30_000)}`),
  refused('H-095 an unknown member 30,000 deep', `"x":${nestedArrays(30_000)}`),
];

const padded = (length: number): string => {
  const body = withMember('"x":""');
  return body.replace('"x":""', `"x":"${'a'.repeat(length - body.length)}"`);
};
const manyMembers = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',');

const SIZES: readonly BodyRow[] = [
  { name: 'H-097 the limit exactly', body: padded(BODY_LIMIT_BYTES), expected: 'registered' },
  { name: 'H-097 one byte more', body: padded(BODY_LIMIT_BYTES + 1), expected: 'too_large' },
  // No body follows: the answer cannot wait for it.
  { name: 'H-096 10 MB announced', body: '{', length: 10_000_000, expected: 'too_large' },
  {
    // As much as the server still takes from those it refuses, so that they read their refusal and not a reset.
    name: 'H-096 900 KB as one string',
    body: padded(900_000),
    expected: 'too_large',
  },
  {
    name: 'H-096 768 KB in chunks',
    headers: 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n',
    length: 'none',
    body: `${`8000\r\n${' '.repeat(0x80_00)}\r\n`.repeat(24)}0\r\n\r\n`,
    expected: 'too_large',
  },
  { name: 'H-098 10,000 unknown members', body: withMember(manyMembers(10_000)), expected: 'too_large' },
  refused('H-098 6,000 unknown members', manyMembers(6_000)),
  refused('H-098 201 members', manyMembers(199)),
  withoutTrace('H-098 200 members', manyMembers(198), ['m0', 'm197']),
  refused(
    'H-098 4,000 names that collide as integers',
    Array.from({ length: 4_000 }, (_, index) => `"${(index + 1) * 2 ** 25}":0`).join(','),
  ),
  refused('H-098 6,000 members in data', `"data":{${manyMembers(6_000)}}`),
];

const NUMBERS: readonly BodyRow[] = [
  keepsData(
    'H-099 numbers that a parser would change',
    '{"a":1e400,"b":-0,"c":9007199254740993,"d":1e-400,"e":1.0,"f":1E2,"g":0.1e1}',
  ),
  keepsData('H-099 white space and escapes in data', '{ "a" :\t"\\u0041\\/" ,\n"b":[ ] }'),
  keepsData('H-099 a number of 60,000 digits', `{"a":${'9'.repeat(60_000)}}`),
  keepsData('H-099 characters of every length in UTF-8', '{"a":"aé€😀","é€😀":"\\ud83d\\ude00"}'),
];

/** PostgreSQL refuses what SQLite changes: neither may come near a database. */
const UNSTORABLE: readonly BodyRow[] = [
  '\\u0000',
  '\\ud800',
  '\\udc00',
  '\\udc00\\ud800',
  'a\\uD83D',
].flatMap((text) => [
  refused(`H-100, H-101 ${text} in client_uri`, `"client_uri":"https://rp.example.com/${text}"`),
  refused(`H-100, H-101 ${text} in an unknown name`, `"x${text}":1`),
  refused(`H-100, H-101 ${text} in data`, `"data":{"a":"${text}"}`),
  refused(`H-100, H-101 ${text} in a name in data`, `"data":{"${text}":1}`),
  refused(`H-100, H-101 ${text} in contacts`, `"contacts":["${text}"]`),
  refused(`H-100, H-101 ${text} in an unknown member`, `"x":[["${text}"]]`),
]);

/** Members of other specifications, of databases and of other servers' records. */
const FOREIGN = [
  'id',
  'tenant',
  'tenant_id',
  'instance',
  'version',
  'is_admin',
  'admin',
  'trusted',
  'first_party',
  'skip_consent',
  'require_consent',
  'secrets',
  'secret_hash',
  'client_secret_hash',
  'registration_token_digest',
  'registration_token_sealed',
  'registered_via',
  'privileges',
  'metadata',
  'created_at',
  'updated_at',
  'deleted_at',
  'disabled',
  'access_token_lifetime',
  'token_lifetime',
  'refresh_token_lifetime',
  'require_pkce',
  'audience',
  'roles',
  'permissions',
  'claims',
  'sub',
  'iss',
  'aud',
  'ssa',
  'x5c',
  'vot',
  'nfv_token_encryption',
  'urn:example:member',
  '$where',
  "'; DROP TABLE client; --",
];

/** Owned by the server: dropped from requests, never stored as sent (decision 9). */
const OURS = {
  client_secret: 'a-secret-of-my-own-choice-0123456789',
  registration_access_token: 'a-token-of-my-own-choice-0123456789ab',
  registration_client_uri: 'https://evil.example.com/clients/a',
  client_id_issued_at: 1,
  client_secret_expires_at: 4_102_444_800,
};

const UNKNOWN: readonly BodyRow[] = [
  withoutTrace(
    'H-104 40 members of databases and other servers',
    FOREIGN.map((name) => `${JSON.stringify(name)}:true`).join(','),
    FOREIGN,
  ),
  {
    name: "H-104 the server's own members",
    body: withMember(JSON.stringify(OURS).slice(1, -1)),
    expected: 'registered',
    check: (answer: Answer) => {
      for (const [name, value] of Object.entries(OURS)) assert.notEqual(answer.json[name], value, name);
      assert.equal(answer.json['client_secret_expires_at'], 0);
    },
  },
];

/** H-094…H-101, H-104: well-formed JSON that means harm. */
export const CONTENT: readonly BodyRow[] = [
  ...PROTOTYPES,
  ...DEPTHS,
  ...SIZES,
  ...NUMBERS,
  ...UNSTORABLE,
  ...UNKNOWN,
];
