import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookUpLanguage, preferredLanguages } from './languages.ts';

const AVAILABLE = ['en', 'de', 'fr', 'es'] as const;

const ROWS: readonly (readonly [
  ui_locales: string | undefined,
  accept: string | undefined,
  found: string,
])[] = [
  [undefined, undefined, 'en'],
  ['de', undefined, 'de'],
  ['fr-CA fr en', undefined, 'fr'],
  ['pt es', 'de', 'es'],
  ['pt', 'de;q=0.5, fr', 'fr'],
  [undefined, 'de;q=0.5, fr;q=0.4, es;q=0.9', 'es'],
  [undefined, 'de;q=0, fr;q=0.1', 'fr'],
  [undefined, 'DE-ch-1996', 'de'],
  ['../../etc/passwd constructor __proto__ toString', undefined, 'en'],
  [undefined, '*', 'en'],
  [undefined, 'de;q=abc, fr', 'fr'],
];

for (const [ui_locales, accept, found] of ROWS) {
  test(`ui_locales ${ui_locales}, Accept-Language ${accept}: ${found} (RFC 4647 §3.4)`, () => {
    assert.equal(lookUpLanguage(preferredLanguages(ui_locales, accept), AVAILABLE), found);
  });
}

test('ui_locales with 10,000 tags: ten are looked at (H-182)', () => {
  assert.equal(preferredLanguages('xx '.repeat(10_000), 'de').length, 10);
});
