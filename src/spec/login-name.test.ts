import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loginName } from './login-name.ts';

const EQUAL: readonly (readonly [string, string])[] = [
  ['Ada', 'ada'],
  ['ADA.Lovelace@Example.COM', 'ada.lovelace@example.com'],
  ['ａｄａ', 'ada'],
  ['ＡＤＡ', 'ada'],
  ['Zoë', 'zoë'],
  ['Zoe\u0308', 'zoë'],
  ['ﾊﾅ', 'ハナ'],
  ['ΣΟΦΟΣ', 'σοφος'],
  ['Straße', 'straße'],
  ['ИВАН', 'иван'],
  ['山田taro', '山田taro'],
  ['o’hara'.replace('’', "'"), "o'hara"],
];

for (const [typed, name] of EQUAL) {
  test(`${typed} is the name ${name} (RFC 8265 §3.3.2)`, () => {
    assert.equal(loginName(typed), name);
    assert.equal(loginName(name), name, 'the form is its own form');
  });
}

const REFUSED: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a space', 'ada lovelace'],
  ['an ideographic space', 'ada\u3000lovelace'],
  ['a no-break space', 'ada\u00a0lovelace'],
  ['NUL', 'ada\0'],
  ['a line break', 'ada\r\nSet-Cookie: a=b'],
  ['a control of C1', 'ada\u0085'],
  ['a lone surrogate', 'ada\ud800'],
  ['the replacement character, which decoders make of invalid UTF-8', 'ada\ufffd'],
  ['a zero-width space', 'a\u200bda'],
  ['a zero-width joiner', 'a\u200dda'],
  ['a soft hyphen', 'a\u00adda'],
  ['a right-to-left override', '\u202eada'],
  ['a byte order mark', '\ufeffada'],
  ['a leading combining mark', '\u0301ada'],
  ['a ligature', 'oﬃce'],
  ['a Roman numeral', 'henryⅧ'],
  ['an emoji', '🦊'],
  ['a private-use character', '\ue000'],
  ['an unassigned code point', '\u{e01ff}'],
  ['the Kelvin sign and a Cyrillic letter', '\u212aсемен'],
  ['a Cyrillic а among Latin letters', '\u0430dmin'],
  ['a Greek ο among Latin letters', 'r\u03bfot'],
  ['a Cyrillic letter among Greek ones', 'σοφ\u043eς'],
  ['an Armenian letter among Latin ones', '\u0570ome'],
  ['255 characters', 'a'.repeat(255)],
  ['31 combining marks in a row (H-251)', `q${'\u0301'.repeat(31)}`],
  ['a megabyte', 'a'.repeat(1 << 20)],
];

for (const [what, typed] of REFUSED) {
  test(`${what}: not a name (RFC 8265 §3.3, UTS 39 §5.2)`, () => {
    assert.equal(loginName(typed), undefined);
  });
}

test('254 characters are a name, also where each takes two code units', () => {
  assert.equal(loginName('a'.repeat(254))?.length, 254);
  assert.equal(loginName('𐐷'.repeat(10)), undefined, 'Deseret is not in daily use');
  assert.equal(loginName('𠮷'.repeat(254))?.length, 508);
});

test('the Kelvin sign is the letter k: one name, not two', () => {
  assert.equal(loginName('\u212aim'), 'kim');
});
