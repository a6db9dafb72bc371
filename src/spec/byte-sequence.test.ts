import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseByteSequence, parseByteSequences } from './byte-sequence.ts';

const text = (octets: Uint8Array | undefined): string | undefined => octets && Buffer.from(octets).toString();

// proves rfc9440-2.1-1
test('a byte sequence is base64 between colons, with padding or without (RFC 8941 §3.3.5, §4.2.7)', () => {
  assert.equal(
    text(parseByteSequence(':cHJldGVuZCB0aGlzIGlzIGJpbmFyeSBjb250ZW50Lg==:')),
    'pretend this is binary content.',
  );
  assert.equal(text(parseByteSequence(' :YQ: ')), 'a');
  assert.equal(text(parseByteSequence('::')), '');
});

for (const field of [
  '',
  'YQ==',
  ':YQ==',
  'YQ==:',
  ':Y Q=:',
  ':YQ==: x',
  ':YQ==:;a=1',
  ':YQ==:, :YQ==:',
  '"YQ=="',
]) {
  // proves rfc9440-2.1-1
  test(`${JSON.stringify(field)} is no byte sequence (RFC 8941 §4.2.7)`, () => {
    assert.equal(parseByteSequence(field), undefined);
  });
}

for (const field of [':_-8=:', ':YQ=a:', ':=:', ':Y:', ':YQ===:', ':YR==:', ':YQ==\n:', ':\u00e9:']) {
  test(`${JSON.stringify(field)} is not canonical base64 (RFC 4648 §3.5)`, () => {
    assert.equal(parseByteSequence(field), undefined);
  });
}

// proves rfc9440-2.3-1
test('a list of byte sequences: all of them or nothing (RFC 8941 §4.2.1)', () => {
  assert.deepEqual(parseByteSequences(':YQ==:,\t:Yg==: , :Yw==:')?.map(text), ['a', 'b', 'c']);
  assert.deepEqual(parseByteSequences(':YQ==:')?.map(text), ['a']);
  for (const field of [
    '',
    ':YQ==:,',
    ',:YQ==:',
    ':YQ==:,,:YQ==:',
    ':YQ==: :YQ==:',
    ':YQ==:, b',
    ':YQ==:;q=1',
  ]) {
    assert.equal(parseByteSequences(field), undefined, field);
  }
});
