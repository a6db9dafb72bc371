import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asciiText, formDecode, percentDecode, utf8Text } from './percent-encoding.ts';

const ROWS: readonly (readonly [text: string, decoded: string | undefined])[] = [
  ['', ''],
  ['abc', 'abc'],
  ['a+b', 'a+b'],
  ['%41%7a', 'Az'],
  ['%E2%82%AC', '€'],
  ['%f0%9f%a6%8a', '🦊'],
  ['%2541', '%41'],
  ['%', undefined],
  ['%4', undefined],
  ['%zz', undefined],
  ['%-1', undefined],
  ['%FF', undefined],
  ['%C0%80', undefined],
  ['%ED%A0%80', undefined],
  ['%F4%90%80%80', undefined],
  ['%E2%82', undefined],
  ['a%00', undefined],
  ['a\u0000', undefined],
];

for (const [text, decoded] of ROWS) {
  test(`${JSON.stringify(text)} decodes to ${JSON.stringify(decoded)}, once and strictly (RFC 3986 §2.1)`, () => {
    assert.equal(percentDecode(text), decoded);
  });
}

test('in a form a plus sign is a space, an escaped one is a plus sign (WHATWG URL §5.1)', () => {
  assert.equal(formDecode('a+b%2B%20c'), 'a b+ c');
  assert.equal(formDecode('+'), ' ');
  assert.equal(formDecode('%+'), undefined);
});

test('bytes are text only where they are ASCII, or UTF-8 where that is asked for (RFC 3629 §3)', () => {
  assert.equal(asciiText(Buffer.from('a\u007f\u0000')), 'a\u007f\u0000');
  assert.equal(asciiText(Buffer.from('é')), undefined);
  assert.equal(utf8Text(Buffer.from('é🦊')), 'é🦊');
  assert.equal(utf8Text(Buffer.from([0xef, 0xbb, 0xbf, 0x61])), '\ufeffa');
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf4, 0x90, 0x80, 0x80]]) {
    assert.equal(utf8Text(Buffer.from(bytes)), undefined);
  }
});

test('only the bytes of the view are read, not the buffer behind it', () => {
  const buffer = Buffer.from('secret=1&a=2');
  assert.equal(asciiText(buffer.subarray(9)), 'a=2');
});
