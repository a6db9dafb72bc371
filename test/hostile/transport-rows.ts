import { Buffer } from 'node:buffer';
import { FRAMING, SIZES } from './transport-framing-rows.ts';
import type { Row } from './transport-row.ts';
import { assertAbsent, assertEmpty, assertPresent, closing, form, get, HOST, post } from './transport-row.ts';

const REPEATED: readonly Row[] = [
  {
    name: 'H-009 headers named like members of Object.prototype',
    send: ({ authorization }) => [
      get('/clients', `__proto__: x\r\nconstructor: x\r\ntoString: x\r\nAuthorization: ${authorization}\r\n`),
    ],
    status: [200],
  },
  ...['Bearer bad', 'Basic YTpi'].map(
    (second): Row => ({
      name: `H-010 a good Authorization and ${second}`,
      send: ({ authorization }) => [
        get('/clients', `Authorization: ${authorization}\r\nAuthorization: ${second}\r\n`),
      ],
      status: [400],
    }),
  ),
  {
    name: 'H-010 the same Authorization twice',
    send: ({ authorization }) => [get('/clients', `Authorization: ${authorization}\r\n`.repeat(2))],
    status: [400],
  },
  {
    name: 'H-010 a second Authorization behind more headers than Node keeps',
    send: ({ authorization }) => [
      get(
        '/clients',
        `Authorization: ${authorization}\r\n${'a:\r\n'.repeat(2_100)}Authorization: Basic YTpi\r\n`,
      ),
    ],
    status: [400, 431],
  },
  ...['Content-Type', 'Content-Encoding', 'Issuer', 'Tenant-ID', 'Origin', 'Cookie', 'Expect'].map(
    (name): Row => ({
      name: `${name} twice`,
      send: [form(`${name}: a\r\n${name}: a\r\nContent-Length: 0\r\n`)],
      status: [400],
    }),
  ),
];

const UNKNOWN_PATHS = [
  '//clients/x',
  '///clients',
  '/\\clients',
  '/clients\\x',
  '/clients/../jwks.json',
  '/./jwks.json',
  '/clients/.',
  '/clients/..',
  '/clients/.;/x',
  '/clients/',
  '/clients//',
  '/jwks.json/',
  '/CLIENTS',
  '/Jwks.json',
  '/clients/a/b',
  '/jwks.json;a',
  '/jwks%2Ejson',
  '/%',
  '//',
];

const OPAQUE_SEGMENTS = [
  '%2e%2e',
  '%2e%2e%2fjwks.json',
  'a%2Fb',
  'a%5Cb',
  'a%252Fb',
  '%',
  '%zz',
  '%e',
  '%00',
  'a%00b',
  '%c0%ae%c0%ae',
  '%ff',
  '%ed%a0%80',
  '...',
  '.;',
  '__proto__',
  'constructor',
];

/** RFC 9112 §3.2.2: "a server MUST accept the absolute-form in requests even though most HTTP/1.1 clients will only send the absolute-form to a proxy". */
const ABSOLUTE_TARGETS: readonly Row[] = [
  ...(
    [
      ['http://evil.test/jwks.json', [200]],
      ['HTTPS://h.test:8443/jwks.json?a=b', [200]],
      ['http://[2001:db8::1]:80/jwks.json', [200]],
      ['http://evil.test/clients', [401]],
      // The start page of an issuer without a path; another issuer has it elsewhere.
      ['https://h.test/', [200, 404]],
      ['http://h.test', [200, 404]],
      ['http://h.test//clients/x', [404]],
    ] as const
  ).map(
    ([target, status]): Row => ({
      name: `H-021 absolute form ${target} is answered as its path is`,
      send: [get(target)],
      status,
    }),
  ),
  ...[
    'evil.test:443',
    'http:///jwks.json',
    'http://user@h.test/jwks.json',
    'http://h.test:123456/jwks.json',
    'ftp://h.test/jwks.json',
    'http:/jwks.json',
    '*',
    'jwks.json',
  ].map((target): Row => ({ name: `H-021 ${target} is no target`, send: [get(target)], status: [400] })),
  ...['*', 'http://h.test'].map(
    (target): Row => ({
      name: `H-240 OPTIONS ${target} is about the whole server: 204, and no origin gets anything`,
      send: [`OPTIONS ${target} HTTP/1.1\r\n${HOST}Origin: https://evil.test\r\n\r\n`],
      status: [204],
      check: ({ text }) => assertAbsent(text.toLowerCase(), 'access-control-'),
    }),
  ),
  {
    name: 'H-021 absolute form without Host in HTTP/1.1 is refused (RFC 9112 §3.2)',
    send: ['GET http://h.test/jwks.json HTTP/1.1\r\n\r\n'],
    status: [400],
    closes: true,
    until: 'closed',
  },
];

const ROUTING: readonly Row[] = [
  ...ABSOLUTE_TARGETS,
  ...UNKNOWN_PATHS.map(
    (path): Row => ({
      name: `H-022…H-029 ${path} is nothing`,
      send: [get(path)],
      status: [404],
      check: assertEmpty,
    }),
  ),
  ...OPAQUE_SEGMENTS.map(
    (segment): Row => ({
      name: `H-023…H-027 /clients/${segment} is an opaque identifier`,
      send: [get(`/clients/${segment}`)],
      status: [401, 404],
    }),
  ),
  ...['PATCH', 'PUT', 'POST', 'DELETE', 'PROPFIND', 'QUERY'].map(
    (method): Row => ({
      name: `H-030 ${method} /jwks.json`,
      send: [`${method} /jwks.json HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n`],
      status: [405],
      check: ({ answers }) => assertPresent(answers[0]?.headers['allow'] ?? '', 'GET, HEAD, OPTIONS'),
    }),
  ),
  {
    name: 'H-030 GET /token/introspect',
    send: [get('/token/introspect')],
    status: [405],
    check: ({ answers }) => assertPresent(answers[0]?.headers['allow'] ?? '', 'POST, OPTIONS'),
  },
  {
    name: 'H-031 HEAD /jwks.json answers as GET, without a body',
    send: [`HEAD /jwks.json HTTP/1.1\r\n${HOST}\r\n`, get('/nothing')],
    status: [200],
    head: true,
    until: 2,
    check: ({ answers, text }) => {
      if (!(Number(answers[0]?.headers['content-length']) > 0))
        throw new Error('no length of the body of GET');
      if (answers[1]?.status !== 404) throw new Error(`the next answer was mistaken: ${text}`);
    },
  },
  ...['/clients', '/token/introspect', '/clients/a'].map(
    (path): Row => ({
      name: `H-031 OPTIONS ${path} grants nothing to other origins`,
      send: [
        `OPTIONS ${path} HTTP/1.1\r\n${HOST}Origin: https://evil.test\r\nAccess-Control-Request-Method: ${path === '/token/introspect' ? 'POST' : 'GET'}\r\n\r\n`,
      ],
      status: [204],
      check: ({ text }) => assertAbsent(text.toLowerCase(), 'access-control-'),
    }),
  ),
  {
    name: 'H-031 OPTIONS /jwks.json permits any origin, without credentials',
    send: [
      `OPTIONS /jwks.json HTTP/1.1\r\n${HOST}Origin: https://a.test\r\nAccess-Control-Request-Method: GET\r\n\r\n`,
    ],
    status: [204],
    check: ({ text }) => {
      assertPresent(text.toLowerCase(), 'access-control-allow-origin: *');
      assertAbsent(text.toLowerCase(), 'allow-credentials');
    },
  },
  ...['/', '/jwks.json', '/clients'].map(
    (path): Row => ({
      name: `H-032 TRACE ${path} echoes nothing`,
      send: [`TRACE ${path} HTTP/1.1\r\n${HOST}X-Secret: sesame\r\n\r\n`],
      status: [405],
      check: ({ text }) => assertAbsent(text, 'sesame'),
    }),
  ),
  {
    ...closing('H-032 CONNECT', `CONNECT h.test:1 HTTP/1.1\r\n${HOST}X-Secret: sesame\r\n\r\n`, [400, 405]),
    check: ({ text }) => assertAbsent(text, 'sesame'),
  },
  {
    name: 'H-033 a method override is ignored',
    send: [get('/jwks.json?_method=DELETE', 'X-HTTP-Method-Override: DELETE\r\n')],
    status: [200],
  },
  ...['websocket', 'h2c'].map(
    (protocol): Row => ({
      name: `H-036 Upgrade: ${protocol} is ignored`,
      send: [
        get('/jwks.json', `Connection: Upgrade\r\nUpgrade: ${protocol}\r\nSec-WebSocket-Version: 13\r\n`),
      ],
      status: [200],
    }),
  ),
];

const PROTOCOLS: readonly Row[] = [
  closing('H-034 HTTP/0.9', 'GET /jwks.json\r\n\r\n'),
  {
    name: 'H-034 HTTP/1.0 without Host is served',
    send: ['GET /jwks.json HTTP/1.0\r\n\r\n'],
    status: [200],
    closes: true,
    until: 'closed',
  },
  closing('H-034 HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  closing('H-034 HTTP/3.0', `GET /jwks.json HTTP/3.0\r\n${HOST}\r\n`),
  closing('H-034 TLS hello', Buffer.from('16030100c8010000c40303', 'hex')),
  closing('H-034 random bytes', Buffer.from('00ff13377f80deadbeef0d0a0d0a', 'hex')),
];

const CONNECTIONS: readonly Row[] = [
  {
    name: 'H-039 1,000 pipelined requests: answers in order',
    send: [
      Array.from({ length: 1_000 }, (_, index) => get(index % 2 === 0 ? '/jwks.json' : '/nothing')).join(''),
    ],
    status: [200],
    until: 1_000,
    check: ({ answers }) => {
      const wrong = answers.findIndex(({ status }, index) => status !== (index % 2 === 0 ? 200 : 404));
      if (wrong !== -1 || answers.length !== 1_000)
        throw new Error(`answer ${wrong} of ${answers.length} is another's`);
    },
  },
  {
    name: 'an unread body is not the next request',
    send: [
      post('/jwks.json', `Content-Length: ${get('/clients').length}\r\n`, get('/clients')),
      get('/nothing'),
    ],
    status: [405],
    until: 2,
    check: ({ answers }) => {
      if (answers[1]?.status !== 404) throw new Error(`the second answer is ${answers[1]?.status}`);
    },
  },
  {
    name: 'rubbish after a whole request: its answer stays its own',
    send: [`${get('/jwks.json')}\0\0\0\r\n\r\n`],
    status: [200],
    closes: true,
    until: 'closed',
  },
  {
    name: 'a body longer than Content-Length says',
    send: [form('Content-Length: 3\r\n', `a=b${'x'.repeat(200)}`)],
    status: [401],
    until: 'closed',
    check: ({ closed }) => {
      if (!closed) throw new Error('the connection is still open');
    },
  },
  {
    ...closing('H-043 half-close in the body', form('Content-Length: 100\r\n', 'token=abcd')),
    send: [form('Content-Length: 100\r\n', 'token=abcd'), { end: 'half-close' }],
  },
  {
    name: 'H-043 reset in the body',
    send: [form('Content-Length: 100\r\n', 'token=abcd'), { wait_ms: 20 }, { end: 'reset' }],
    status: [0],
    until: 'closed',
  },
  {
    name: 'H-043 reset in the header',
    send: ['GET /jwks.json HTT', { wait_ms: 20 }, { end: 'reset' }],
    status: [0],
    until: 'closed',
  },
  {
    name: 'H-043 reset right after the request',
    send: [get('/jwks.json').repeat(50), { end: 'reset' }],
    status: [0, 200],
    until: 'closed',
  },
];

export const ROWS: readonly Row[] = [
  ...FRAMING,
  ...SIZES,
  ...REPEATED,
  ...ROUTING,
  ...PROTOCOLS,
  ...CONNECTIONS,
];
