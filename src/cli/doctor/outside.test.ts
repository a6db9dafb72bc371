import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { Finding } from './finding.ts';
import { outsideFindings } from './outside.ts';
import type { Answer, Unreachable, Visit } from './visit.ts';

const ISSUER = 'http://127.0.0.1:1/op';
const NOW = 1_800_000_000;

const { n, e } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const KEY = { kty: 'RSA', kid: 'a', use: 'sig', alg: 'RS256', n, e };

const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  introspection_endpoint: `${ISSUER}/token/introspect`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  registration_endpoint: `${ISSUER}/clients`,
  revocation_endpoint: `${ISSUER}/revoke`,
  jwks_uri: `${ISSUER}/jwks.json`,
  code_challenge_methods_supported: ['S256'],
  id_token_signing_alg_values_supported: ['RS256'],
};

interface Page {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

const DISCOVERY = `GET ${ISSUER}/.well-known/openid-configuration`;
const OPEN = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' };
const JSON_PAGE = { ...OPEN, date: new Date(NOW * 1000).toUTCString() };

/** A server without a fault, by method and address. All other addresses are 404. */
const SOUND: Readonly<Record<string, Page>> = {
  [DISCOVERY]: { status: 200, headers: JSON_PAGE, json: METADATA },
  'GET http://127.0.0.1:1/.well-known/oauth-authorization-server/op': { status: 200, json: METADATA },
  [`GET ${ISSUER}/jwks.json`]: {
    status: 200,
    headers: { 'cache-control': 'max-age=60' },
    json: { keys: [KEY] },
  },
  [`GET ${ISSUER}/authorize`]: {
    status: 400,
    headers: { 'content-security-policy': "frame-ancestors 'none'" },
  },
  [`POST ${ISSUER}/token`]: { status: 401, headers: { 'cache-control': 'no-store' } },
  [`GET ${ISSUER}/token`]: { status: 405 },
  [`POST ${ISSUER}/token/introspect`]: { status: 401 },
  [`GET ${ISSUER}/userinfo`]: { status: 401 },
  [`POST ${ISSUER}/clients`]: { status: 401 },
  [`GET ${ISSUER}/clients`]: { status: 401 },
  [`GET ${ISSUER}/revoke`]: { status: 405 },
};

type Pages = Readonly<Record<string, Page | ((init: RequestInit) => Page) | undefined>>;

function site(changes: Pages): Visit {
  const pages: Pages = { ...SOUND, ...changes };
  return async (url, init = {}): Promise<Answer | Unreachable> => {
    const address = `${init.method ?? 'GET'} ${url.split('?')[0]}`;
    const named = pages[address];
    if (address in pages && named === undefined) return { url, failure: 'connect ECONNREFUSED' };
    const page = typeof named === 'function' ? named(init) : (named ?? { status: 404 });
    const { status, headers, json } = page;
    const text = page.text ?? (json === undefined ? '' : JSON.stringify(json));
    return await Promise.resolve({ url, status, headers: new Headers(headers), text, json });
  };
}

async function examined(changes: Pages = {}): Promise<readonly Finding[]> {
  return await outsideFindings(ISSUER, { visit: site(changes), now: () => NOW });
}

const faults = (findings: readonly Finding[]): readonly string[] =>
  findings
    .filter(({ level }) => level !== 'good')
    .map(({ level, about, says }) => `${level} ${about}: ${says}`);

test('a sound issuer has no finding that is a warning or a problem', async () => {
  const findings = await examined();
  assert.deepEqual(faults(findings), []);
  assert.deepEqual([...new Set(findings.map(({ about }) => about))].toSorted(), [
    'clock',
    'cookies',
    'cors',
    'discovery',
    'endpoints',
    'headers',
    'keys',
    'management',
    'proxy',
    'tls',
  ]);
});

test('every warning and problem has a reason and a remedy', async () => {
  const findings = await examined({ [DISCOVERY]: undefined });
  for (const { reason, remedy } of findings.filter(({ level }) => level !== 'good'))
    assert.ok(reason !== undefined && remedy !== undefined);
});

const changed = (change: object): Page => ({
  status: 200,
  headers: JSON_PAGE,
  json: { ...METADATA, ...change },
});
const keys = (...jwks: readonly object[]): Pages => ({
  [`GET ${ISSUER}/jwks.json`]: {
    status: 200,
    headers: { 'cache-control': 'max-age=60' },
    json: { keys: jwks },
  },
});
const elsewhere = (init: RequestInit): string => new Headers(init.headers).get('x-forwarded-host') ?? '';

const ROWS: readonly (readonly [fault: string, changes: Pages, expected: readonly string[]])[] = [
  [
    'nothing answers',
    { [DISCOVERY]: undefined },
    [`problem discovery: ${ISSUER}/.well-known/openid-configuration: connect ECONNREFUSED`],
  ],
  [
    'a page of a proxy instead of the document',
    { [DISCOVERY]: { status: 200, text: '<html>' } },
    [`problem discovery: ${ISSUER}/.well-known/openid-configuration: answers 200 without a JSON object`],
  ],
  [
    'the document of another issuer',
    { [DISCOVERY]: changed({ issuer: `${ISSUER}/` }) },
    [
      `problem discovery: the document names the issuer "${ISSUER}/"`,
      'problem discovery: http://127.0.0.1:1/.well-known/oauth-authorization-server/op names another issuer',
    ],
  ],
  [
    'the document of RFC 8414 is not passed on',
    { 'GET http://127.0.0.1:1/.well-known/oauth-authorization-server/op': { status: 404 } },
    ['warning discovery: http://127.0.0.1:1/.well-known/oauth-authorization-server/op is not there'],
  ],
  [
    'an address at another host',
    { [DISCOVERY]: changed({ end_session_endpoint: 'http://10.0.0.5:8080/logout' }) },
    [
      'warning discovery: end_session_endpoint is at another host: http://10.0.0.5:8080/logout',
      'problem discovery: end_session_endpoint use plain http',
      'problem endpoints: end_session_endpoint is announced, but http://10.0.0.5:8080/logout answers 404',
    ],
  ],
  [
    'no PKCE, and unsigned ID tokens',
    {
      [DISCOVERY]: changed({
        code_challenge_methods_supported: undefined,
        id_token_signing_alg_values_supported: ['none'],
      }),
    },
    [
      'warning discovery: code_challenge_methods_supported lacks S256',
      'warning discovery: ID tokens may be unsigned (`none`)',
    ],
  ],
  [
    'a key with its private part',
    keys({ ...KEY, d: 'secret' }),
    ['problem keys: the key "a" is published with its private part'],
  ],
  ['two keys of one name', keys(KEY, KEY), ['problem keys: keys lack a kid, or share one']],
  [
    'a short RSA key',
    keys({ ...KEY, n: Buffer.alloc(128, 0xff).toString('base64url') }),
    ['problem keys: the RSA key "a" has 1024 bits'],
  ],
  [
    'an algorithm without a key',
    { [DISCOVERY]: changed({ id_token_signing_alg_values_supported: ['RS256', 'ES256'] }) },
    ['problem keys: no published key can sign ES256'],
  ],
  ['no keys', keys(), [`problem keys: ${ISSUER}/jwks.json answers 200 without keys`]],
  [
    'a key set that nothing may keep',
    { [`GET ${ISSUER}/jwks.json`]: { status: 200, json: { keys: [KEY] } } },
    ['warning keys: the key set says nothing about caching'],
  ],
  [
    'a clock that is two minutes late',
    {
      [DISCOVERY]: { ...changed({}), headers: { ...OPEN, date: new Date((NOW - 120) * 1000).toUTCString() } },
    },
    [`problem clock: the server's clock and this machine's differ by 120 s`],
  ],
  [
    'an open redirector',
    {
      [`GET ${ISSUER}/authorize`]: {
        status: 302,
        headers: { location: 'https://chancery-doctor.invalid/callback?error=x', 'x-frame-options': 'DENY' },
      },
    },
    ['problem endpoints: the authorisation endpoint redirects an unknown client to an address of its choice'],
  ],
  [
    'an announced endpoint that is not there',
    { [`GET ${ISSUER}/revoke`]: { status: 404 } },
    [`problem endpoints: revocation_endpoint is announced, but ${ISSUER}/revoke answers 404`],
  ],
  [
    'a token endpoint whose answers may be cached, and that answers GET',
    { [`POST ${ISSUER}/token`]: { status: 400 }, [`GET ${ISSUER}/token`]: { status: 200 } },
    [
      'problem endpoints: the token endpoint does not say `Cache-Control: no-store`',
      'warning endpoints: the token endpoint answers GET with 200',
    ],
  ],
  [
    'endpoints that answer strangers',
    {
      [`POST ${ISSUER}/token/introspect`]: { status: 200 },
      [`GET ${ISSUER}/userinfo`]: { status: 200 },
      [`GET ${ISSUER}/clients`]: { status: 200 },
      [`POST ${ISSUER}/clients`]: { status: 400 },
    },
    [
      'problem endpoints: introspection_endpoint answers 200 to a stranger',
      'problem endpoints: userinfo_endpoint answers 200 to a stranger',
      'warning endpoints: everyone may register a client',
      'problem endpoints: GET registration_endpoint answers 200 to a stranger',
    ],
  ],
  [
    'versions in headers, and no nosniff',
    {
      [DISCOVERY]: { ...changed({}), headers: { 'access-control-allow-origin': '*', server: 'nginx/1.2.3' } },
    },
    [
      'warning headers: X-Content-Type-Options: nosniff is missing',
      'warning headers: an answer tells versions: server: nginx/1.2.3',
    ],
  ],
  [
    'no CORS for the document, and credentials for every origin',
    {
      [DISCOVERY]: { ...changed({}), headers: { 'x-content-type-options': 'nosniff' } },
      [`OPTIONS ${ISSUER}/userinfo`]: (init) => ({
        status: 204,
        headers: {
          'access-control-allow-origin': new Headers(init.headers).get('origin') ?? '',
          'access-control-allow-credentials': 'true',
        },
      }),
    },
    [
      'warning cors: scripts of other origins cannot read the discovery document',
      'problem cors: userinfo_endpoint lets scripts of any origin use the cookies of its visitors',
    ],
  ],
  [
    'a cookie that scripts can read, and pages in frames',
    { [`GET ${ISSUER}/authorize`]: { status: 200, headers: { 'set-cookie': 'sid=1; SameSite=Lax' } } },
    [
      'problem cookies: the cookie sid lacks Secure, HttpOnly or SameSite',
      'problem cookies: pages may be shown in frames of other sites',
    ],
  ],
  [
    'an issuer that follows X-Forwarded-Host',
    {
      [DISCOVERY]: (init) => {
        const host = elsewhere(init);
        return host === '' ? changed({}) : changed({ issuer: `https://${host}` });
      },
    },
    ['problem proxy: the server takes its own name from headers that anyone can send'],
  ],
  [
    'metrics on the public listener',
    { 'GET http://127.0.0.1:1/metrics': { status: 200 } },
    ['warning management: /metrics answer 200 here'],
  ],
];

for (const [fault, changes, expected] of ROWS) {
  test(`doctor finds ${fault}`, async () => {
    assert.deepEqual(faults(await examined(changes)), expected);
  });
}
