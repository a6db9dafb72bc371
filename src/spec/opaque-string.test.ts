import assert from 'node:assert/strict';
import { test } from 'node:test';
import { opaqueString } from './opaque-string.ts';

const PREPARED: readonly (readonly [string, string, string])[] = [
  ['a letter and its accent are composed', 'e\u0301', 'é'],
  ['a space of another kind is a space', 'correct\u00a0horse\u3000battery', 'correct horse battery'],
  ['spaces at both ends stay', ' a ', ' a '],
  ['case stays', 'aB', 'aB'],
  ['fullwidth letters stay (width is not mapped)', 'ａ', 'ａ'],
  ['compatibility characters stay (no NFKC)', 'ﬃ', 'ﬃ'],
  ['an emoji is a symbol', '🦊', '🦊'],
  ['a zero-width joiner in a word stays', 'क्\u200dष', 'क्\u200dष'],
];

for (const [what, text, prepared] of PREPARED) {
  test(`OpaqueString: ${what} (RFC 8265 §4.2)`, () => {
    assert.equal(opaqueString(text), prepared);
    assert.equal(opaqueString(prepared), prepared);
  });
}

test('OpaqueString keeps 30 combining marks in a row (UAX 15, Stream-Safe Text Format)', () => {
  assert.equal(opaqueString(`q${'\u0301'.repeat(30)}`)?.length, 31);
});

const REFUSED: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['NUL', 'pass\0word'],
  ['a tab', 'pass\tword'],
  ['DEL', 'pass\u007fword'],
  ['a line separator', 'pass\u2028word'],
  ['a lone surrogate', 'pass\udfffword'],
  ['a noncharacter', 'pass\uffffword'],
  ['an unassigned code point', 'pass\u0378word'],
  ['a private-use character', 'pass\uf8ffword'],
  ['a zero-width space', 'pass\u200bword'],
  ['a zero-width joiner between nothing', '\u200d\u200d'],
  ['a direction override', 'pass\u202eword'],
  ['31 combining marks in a row (H-251)', `pass\u0061${'\u0301'.repeat(31)}`],
];

for (const [what, text] of REFUSED) {
  test(`OpaqueString refuses ${what} (RFC 8264 §4.3)`, () => {
    assert.equal(opaqueString(text), undefined);
  });
}
