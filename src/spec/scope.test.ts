import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScopeToken, memberOf, parseScope } from './scope.ts';

test('a scope token is made of %x21 / %x23-5B / %x5D-7E, each of them and no other (RFC 6749 §3.3)', () => {
  for (let code = 0; code < 0x180; code += 1) {
    const allowed = code >= 0x21 && code <= 0x7e && code !== 0x22 && code !== 0x5c;
    assert.equal(isScopeToken(`a${String.fromCodePoint(code)}`), allowed, `U+${code.toString(16)}`);
  }
  assert.equal(isScopeToken(''), false);
  assert.equal(isScopeToken('a\n'), false);
});

const ROWS: readonly (readonly [text: string, values: readonly string[] | undefined])[] = [
  ['', []],
  ['openid', ['openid']],
  ['b a', ['b', 'a']],
  ['a b a', ['a', 'b']],
  ['https://op.example/token/introspect', ['https://op.example/token/introspect']],
  [' ', undefined],
  ['a ', ['a']],
  [' a', ['a']],
  ['a  b', ['a', 'b']],
  ['a\tb', undefined],
  ['a"b', undefined],
  ['é', undefined],
];

test('H-252 memberOf knows the words of short and of long lists', () => {
  for (const length of [0, 1, 16, 17, 5_000]) {
    const words = Array.from({ length }, (_, index) => `w${index}`);
    const isMember = memberOf(words);
    assert.ok(words.every(isMember));
    assert.equal(isMember(`w${length}`), false);
    assert.equal(isMember('constructor'), false);
  }
});

for (const [text, values] of ROWS) {
  test(`scope "${text}" holds ${JSON.stringify(values)} (RFC 6749 §3.3)`, () => {
    assert.deepEqual(parseScope(text), values);
  });
}
