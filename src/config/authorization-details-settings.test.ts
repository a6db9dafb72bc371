import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNTS, PAYMENT } from '../testing/authorization-details.ts';
import { loadSettings } from './load-settings.ts';
import { SettingsError } from './settings-error.ts';

const PATH = 'authorization-details.types';

function loaded(types: readonly object[]): unknown {
  const environment = { CHANCERY_AUTHORIZATION_DETAILS_TYPES: JSON.stringify(types) };
  return loadSettings({ mode: 'development', environment })[PATH];
}

/** Without the common beginning. */
function problemsOf(...types: readonly object[]): readonly string[] {
  try {
    loaded(types);
  } catch (failure) {
    assert.ok(failure instanceof SettingsError, String(failure));
    return failure.problems.map(({ path, rule }) => `${path.slice(PATH.length)}: ${rule}`);
  }
  return [];
}

// proves rfc9396-2-2
test('types with a schema, words and narrowable members are taken as they are written; without a setting there are none (RFC 9396 §2)', () => {
  assert.deepEqual(loaded([PAYMENT, ACCOUNTS]), [PAYMENT, ACCOUNTS]);
  assert.deepEqual(loadSettings({ mode: 'development', environment: {} })[PATH], []);
});

const REFUSED: readonly (readonly [what: string, change: object, problem: RegExp])[] = [
  ['no type', { type: undefined }, /^\[0\]\.type: must be 1 to 128 ASCII characters/],
  ['a type with a space', { type: 'a b' }, /^\[0\]\.type: must be 1 to 128 ASCII/],
  ['no schema', { schema: undefined }, /^\[0\]\.schema: must be a JSON Schema object/],
  [
    'a misspelt keyword',
    { schema: { properties: { actions: { itms: {} } } } },
    /^\[0\]\.schema\.properties\.actions\.itms: is a keyword that this server does not know/,
  ],
  ['words without English', { consent: { de: 'zahlen' } }, /^\[0\]\.consent: must have a text in en/],
  [
    'words with an open brace',
    { consent: { en: 'pay {amount' } },
    /^\[0\]\.consent\.en: must be a text of at most/,
  ],
  [
    'words with a member that the schema does not have',
    { consent: { en: 'pay {instructedAmont.amount}' } },
    /^\[0\]: must name members in its texts that the properties of its schema have/,
  ],
  ['an unknown key', { words: {} }, /^\[0\]\.words: /],
];

for (const [what, change, problem] of REFUSED)
  test(`a type of authorisation details with ${what} stops the start`, () => {
    const [first, ...others] = problemsOf({ ...PAYMENT, ...change });
    assert.match(first ?? '', problem);
    assert.deepEqual(others, []);
  });

// proves rfc9396-2-3
test('two types of one name stop the start: no collision between types (RFC 9396 §2)', () => {
  assert.deepEqual(problemsOf(ACCOUNTS, ACCOUNTS), [': must not name a type twice']);
});
