import assert from 'node:assert/strict';
import type { BodyRow } from './registration-routes.ts';
import type { Expected } from './registry.ts';
import { PLAIN } from './registry.ts';

const row = (number: string, metadata: object, expected: Expected): BodyRow => ({
  name: `${number} ${JSON.stringify(metadata).slice(0, 80)}`,
  body: JSON.stringify({ ...PLAIN, ...metadata }),
  expected,
  // Accepted values are stored letter for letter. Pages and logs escape them when they show them.
  check: ({ json }) => {
    for (const [name, value] of Object.entries(metadata)) assert.deepEqual(json[name], value, name);
  },
});
const refuse = (number: string, all: readonly object[]): BodyRow[] =>
  all.map((metadata) => row(number, metadata, 'invalid_client_metadata'));
const accept = (number: string, all: readonly object[]): BodyRow[] =>
  all.map((metadata) => row(number, metadata, 'registered'));

/** Types that do not go together: the client gets those that do, and none beside them. */
const matched = (sent: object, registered: object): BodyRow => ({
  ...row('H-727', sent, 'registered'),
  check: ({ json }) => {
    for (const [name, value] of Object.entries(registered)) assert.deepEqual(json[name], value, name);
  },
});

/** An identifier cannot be changed by an update. */
const identifiers = (all: readonly string[], expected: Expected): BodyRow[] =>
  all.map((preferred_client_id) => ({
    name: `H-110 preferred_client_id ${JSON.stringify(preferred_client_id).slice(0, 60)}`,
    body: JSON.stringify({ ...PLAIN, preferred_client_id }),
    expected,
    expectedOfUpdate: 'invalid_client_metadata',
    check: ({ json }) => {
      assert.equal(json['client_id'], preferred_client_id);
      assert.equal(json['preferred_client_id'], undefined);
      const path = encodeURIComponent(preferred_client_id);
      assert.ok(String(json['registration_client_uri']).endsWith(`/clients/${path}`));
    },
  }));

const IDENTIFIERS: readonly BodyRow[] = [
  ...identifiers(
    [
      'x'.repeat(101),
      'x'.repeat(1_024),
      '../x',
      'a/b',
      'a%2Fb',
      'a b',
      'ä',
      'a\r\nb',
      'a:b',
      'a,b',
      'a"b',
      '%00',
      'https://op.example.com',
      'https://op.example.com/',
      'https://op.example.com/clients',
      'javascript:alert(1)',
      'https://user@a.example/',
      'https://a.example/#x',
      '.',
      '..',
      // The client that introspection names for an initial access token.
      'chancery',
    ],
    'invalid_client_metadata',
  ),
  // An identifier may be a URL (decision 2); the others are names like any other.
  ...identifiers(
    [
      'x'.repeat(100),
      '__proto__',
      'constructor',
      'admin',
      'default',
      'null',
      '-1',
      '...',
      '~',
      'https://rp.example.com/',
      'https://op.example.com.evil.example/',
    ],
    'registered',
  ),
];

const secrets = (all: readonly string[], expected: Expected): BodyRow[] =>
  all.map((preferred_client_secret) => ({
    name: `H-112 preferred_client_secret of ${preferred_client_secret.length} characters: ${JSON.stringify(preferred_client_secret.slice(-12))}`,
    body: JSON.stringify({ ...PLAIN, preferred_client_secret }),
    expected,
    check: ({ json }) => {
      assert.equal(json['client_secret'], preferred_client_secret);
      assert.equal(json['preferred_client_secret'], undefined);
    },
  }));

const SECRETS: readonly BodyRow[] = [
  ...secrets(
    [
      'x',
      'x'.repeat(31),
      'x'.repeat(257),
      'x'.repeat(10_000),
      `${'x'.repeat(40)}ä`,
      `${'x'.repeat(40)}\t`,
      `${'x'.repeat(40)}\n`,
      `${'x'.repeat(40)}\u007f`,
      `${'x'.repeat(40)}😀`,
    ],
    'invalid_client_metadata',
  ),
  ...secrets(
    ['0123456789abcdef0123456789abcde1', `%2B+:&= ${'y'.repeat(40)}`, 'z'.repeat(256)],
    'registered',
  ),
];

const CONTRADICTIONS: readonly BodyRow[] = [
  ...refuse('H-119', [
    { response_types: ['token'] },
    { response_types: ['code token'] },
    { grant_types: ['implicit'], response_types: ['code'] },
    { grant_types: ['implicit', 'refresh_token'], response_types: ['code id_token'] },
    { response_types: ['code code'] },
    { response_types: ['none'] },
    { response_types: ['CODE'] },
    { response_types: [''] },
    { token_endpoint_auth_method: 'none', grant_types: ['client_credentials'] },
    { token_endpoint_auth_method: 'private_key_jwt' },
    { token_endpoint_auth_method: 'tls_client_auth' },
    { token_endpoint_auth_method: 'self_signed_tls_client_auth' },
    { token_endpoint_auth_method: 'CLIENT_SECRET_BASIC' },
    { token_endpoint_auth_method: 'client_secret_basic ' },
    { subject_type: 'unknown' },
    { subject_type: 'PUBLIC' },
    { application_type: 'Web' },
    { application_type: 'service' },
  ]),
  matched(
    { grant_types: ['authorization_code', 'implicit'], response_types: ['code', 'none'] },
    { grant_types: ['authorization_code'], response_types: ['code'] },
  ),
  matched(
    { grant_types: ['implicit'], response_types: ['id_token', 'code', 'code token'] },
    { grant_types: ['implicit'], response_types: ['id_token'] },
  ),
  matched(
    { grant_types: ['client_credentials'], response_types: ['code', 'token'] },
    { grant_types: ['client_credentials'], response_types: [] },
  ),
  ...refuse('H-120', [
    { id_token_signed_response_alg: 'none' },
    { id_token_signed_response_alg: 'None' },
    { id_token_signed_response_alg: 'HS256', token_endpoint_auth_method: 'none' },
    { id_token_signed_response_alg: 'RS1' },
    { id_token_signed_response_alg: 'rs256' },
    { id_token_signed_response_alg: ' ' },
  ]),
];

const NAMES: readonly BodyRow[] = [
  ...accept('H-121', [
    { client_name: '<script>alert(1)</script>' },
    { client_name: '"><img src=x onerror=alert(1)>' },
    { client_name: '{{7*7}}' },
    { client_name: '${7*7}' }, // oxlint-disable-line no-template-curly-in-string -- what is sent
    { client_name: "'+alert(1)+'" },
    { client_name: '</title><script>' },
    { client_name: '%0d%0aSet-Cookie: a=b' },
    { client_name: 'Erste Bank' },
    { client_name: 'é e\u0301 Ω 株式会社 😀' },
    { client_name: 'x'.repeat(256) },
  ]),
  ...refuse('H-121', [
    { client_name: 'abc\u202ecba' },
    { client_name: 'a\u2066b' },
    { client_name: 'a\u200fb' },
    { client_name: 'a\u200bb' },
    { client_name: 'a\ufeffb' },
    { client_name: 'a\r\nSet-Cookie: a=b' },
    { client_name: 'a\n[INFO] admin signed in' },
    { client_name: 'a\u001b[31mb' },
    { client_name: 'a\u009b31mb' },
    { client_name: 'a\u2028b' },
    { client_name: 'a\u0007' },
    { client_name: '   ' },
    { client_name: '\u00a0\u3000' },
    { client_name: 'x'.repeat(257) },
    { client_name: 'x'.repeat(10_000) },
  ]),
  ...accept('H-122', [
    { 'client_name#de': 'a' },
    { 'client_name#de-Latn-1996': 'a', 'tos_uri#fr-CA': 'https://a.example/' },
  ]),
  ...refuse('H-122', [
    { 'client_name#': 'a' },
    { 'client_name#<script>': 'a' },
    { 'client_name#d e': 'a' },
    { 'client_name#-de': 'a' },
    { 'client_name#de-': 'a' },
    { 'client_name#de\r\nx': 'a' },
    { 'client_name#de': 'a\u202eb' },
    Object.fromEntries(Array.from({ length: 180 }, (_, index) => [`client_name#de-x${index}`, 'a'])),
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`client_name#de-x${index}`, 'a'])),
  ]),
  ...accept('H-123', [{ contacts: ['a@b'] }, { contacts: [`a@${'b'.repeat(252)}`] }]),
  ...refuse('H-123', [
    { contacts: ['a@b\r\nBcc: c@d'] },
    { contacts: ['a@b\nc'] },
    { contacts: ['a@b\u0000'.replace('\u0000', '\u0001')] },
    { contacts: [`a@${'b'.repeat(253)}`] },
    { contacts: [`a@${'a'.repeat(10_000)}!`] },
  ]),
];

/** H-110, H-112, H-119…H-123: values that are well-formed and still not to be had. */
export const METADATA_POLICY: readonly BodyRow[] = [...IDENTIFIERS, ...SECRETS, ...CONTRADICTIONS, ...NAMES];
