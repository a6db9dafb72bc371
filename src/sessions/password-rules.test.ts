import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoginName } from '../spec/identifiers.ts';
import { newPassword, preparedPassword } from './password-rules.ts';

const ADA = 'ada.lovelace' as LoginName;

const GOOD: readonly string[] = [
  'x7!kQ2mz',
  'correct horse battery staple',
  'nur Kleinbuchstaben',
  '84736251',
  '🦊🦊🦊🦊🦊🦊🦊🦊',
  'ä'.repeat(128),
];

for (const text of GOOD) {
  test(`${text.slice(0, 30)} is accepted: there is no rule about which characters a password has (NIST SP 800-63B §5.1.1.2)`, () => {
    assert.deepEqual(newPassword(text, ADA), { password: text });
    assert.equal(preparedPassword(text), text);
  });
}

const BAD: readonly (readonly [string, string, RegExp])[] = [
  ['seven characters', 'x7!kQ2m', /shorter than 8/],
  ['seven characters in fourteen code units', '🦊'.repeat(7), /shorter than 8/],
  ['seven letters in fourteen code points before NFC', 'e\u0301'.repeat(7), /shorter than 8/],
  ['129 characters', 'x'.repeat(129), /longer than 128/],
  ['a megabyte', 'x'.repeat(1 << 20), /longer than 128/],
  ['nothing', '', /empty/],
  ['NUL', 'correct\0horse', /control/],
  ['what a decoder makes no text of', 'correct\ud800horse', /control/],
  ['one of the commonest', 'Password123', /too common/],
  ['the name of the account', 'Ada.Lovelace', /name of the account/],
];

for (const [what, text, why] of BAD) {
  test(`${what} is refused as a password, and the message contains no part of it`, () => {
    const outcome = newPassword(text, ADA);
    assert.ok('refused' in outcome);
    assert.match(outcome.refused, why);
    if (text !== '') assert.ok(!outcome.refused.includes(text));
  });
}

test('a password typed on a machine that decomposes is the same password (RFC 8265 §4.2)', () => {
  assert.equal(preparedPassword('pa\u0308ssword one'), preparedPassword('p\u00e4ssword one'));
  assert.notEqual(preparedPassword('Correct'), preparedPassword('correct'));
});

test('short passwords of old hashes are still compared; texts above the maximum are not examined', () => {
  assert.equal(preparedPassword('short'), 'short');
  assert.equal(preparedPassword('x'.repeat(129)), undefined);
  assert.equal(preparedPassword('x'.repeat(1 << 20)), undefined);
});
