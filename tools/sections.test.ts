import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citedSections, misspelledCitations } from './sections.ts';

const cited = (text: string, home?: string): readonly string[] =>
  citedSections(text, home).map(({ specification, section }) => `${specification} §${section}`);

test('a section belongs to the specification before it, and a name may continue on the next line', () => {
  assert.deepEqual(
    cited('RFC 6749 §2.3.1, §3.2; RFC 7591 §3, and OpenID Connect\n * Core 1.0 §8.1 (JARM §2.1)'),
    ['RFC 6749 §2.3.1', 'RFC 6749 §3.2', 'RFC 7591 §3', 'OpenID Connect Core 1.0 §8.1', 'JARM §2.1'],
  );
  assert.deepEqual(cited('RFC 7592 Appendix B.'), ['RFC 7592 §B']);
});

test('a section without a name belongs to the home of its file, or to nothing', () => {
  assert.deepEqual(cited('§3.2 13', 'OpenID Federation 1.0'), ['OpenID Federation 1.0 §3.2']);
  assert.deepEqual(cited('decision 4, §3'), []);
});

test('made-up citations of an unknown spelling are found', () => {
  for (const text of [
    'OpenID Connect Core §8.1',
    '(Discovery §3)',
    'OpenID Connect Registration 1.0 §2',
    'CSP Level 2 §6.4',
    'OpenID Federation §8.9',
    '/** OIDC\n * §8 */',
    'RFC7662 §2.1',
  ]) {
    assert.equal(misspelledCitations(text).length, 1, text);
  }
});

test('known spellings, and sections without a name, are no fault', () => {
  for (const text of [
    'OpenID Connect Core 1.0 §8.1, §8.2 and §9; RFC 7662 §2.1',
    'OpenID Connect\n * Core 1.0\n * §8.1',
    '/** §5.3.2: the members. */',
    'Of §3.2, and as §4 says. §5 too',
    '(CSP Level 3 §6.4.1)',
  ]) {
    assert.deepEqual(misspelledCitations(text), [], text);
  }
});
