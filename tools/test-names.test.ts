import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedTests } from './test-names.ts';

/** Split, so that this file's examples are not tests themselves. */
const call = 'test';

test('the parts of a name that are known at run time become an ellipsis; a name may have its own line', () => {
  assert.deepEqual(namedTests(`\n${call}(\n  \`GET \${path}: 404 (RFC 7592 §2)\`,\n  f);`), [
    { name: 'GET …: 404 (RFC 7592 §2)', offset: 1 },
  ]);
});

test('a comment, another string and a longer function name are no test', () => {
  assert.deepEqual(namedTests("// RFC 6749 §2.3.1\nconst section = 'RFC 6749';\nlatest('RFC 6749 §2');"), []);
});
