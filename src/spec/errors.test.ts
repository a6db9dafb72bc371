import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quotedValue } from './errors.ts';

test('an error text shows a value in quotes, without characters that RFC 6749 §5.2 forbids', () => {
  assert.equal(quotedValue('http://rp.example/cb'), "'http://rp.example/cb'");
  assert.equal(quotedValue('a"b\\c\né\u0000'), "'a?b?c???'");
});

test('an error text shows at most 100 characters of a value', () => {
  assert.equal(quotedValue('x'.repeat(100)), `'${'x'.repeat(100)}'`);
  assert.equal(quotedValue('x'.repeat(101)), `'${'x'.repeat(100)}...'`);
});
