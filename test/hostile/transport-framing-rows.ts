import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import type { Row } from './transport-row.ts';
import { assertAbsent, assertPresent, closing, form, get, HOST, post } from './transport-row.ts';

/** H-001…H-008, H-035, H-037, H-038: how a message is framed, and how large it is. */
export const FRAMING: readonly Row[] = [
  {
    ...closing('H-001 no Host', 'GET /jwks.json HTTP/1.1\r\n\r\n'),
    check: ({ text }) => assertPresent(text, '{"error":"invalid_request","error_description":"'),
  },
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

export const SIZES: readonly Row[] = [
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
  closing(
    'H-035 100-continue where nothing is: the body may follow or not, so nothing else can',
    post('/nothing', 'Content-Length: 7\r\nExpect: 100-continue\r\n'),
    [404],
  ),
  closing('H-035 unknown expectation', form('Content-Length: 3\r\nExpect: foo\r\n', 'a=b'), [417]),
  {
    name: 'a body far over the limit by Content-Length: the client reads its 413, and no reset',
    send: ({ limits }) => [
      form(`Content-Length: ${limits.body_bytes * 12}\r\n`, 'a'.repeat(limits.body_bytes * 12)),
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
        { length: Math.ceil(limits.body_bytes / 4_096) * 3 },
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
