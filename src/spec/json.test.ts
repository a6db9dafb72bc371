import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuthError } from './errors.ts';
import { type JsonObject, parseJsonObject } from './json.ts';

const LIMITS = { depth: 4, members: 3 };

function parse(text: string | Uint8Array): JsonObject {
  return parseJsonObject(typeof text === 'string' ? Buffer.from(text) : text, LIMITS);
}

function refusal(text: string | Uint8Array): string {
  try {
    parse(text);
  } catch (failure) {
    assert.ok(failure instanceof OAuthError);
    assert.equal(failure.code, 'invalid_request');
    assert.equal(failure.cause, undefined, 'the parser quotes the body');
    return failure.error_description;
  }
  return 'accepted';
}

const REFUSED: readonly (readonly [text: string | Uint8Array, words: RegExp])[] = [
  ['', /well-formed/],
  [' ', /well-formed/],
  ['{"a":01}', /well-formed/],
  ['{"a":.5}', /well-formed/],
  ['{"a":NaN}', /well-formed/],
  ["{'a':1}", /well-formed/],
  ['{a:1}', /well-formed/],
  ['{"a":1,}', /well-formed/],
  ['{"a":1}{"a":1}', /well-formed/],
  ['{"a":"\n"}', /well-formed/],
  ['{"a":"\\x41"}', /well-formed/],
  ['\ufeff{}', /well-formed/],
  ['\v{}', /well-formed/],
  ['[]', /not a JSON object/],
  ['null', /not a JSON object/],
  ['1', /not a JSON object/],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
  [Buffer.from([0x7b, 0x22, 0xc0, 0x80, 0x22, 0x3a, 0x31, 0x7d]), /not valid UTF-8/],
  ['{"a":1,"a":1}', /names a member twice/],
  [String.raw`{"a":1,"\u0061":1}`, /names a member twice/],
  ['{"x":{"a":1,"a":1}}', /names a member twice/],
  ['{"a" : 1,\n"a"\t\r\n: 2}', /names a member twice/],
  ['{"a":1,"a" :2}', /names a member twice/],
  ['{"a":{"x":1,"y":2},"a":{}}', /names a member twice/],
  ['{"a":":","a":"::"}', /names a member twice/],
  ['{"__proto__":1,"__proto__":1}', /names a member twice/],
  ['{"x":[{"a":1},{"a":1,"b":{},"a":2}]}', /names a member twice/],
  ['{"a":1,"b":1,"c":1,"d":1}', /more than 3 members/],
  ['{"x":[{"a":1,"b":1,"c":1,"d":1}]}', /more than 3 members/],
  ['{"a":[[[[]]]]}', /deeper than 4/],
  ['{"a":{"b":{"c":{"d":{}}}}}', /deeper than 4/],
  [String.raw`{"a":"\u0000"}`, /U\+0000/],
  [String.raw`{"a\u0000":1}`, /U\+0000/],
  [String.raw`{"a":["\ud83e"]}`, /lone surrogate/],
  [String.raw`{"a":"\udd8a\ud83e"}`, /lone surrogate/],
];

for (const [text, words] of REFUSED) {
  test(`a body of ${JSON.stringify(String(text))} is refused (RFC 8259)`, () => {
    assert.match(refusal(text), words);
  });
}

const ACCEPTED = [
  '{}',
  ' \t\r\n{}\n',
  '{"a":1}',
  '{"a":[[[]]],"b":{"c":{"d":{}}}}',
  '{"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}',
  String.raw`{"a":"\ud83e\udd8a"}`,
  '{"a":"{\\"b\\":1,\\"b\\":2}"}',
  '{"a":"\u2028","b":"[[[[[["}',
  '{"a":":","b" : " : ","c":[":", "{:"]}',
  '{":":":"}',
];

for (const text of ACCEPTED) {
  test(`a body of ${JSON.stringify(text)} is what JSON.parse makes of it (RFC 8259)`, () => {
    assert.deepEqual({ ...parse(text).members }, JSON.parse(text));
  });
}

test('a hundred thousand open brackets are refused without a deep stack', () => {
  assert.match(refusal(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), /deeper/);
});

test('a member named __proto__ is a member and nothing else', () => {
  const { members } = parse('{"__proto__":{"admin":true},"constructor":1}');
  assert.equal(Object.getPrototypeOf(members), null);
  assert.deepEqual(Object.keys(members), ['__proto__', 'constructor']);
  assert.equal('admin' in members, false);
});

const SOURCES: readonly (readonly [text: string, source: string | undefined])[] = [
  ['{"data":{"n":1e400}}', '{"n":1e400}'],
  ['{ "a":1 , "data" : -0 , "b":2 }', '-0'],
  ['{"data"\n:\n9007199254740993\n}\n', '9007199254740993'],
  ['{"x":{"data":1},"data":2}', '2'],
  ['{"x":{"data":1}}', undefined],
  ['{"a":"data","b":1}', undefined],
  [String.raw`{"d\u0061ta":[1 ,2]}`, '[1 ,2]'],
  [String.raw`{"data":"\u00e9,\"}","b":1}`, String.raw`"\u00e9,\"}"`],
  ['{"data":{"a":[{"b":"}],"}]},"b":{}}', '{"a":[{"b":"}],"}]}'],
  ['{"data":null}', 'null'],
];

for (const [text, source] of SOURCES) {
  test(`the source of data in ${text} is ${String(source)} (decision 12)`, () => {
    assert.equal(parse(text).source('data'), source);
  });
}
