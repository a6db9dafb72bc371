import assert from 'node:assert/strict';
import { test } from 'node:test';
import { citedTests } from './cited-tests.ts';

/** Otherwise this file's own examples would be tests that cite. */
const call = 'test';

function cited(source: string): readonly string[] {
  return citedTests('a.test.ts', source).map(
    ({ specification, section, name }) => `${specification} ${section}: ${name}`,
  );
}

test('a test is found under each section and each decision that its name cites', () => {
  assert.deepEqual(cited(`${call}('two (RFC 6749 §2.3.1, RFC 7591 §3; decisions 5 and 6)', () => {});`), [
    'RFC 6749 §2.3.1: two (RFC 6749 §2.3.1, RFC 7591 §3; decisions 5 and 6)',
    'RFC 7591 §3: two (RFC 6749 §2.3.1, RFC 7591 §3; decisions 5 and 6)',
    'Decisions 5: two (RFC 6749 §2.3.1, RFC 7591 §3; decisions 5 and 6)',
    'Decisions 6: two (RFC 6749 §2.3.1, RFC 7591 §3; decisions 5 and 6)',
  ]);
});

test('what a name is made of at run time is an ellipsis; a name may stand on a line of its own', () => {
  assert.deepEqual(cited(`${call}(\n  \`GET \${path}: 404 (OpenID Connect Discovery 1.0 §4)\`,\n  f);`), [
    'OpenID Connect Discovery 1.0 §4: GET …: 404 (OpenID Connect Discovery 1.0 §4)',
  ]);
});

test('a comment or another string that cites is no test', () => {
  assert.deepEqual(
    cited("// RFC 6749 §2.3.1\nconst section = 'RFC 6749 §2.3.1';\nlatest('RFC 6749 §2');"),
    [],
  );
});
