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

const FORM = 'application/x-www-form-urlencoded';

for (const charset of ['UTF-8', 'ISO-8859-1', 'us-ascii']) {
  test(`a form may say charset=${charset}, in which US-ASCII is the same (URL Standard, section 5)`, () => {
    assert.equal(requireMediaType(`${FORM}; charset=${charset}`, 'application/json', FORM), FORM);
  });
}

test('a form in another charset is refused, and JSON in ISO-8859-1 (RFC 8259 §8.1)', () => {
  for (const header of [
    `${FORM}; charset=utf-16`,
    `${FORM};charset=utf-8;charset=utf-7`,
    'application/json;charset=iso-8859-1',
  ])
    assert.throws(() => requireMediaType(header, 'application/json', FORM), { code: 'invalid_request' });
});

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
