import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireMediaType } from './media-type.ts';

const ACCEPTED = [
  'application/json',
  'APPLICATION/Json',
  ' application/json ',
  'application/json;charset=utf-8',
  'application/json ; Charset="UTF-8" ; profile=x',
  'application/json;',
];

for (const header of ACCEPTED) {
  test(`Content-Type: ${header} is application/json (RFC 9110 §8.3)`, () => {
    assert.doesNotThrow(() => requireMediaType(header, 'application/json'));
  });
}

const REFUSED = [
  undefined,
  '',
  'application/jsonp',
  'application/json, text/html',
  'text/html; a=application/json',
  'application/ld+json',
  'application/json;charset=utf-16',
  'application/json;charset=utf-8;charset=utf-16',
  'application/json;charset',
  'application/json;=utf-8',
  'application/json;charset="utf-8',
  'application/json;a b=c',
  `application/json;${' '.repeat(250)}`,
];

for (const header of REFUSED) {
  test(`Content-Type: ${String(header).slice(0, 60)} is refused (RFC 9110 §8.3)`, () => {
    assert.throws(() => requireMediaType(header, 'application/json'), {
      code: 'invalid_request',
      error_description: 'Content-Type must be application/json in UTF-8',
    });
  });
}
