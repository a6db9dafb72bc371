import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactly } from './exact-json.ts';

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
