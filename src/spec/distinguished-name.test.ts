import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Attribute, distinguishedName } from '../../test/tls/certificate.ts';
import { readDer } from './der.ts';
import { parseName, readName, sameName } from './distinguished-name.ts';

const CN = '2.5.4.3';
const O = '2.5.4.10';
const OU = '2.5.4.11';
const DC = '0.9.2342.19200300.100.1.25';
const PRINTABLE = 0x13;
const BMP = 0x1e;
const T61 = 0x14;

type Parts = readonly (readonly Attribute[])[];

function matches(registered: string, certified: Parts): boolean {
  const expected = parseName(registered);
  assert.ok(expected !== undefined, `${registered} is a name`);
  return sameName(expected, readName(readDer(distinguishedName(certified))[0]));
}

const SAME: readonly (readonly [text: string, name: Parts])[] = [
  ['CN=a', [[[CN, 'a']]]],
  // RFC 4514 §4, the examples.
  [
    'UID=jsmith,DC=example,DC=net',
    [[[DC, 'net']], [[DC, 'example']], [['0.9.2342.19200300.100.1.1', 'jsmith']]],
  ],
  [
    'OU=Sales+CN=J.  Smith,DC=example,DC=net',
    [
      [[DC, 'net']],
      [[DC, 'example']],
      [
        [OU, 'Sales'],
        [CN, 'J.  Smith'],
      ],
    ],
  ],
  ['CN=James \\"Jim\\" Smith\\, III,DC=net', [[[DC, 'net']], [[CN, 'James "Jim" Smith, III']]]],
  ['CN=Before\\0dAfter,DC=net', [[[DC, 'net']], [[CN, 'Before\rAfter']]]],
  ['1.3.6.1.4.1.1466.0=#04024869', [[['1.3.6.1.4.1.1466.0', 'Hi', 0x04]]]],
  ['CN=Lu\\C4\\8Di\\C4\\87', [[[CN, 'Lučić']]]],
  // Equivalent escapes, kinds of string and spellings of a type.
  ['CN=Lučić', [[[CN, 'Lučić']]]],
  ['CN=a\\,b', [[[CN, 'a,b']]]],
  ['CN=a\\2cb', [[[CN, 'a,b']]]],
  ['CN=\\#a\\+\\=\\\\', [[[CN, '#a+=\\']]]],
  ['CN=\\ a\\ ', [[[CN, ' a ']]]],
  ['commonName = a , 2.5.4.10 = b', [[[O, 'b']], [[CN, 'a']]]],
  ['CN=a', [[[CN, 'a', PRINTABLE]]]],
  ['CN=a', [[[CN, Uint8Array.of(0, 0x61), BMP]]]],
  ['CN=#0c0161', [[[CN, 'a']]]],
  [
    'O=b+CN=a',
    [
      [
        [CN, 'a'],
        [O, 'b'],
      ],
    ],
  ],
  ['CN=', [[[CN, '']]]],
];

for (const [text, name] of SAME) {
  // proves rfc8705-2.1.2-2
  test(`${JSON.stringify(text)} is the name of its certificate (RFC 4514 §2, §3)`, () => {
    assert.equal(matches(text, name), true);
  });
}

const DIFFERENT: readonly (readonly [what: string, text: string, name: Parts])[] = [
  ['a comma in a value is no separator', 'CN=a,O=b', [[[CN, 'a,O=b']]]],
  ['an escaped comma is no separator', 'CN=a\\,O\\=b', [[[O, 'b']], [[CN, 'a']]]],
  ['another order', 'CN=a,O=b', [[[CN, 'a']], [[O, 'b']]]],
  [
    'two parts are not one part of two attributes',
    'CN=a,O=b',
    [
      [
        [O, 'b'],
        [CN, 'a'],
      ],
    ],
  ],
  ['one part of two attributes is not two parts', 'CN=a+O=b', [[[O, 'b']], [[CN, 'a']]]],
  ['a part more', 'CN=a', [[[O, 'b']], [[CN, 'a']]]],
  ['a part less', 'CN=a,O=b', [[[CN, 'a']]]],
  [
    'an attribute more in a part',
    'CN=a',
    [
      [
        [CN, 'a'],
        [O, 'b'],
      ],
    ],
  ],
  [
    'the same attribute twice',
    'CN=a+CN=b',
    [
      [
        [CN, 'a'],
        [CN, 'a'],
      ],
    ],
  ],
  ['a NUL and more', 'CN=a', [[[CN, 'a\0.evil.example']]]],
  ['a NUL at the end', 'CN=a', [[[CN, 'a\0']]]],
  ['another case', 'CN=client', [[[CN, 'Client']]]],
  ['a Cyrillic look-alike', 'CN=client', [[[CN, 'сlient']]]],
  ['a full-width look-alike', 'CN=client', [[[CN, 'ｃlient']]]],
  ['a decomposed letter', 'CN=\u00e9', [[[CN, 'e\u0301']]]],
  ['spaces around', 'CN=a', [[[CN, ' a ']]]],
  ['a run of spaces', 'CN=a b', [[[CN, 'a  b']]]],
  ['a zero-width space', 'CN=ab', [[[CN, 'a\u200bb']]]],
  ['another type of attribute', 'CN=a', [[[OU, 'a']]]],
  ['T61String, whose octets mean different things to different people', 'CN=a', [[[CN, 'a', T61]]]],
  ['an octet that PrintableString does not have', 'CN=a*', [[[CN, 'a*', PRINTABLE]]]],
  ['UTF-8 that is none', 'CN=a', [[[CN, Uint8Array.of(0x61, 0xff)]]]],
  ['an overlong NUL', 'CN=a', [[[CN, Uint8Array.of(0x61, 0xc0, 0x80)]]]],
  ['nothing at all', 'CN=a', []],
];

for (const [what, text, name] of DIFFERENT) {
  // proves rfc8705-2.1.2-2, rfc8705-7.4-1
  test(`${what}: another name (RFC 8705 §7.4)`, () => assert.equal(matches(text, name), false));
}

const NO_NAMES = [
  '',
  ',',
  'a',
  '=a',
  'CN',
  'CN=a,',
  ',CN=a',
  'CN=a,,O=b',
  'CN=a+',
  'XX=a',
  'CN="a"',
  'CN=a;O=b',
];
const BAD_ESCAPES = [
  'CN=a\\',
  'CN=\\q',
  'CN=\\ff',
  'CN=\\c0\\80',
  'CN=\\00',
  'CN=#',
  'CN=#0',
  'CN=#xx',
  'CN=<a>',
];
const BAD_TYPES = ['2.5.4.03=a', '2..5=a', '2.5.4.=a', '/CN=a', 'CN=a/O=b,', 'OID.2.5.4.3=a', '__proto__=a'];

for (const text of [...NO_NAMES, ...BAD_ESCAPES, ...BAD_TYPES]) {
  test(`${JSON.stringify(text)} is no name (RFC 4514 §3)`, () => assert.equal(parseName(text), undefined));
}
