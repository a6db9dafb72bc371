import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MalformedDer, readDer, readInside, readObjectIdentifier, readText } from './der.ts';

const octets = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

test('elements stand one after the other, each with its octets (X.690 §8.1)', () => {
  const [first, second, ...more] = readDer(octets('0201 05 3003 0101ff'));
  assert.deepEqual(more, []);
  assert.equal(first?.tag, 0x02);
  assert.equal(Buffer.from(second?.encoded ?? []).toString('hex'), '30030101ff');
  assert.equal(readInside(second, 0x30)[0]?.tag, 0x01);
  assert.deepEqual(readDer(octets('')), []);
});

test('long lengths: 128 octets and more (X.690 §8.1.3.5)', () => {
  assert.equal(readDer(Buffer.concat([octets('048180'), Buffer.alloc(128)]))[0]?.content.length, 128);
  assert.equal(readDer(Buffer.concat([octets('04820100'), Buffer.alloc(256)]))[0]?.content.length, 256);
});

const MALFORMED = {
  'cut off in its tag': '30',
  'cut off in its length': '3082 01',
  'cut off in its content': '0402 05',
  'of indefinite length': '3080 0000',
  'with a length of one octet too many': '048101 05',
  'with a zero in front of its length': '04820080',
  'with a length that no memory holds': '04 84 ffffffff',
  'with a tag of several octets': '1f8101 00',
};

for (const [what, hex] of Object.entries(MALFORMED)) {
  test(`an element ${what} is not DER (X.690 §8.1, §10.1)`, () => {
    assert.throws(() => readDer(octets(hex)), MalformedDer);
  });
}

test('object identifiers, as X.690 §8.19 encodes them', () => {
  const identifier = (hex: string): string => readObjectIdentifier(readDer(octets(hex))[0]);
  assert.equal(identifier('0603 550403'), '2.5.4.3');
  assert.equal(identifier('0603 883703'), '2.999.3');
  assert.equal(identifier('060a 0992268993f22c640101'), '0.9.2342.19200300.100.1.1');
  for (const malformed of ['0600', '0602 5580', '0603 558003', '0203 550403', '0601 80']) {
    assert.throws(() => identifier(malformed), MalformedDer, malformed);
  }
});

test('text: each kind of string within its own alphabet, and nothing is left out (X.680 §41)', () => {
  const text = (tag: number, hex: string): string | undefined => readText({ tag, content: octets(hex) });
  assert.equal(text(0x0c, 'c3a9'), 'é');
  assert.equal(text(0x0c, 'efbbbf 61'), '\ufeffa');
  assert.equal(text(0x0c, '6100 62'), 'a\0b');
  assert.equal(text(0x1e, '00e9'), 'é');
  assert.equal(text(0x1c, '0001f600'), '😀');
  assert.equal(text(0x13, '61'), 'a');
  assert.equal(text(0x12, '3120'), '1 ');
  for (const [tag, hex] of [
    [0x0c, 'ff'],
    [0x0c, 'eda080'],
    [0x1e, '00'],
    [0x1e, 'd800'],
    [0x1c, '00110000'],
    [0x1c, '0000d800'],
    [0x13, '40'],
    [0x12, '61'],
    [0x16, 'e9'],
    [0x1a, '0a'],
    [0x14, '61'],
    [0x04, '61'],
  ] as const) {
    assert.equal(text(tag, hex), undefined, `${tag} ${hex}`);
  }
});
