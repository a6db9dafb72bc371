import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseForm, parseParameters } from './parameters.ts';

const KNOWN = new Set(['a', 'b', '__proto__']);
const LIMITS = { parameters: 4 };

const READ: readonly (readonly [text: string, found: Readonly<Record<string, string | undefined>>])[] = [
  ['', {}],
  ['a=1&b=2', { a: '1', b: '2' }],
  ['a=1=2', { a: '1=2' }],
  ['a=%2B+%20%26', { a: '+  &' }],
  ['%61=1', { a: '1' }],
  ['a=%C3%A9', { a: 'é' }],
  ['a=', { a: undefined }],
  ['a', { a: undefined }],
  ['c=1&c=2&a=1', { a: '1' }],
  ['&&a=1', { a: '1' }],
  ['A=1', {}],
];

for (const [text, found] of READ) {
  test(`"${text}" is read as ${JSON.stringify(found)} (RFC 6749 §3.2)`, () => {
    const parameters = parseParameters(text, KNOWN, LIMITS);
    for (const name of ['a', 'b', 'c', 'A']) assert.equal(parameters[name], found[name], name);
  });
}

const REFUSED: readonly (readonly [text: string, words: RegExp])[] = [
  ['a=1&a=2', /^invalid_request: a is given more than once$/],
  ['a=&a=2', /a is given more than once/],
  ['a=1&%61=1', /a is given more than once/],
  ['a=%', /not correctly encoded/],
  ['a=%4', /not correctly encoded/],
  ['c=%GG', /not correctly encoded/],
  ['%FF=1', /not correctly encoded/],
  ['a=%C3%28', /not correctly encoded/],
  ['a=%00', /not correctly encoded/],
  ['a=1&c=2&d=3&e=4&f=5', /more than 4 parameters/],
  ['&&&&', /more than 4 parameters/],
];

for (const [text, words] of REFUSED) {
  test(`"${text}" is refused (RFC 6749 §3.2; WHATWG URL §5.1)`, () => {
    assert.throws(() => parseParameters(text, KNOWN, LIMITS), { code: 'invalid_request', message: words });
  });
}

test('a parameter named like a member of every object is a parameter and nothing else', () => {
  const parameters = parseParameters('__proto__=x&constructor=y', KNOWN, LIMITS);
  assert.equal(parameters['__proto__'], 'x');
  assert.equal(parameters['constructor'], undefined);
  assert.equal(parseParameters('', KNOWN, LIMITS)['toString'], undefined);
});

test('a form has the form’s type, and is ASCII (RFC 6749 §3.2)', () => {
  const type = 'application/x-www-form-urlencoded';
  assert.equal(parseForm(type, Buffer.from('a=1'), KNOWN, LIMITS)['a'], '1');
  assert.equal(parseForm(`${type};charset=UTF-8`, Buffer.from('a=1'), KNOWN, LIMITS)['a'], '1');
  assert.throws(() => parseForm(type, Buffer.from('a=é'), KNOWN, LIMITS), { code: 'invalid_request' });
  assert.throws(() => parseForm(undefined, Buffer.from('a=1'), KNOWN, LIMITS), { code: 'invalid_request' });
  assert.throws(() => parseForm('text/plain', Buffer.from('a=1'), KNOWN, LIMITS), {
    code: 'invalid_request',
  });
});
