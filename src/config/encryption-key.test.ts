import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encryptionKey, keyAsHex } from './encryption-key.ts';

// 32 bytes whose base64 has both characters that base64url writes differently.
const BYTES = Buffer.from('fbff'.padEnd(64, '0123456789abcdef'), 'hex');
const HEX = BYTES.toString('hex');
const OTHER = '0123456789abcdef'.repeat(4);

test('a key may be hex of any case, base64 with or without padding, or base64url', () => {
  assert.equal(keyAsHex(HEX), HEX);
  assert.equal(keyAsHex(HEX.toUpperCase()), HEX);
  assert.equal(keyAsHex(BYTES.toString('base64')), HEX);
  assert.equal(keyAsHex(BYTES.toString('base64').replace('=', '')), HEX);
  assert.equal(keyAsHex(BYTES.toString('base64url')), HEX);
});

const REFUSED: Readonly<Record<string, string>> = {
  nothing: '',
  'hex of 31 bytes': HEX.slice(2),
  'hex of 33 bytes': `${HEX}00`,
  'hex with another letter': `${HEX.slice(1)}g`,
  'base64 of 31 bytes': BYTES.subarray(1).toString('base64'),
  'base64 of 33 bytes': Buffer.concat([BYTES, BYTES.subarray(1, 2)]).toString('base64'),
  'base64 whose last bits are lost in decoding': `${BYTES.toString('base64url').slice(0, 42)}_`,
  'a passphrase': 'correct horse battery staple, which has 43 ch',
};

for (const [what, text] of Object.entries(REFUSED)) {
  test(`${what} is no key`, () => {
    assert.equal(keyAsHex(text), undefined);
  });
}

test('a ring keeps its order, whether it is a list or a text with commas or line ends', () => {
  for (const ring of [`${HEX},${OTHER}`, `${HEX} , ${OTHER},`, `${HEX}\r\n${OTHER}\n`, [HEX, OTHER]]) {
    assert.deepEqual(encryptionKey.schema.parse(ring), [HEX, OTHER]);
  }
});

test('a ring is refused when it is empty, holds a key twice or in two spellings, or a bad key', () => {
  const rings = [
    '',
    ',',
    [],
    `${HEX},${HEX}`,
    `${HEX},${BYTES.toString('base64')}`,
    `${HEX},x`,
    [HEX, 1],
    7,
    null,
  ];
  for (const ring of rings)
    assert.equal(encryptionKey.schema.safeParse(ring).success, false, JSON.stringify(ring));
});
