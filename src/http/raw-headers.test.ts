import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHeaders } from './raw-headers.ts';

const HOST = ['Host', 'op.test'];

function accepted(
  rawHeaders: readonly string[],
  httpVersion = '1.1',
): Readonly<Record<string, string | undefined>> {
  const headers = readHeaders(rawHeaders, httpVersion);
  if (typeof headers === 'string') assert.fail(headers);
  return headers;
}

function refused(rawHeaders: readonly string[], httpVersion = '1.1'): string {
  const reason = readHeaders(rawHeaders, httpVersion);
  return typeof reason === 'string' ? reason : assert.fail('not refused');
}

test('names are in lower case, values as they were sent', () => {
  const headers = accepted([...HOST, 'AUTHORIZATION', 'bEaReR Ab', 'Content-Length', '7']);
  assert.deepEqual({ ...headers }, { host: 'op.test', authorization: 'bEaReR Ab', 'content-length': '7' });
});

test('a header named like a member of Object.prototype is an ordinary header, and undefined if absent (H-009)', () => {
  const headers = accepted([...HOST, '__proto__', 'x']);
  assert.equal(headers['__proto__'], 'x');
  assert.equal(headers['constructor'], undefined);
  assert.equal(Object.getPrototypeOf(headers), null);
});

for (const name of [
  'Host',
  'Authorization',
  'Content-Type',
  'Content-Length',
  'Content-Encoding',
  'Transfer-Encoding',
  'Expect',
  'Issuer',
  'Tenant-ID',
  'Origin',
  'Cookie',
]) {
  test(`${name} twice is refused, even with one value and two spellings; the reason names no value (H-010)`, () => {
    const reason = refused([...HOST, name, 'sesame', name.toUpperCase(), 'sesame']);
    assert.match(reason, new RegExp(name, 'i'));
    assert.doesNotMatch(reason, /sesame|["\\]/);
  });
}

test('a list header that comes twice is joined (RFC 9110 §5.3)', () => {
  assert.equal(accepted([...HOST, 'Accept', 'a/b', 'accept', 'c/d'])['accept'], 'a/b, c/d');
});

test('a repeated header is refused also if a value is empty', () => {
  assert.equal(
    typeof readHeaders([...HOST, 'Authorization', '', 'Authorization', 'Bearer a'], '1.1'),
    'string',
  );
});

test('HTTP/1.1 needs a Host, HTTP/1.0 does not, HTTP/0.9 is refused (RFC 9112 §3.2)', () => {
  assert.match(refused([]), /host is missing/);
  assert.match(refused(['Host', '']), /host is missing/);
  assert.deepEqual({ ...accepted([], '1.0') }, {});
  assert.match(refused(HOST, '0.9'), /version/);
});

test('`chunked` is the only transfer coding, and HTTP/1.0 has none (RFC 9112 §6.1)', () => {
  assert.equal(accepted([...HOST, 'Transfer-Encoding', 'Chunked'])['transfer-encoding'], 'Chunked');
  for (const coding of ['identity', 'chunked, chunked', 'gzip, chunked', 'xchunked', '']) {
    assert.match(refused([...HOST, 'Transfer-Encoding', coding]), /coding/, coding);
  }
  assert.match(refused([...HOST, 'Transfer-Encoding', 'chunked'], '1.0'), /coding/);
});
