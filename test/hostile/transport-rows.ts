import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import type { Conversation, Expectation, Part } from '../program/raw-socket.ts';

/** What the rows need to know of the server they are sent to. */
export interface TransportTarget {
  readonly host: string;
  readonly port: number;
  /** An `Authorization` value that may read `GET /clients`. */
  readonly authorization: string;
  /** Answers 200 while the process is well. */
  readonly health: { readonly host: string; readonly port: number; readonly path: string };
  readonly limits: { readonly body_bytes: number; readonly header_bytes: number };
  readonly times: { readonly headers_ms: number; readonly request_ms: number; readonly check_ms: number };
  readonly maxConnections: number;
}

/** One row of the hostile-input catalogue, section 2.1. */
export interface Row extends Expectation {
  /** Its number and what is sent. */
  readonly name: string;
  readonly send: readonly Part[] | ((target: TransportTarget) => readonly Part[]);
  /** The final statuses allowed for the first answer; 0 stands for a connection closed without one. */
  readonly status: readonly number[];
  /** The server ends the connection. */
  readonly closes?: boolean;
  readonly check?: (conversation: Conversation, target: TransportTarget) => void;
}

const HOST = 'Host: h.test\r\n';

export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;
}

export function post(path: string, headers: string, body = ''): string {
  return `POST ${path} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
}

function form(headers: string, body = ''): string {
  return post('/token/introspect', `Content-Type: application/x-www-form-urlencoded\r\n${headers}`, body);
}

function closing(name: string, send: string | Buffer, status: readonly number[] = [400]): Row {
  return { name, send: [send], status, closes: true, until: 'closed' };
}

const FRAMING: readonly Row[] = [
  closing('H-001 no Host', 'GET /jwks.json HTTP/1.1\r\n\r\n'),
  closing('H-001 empty Host', 'GET /jwks.json HTTP/1.1\r\nHost:\r\n\r\n'),
  closing('H-002 two Hosts', get('/jwks.json', 'Host: other.test\r\n')),
  closing('H-003 both framings', form('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')),
  ...[
    '3\r\nContent-Length: 3',
    '3\r\nContent-Length: 4',
    '-1',
    '99999999999999999999',
    '+5',
    '0x5',
    '3, 3',
  ].map((value) =>
    closing(`H-004 Content-Length ${JSON.stringify(value)}`, form(`Content-Length: ${value}\r\n`, 'a=b')),
  ),
  ...[
    'xchunked',
    'chunked, identity',
    'chunked, chunked',
    'identity',
    'chunked\r\nTransfer-Encoding: chunked',
    'gzip, chunked',
  ].map((value) =>
    closing(
      `H-005 Transfer-Encoding ${JSON.stringify(value)}`,
      form(`Transfer-Encoding: ${value}\r\n`, '0\r\n\r\n'),
    ),
  ),
  closing(
    'H-005 transfer coding in HTTP/1.0',
    'POST /clients HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  ),
  closing('H-006 obs-fold', get('/jwks.json', 'X-A: b\r\n c\r\n')),
  closing('H-006 LF only', `GET /jwks.json HTTP/1.1\n${HOST.replace('\r', '')}\n`),
  closing('H-006 NUL in a header', get('/jwks.json', 'X-A: b\0c\r\n')),
  closing('H-006 space before the colon', get('/jwks.json', 'X-A : b\r\n')),
  closing('H-006 bare CR', get('/jwks.json', 'X-A: b\rc\r\n')),
];

const SIZES: readonly Row[] = [
  closing('H-007 a header over the limit', get('/jwks.json', `X-A: ${'a'.repeat(17_000)}\r\n`), [431]),
  closing('H-007 a target over the limit', get(`/jwks.json?${'a'.repeat(17_000)}`), [414, 431]),
  closing('H-008 1,400 small headers', get('/jwks.json', 'X-Abcdefgh: b\r\n'.repeat(1_400)), [431]),
  {
    name: 'H-035 100-continue with a body over the limit',
    send: ({ limits }) => [form(`Content-Length: ${limits.body_bytes + 1}\r\nExpect: 100-continue\r\n`)],
    status: [413],
    closes: true,
    until: 'closed',
    check: ({ text }) => assertAbsent(text, ' 100 Continue'),
  },
  {
    name: 'H-035 100-continue with a small body: 100, then the answer',
    send: [form('Content-Length: 7\r\nExpect: 100-continue\r\n'), { wait_ms: 20 }, 'token=a'],
    status: [401],
    check: ({ text }) => assertPresent(text, 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 401 '),
  },
  closing('H-035 unknown expectation', form('Content-Length: 3\r\nExpect: foo\r\n', 'a=b'), [417]),
  {
    name: 'a body over the limit by Content-Length',
    send: ({ limits }) => [
      form(`Content-Length: ${limits.body_bytes + 1}\r\n`, 'a'.repeat(limits.body_bytes + 1)),
    ],
    status: [413],
    closes: true,
    until: 'closed',
  },
  {
    name: 'a chunked body over the limit: 413, though its length was never told',
    send: ({ limits }) => [
      form('Transfer-Encoding: chunked\r\n'),
      ...Array.from(
        { length: Math.ceil(limits.body_bytes / 4_096) + 1 },
        () => `1000\r\n${'a'.repeat(4_096)}\r\n`,
      ),
    ],
    status: [413],
  },
  ...['gzip', 'br', 'zstd', 'deflate', 'identity, gzip'].map((coding) => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const head = form(`Content-Encoding: ${coding}\r\nContent-Length: ${bomb.length}\r\n`);
    return { name: `H-037 Content-Encoding ${coding}`, send: [head, bomb], status: [400] };
  }),
  closing(
    'H-038 20 KB chunk extension',
    form('Transfer-Encoding: chunked\r\n', `3;${'a'.repeat(20_000)}\r\na=b\r\n0\r\n\r\n`),
    [400, 413],
  ),
  {
    name: 'H-038 a trailer is no header',
    send: ({ authorization }) => [
      form(
        'Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n',
        `3\r\na=b\r\n0\r\nAuthorization: ${authorization}\r\n\r\n`,
      ),
    ],
    status: [401],
  },
];

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
  '/',
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

const ROUTING: readonly Row[] = [
  ...['http://evil.test/clients', 'http://h.test/jwks.json', 'https://h.test/', 'evil.test:443'].map(
    (target): Row => ({ name: `H-021 absolute form ${target}`, send: [get(target)], status: [400] }),
  ),
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
    name: 'rubbish after a whole request: its answer stays its own',
    send: [`${get('/jwks.json')}\0\0\0\r\n\r\n`],
    status: [200],
    closes: true,
    until: 'closed',
  },
  closing(
    'a body longer than Content-Length says',
    form('Content-Length: 3\r\n', `a=b${'x'.repeat(200)}`),
    [401],
  ),
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

function assertPresent(text: string, expected: string): void {
  if (!text.includes(expected)) throw new Error(`${JSON.stringify(expected)} is missing in ${text}`);
}

function assertAbsent(text: string, unwanted: string): void {
  if (text.includes(unwanted)) throw new Error(`${JSON.stringify(unwanted)} stands in ${text}`);
}

function assertEmpty({ answers }: Conversation): void {
  if (answers[0]?.body !== '') throw new Error(`an unknown path has a body: ${answers[0]?.body}`);
}

export const ROWS: readonly Row[] = [
  ...FRAMING,
  ...SIZES,
  ...REPEATED,
  ...ROUTING,
  ...PROTOCOLS,
  ...CONNECTIONS,
];
