import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientIdFromSegment, IDENTIFIER_LENGTHS } from './identifiers.ts';

const ROWS: readonly (readonly [segment: string, id: string | undefined])[] = [
  ['abc', 'abc'],
  ['a+b', 'a+b'],
  ['https%3A%2F%2Frp.example%2F', 'https://rp.example/'],
  ['%2561', '%61'],
  ['', ''],
  ['%', undefined],
  ['%FF', undefined],
  ['%00', undefined],
  ['x'.repeat(512), 'x'.repeat(512)],
  ['x'.repeat(513), undefined],
  ['%78'.repeat(512), 'x'.repeat(512)],
  ['%78'.repeat(513), undefined],
];

for (const [segment, id] of ROWS) {
  test(`the segment ${segment.slice(0, 30)} names ${String(id).slice(0, 30)}, decoded exactly once (decision 2)`, () => {
    assert.equal(clientIdFromSegment(segment), id);
  });
}

test('every secret identifier holds at least 256 bits at 5.95 bits a character (decision 15)', () => {
  const { client_secret, registration_access_token, access_token } = IDENTIFIER_LENGTHS;
  for (const length of [client_secret, registration_access_token, access_token]) {
    assert.ok(length * Math.log2(62) >= 256);
  }
});
