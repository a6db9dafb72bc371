import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../system/random.ts';
import { newUserCode, readUserCode } from './user-code.ts';

// proves rfc8628-6.1-1
test('user codes have eight letters without vowels and look-alikes, each equally likely (RFC 8628 §6.1)', () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 2000; index += 1) {
    const code = newUserCode(systemRandom);
    assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    for (const letter of code.replace('-', '')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  assert.equal(counts.size, 20);
  // 800 expected of each; six standard deviations are about 165.
  for (const [letter, count] of counts) assert.ok(Math.abs(count - 800) < 200, `${letter}: ${count}`);
});

test('a byte beyond the last whole multiple of 20 is not used: it would favour some letters (RFC 8628 §6.1)', () => {
  const bytes = [255, 240, 0, 19, 20, 239, 0, 0, 0, 0];
  const random = { alphanumeric: () => '', bytes: () => Uint8Array.of(bytes.shift() ?? 0) };
  assert.equal(newUserCode(random), 'BZBZ-BBBB');
});

test('a person may type small letters, spaces and other signs, or leave the hyphen out (RFC 8628 §6.1)', () => {
  for (const typed of ['WDJB-MJHT', 'wdjbmjht', ' wdjb mjht ', 'W.D.J.B-M.J.H.T'])
    assert.equal(readUserCode(typed), 'WDJB-MJHT', typed);
  for (const typed of ['', 'WDJB', 'WDJB-MJHTX', 'WDJA-MJHT', 'WDJB-MJH0', 'ẞẞẞẞ-ẞẞẞẞ'])
    assert.equal(readUserCode(typed), undefined, typed);
});
