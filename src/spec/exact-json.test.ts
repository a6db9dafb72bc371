import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedNumber, parseExactly } from './exact-json.ts';

for (const text of [
  '{"a":1e400,"b":9007199254740993,"c":-0,"d":1.0,"e":[1E5,{"f":0.1e-7}]}',
  '{"__proto__":1.50,"s":"1e400","n":null,"t":true}',
  '"x"',
  '[]',
]) {
  test(`${text}: written as it was read`, () => {
    assert.equal(JSON.stringify(parseExactly(text)), text);
  });
}

test('what is no JSON is refused', () => {
  assert.throws(() => parseExactly('{'), SyntaxError);
});

for (const number of [
  '0',
  '-0',
  '-0.0',
  '0e999999999',
  '1.10',
  '45.00',
  '1E2',
  '1e+2',
  '0.1',
  '1.5e-7',
  '100000',
  '1e4',
  '5e-324',
  '1000000000000000000000',
  '-12.50',
])
  test(`${number} keeps its value in JSON that is read and written again (RFC 8259 §6)`, () => {
    assert.equal(changedNumber(`[{"a":${number}}]`), undefined);
  });

for (const number of [
  '1e400',
  '-1e400',
  '1e-400',
  '12345678901234567890',
  '9007199254740993',
  '9999999999999.999',
  '100.00000000000000000001',
  `1.${'0'.repeat(5000)}1`,
  `1e${'9'.repeat(5000)}`,
])
  test(`${number.slice(0, 30)} does not keep its value, wherever it stands`, () => {
    for (const text of [number, `[1,${number},2]`, `{"a":[{"b":${number}}],"c":1e400}`])
      assert.equal(changedNumber(text), number);
  });

test('digits in a text are no number', () => {
  assert.equal(changedNumber('{"a":"1e400","1e400":"12345678901234567890"}'), undefined);
});
