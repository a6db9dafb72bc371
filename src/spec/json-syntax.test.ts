import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonSyntaxError } from './json-syntax.ts';

const ROWS: readonly (readonly [text: string, line: number, column: number, problem: RegExp])[] = [
  ['{"a":1,}', 1, 8, /comma must not stand before }/],
  ['{\n  "a": [1, 2,],\n  "b": 2\n}', 2, 14, /comma must not stand before \]/],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /a comma or } must stand here/],
  ['[1 2]', 1, 4, /a comma or \] must stand here/],
  ["{'a':1}", 1, 2, /double quotation marks/],
  ['{"a":\'b\'}', 1, 6, /double quotation marks/],
  ['{a:1}', 1, 2, /double quotation marks/],
  ['{"a" 1}', 1, 6, /colon/],
  ['{"a":01}', 1, 6, /no JSON value/],
  ['{"a":.5}', 1, 6, /no JSON value/],
  ['{"a":NaN}', 1, 6, /no JSON value/],
  ['{"a":nullable}', 1, 6, /no JSON value/],
  ['{"a":1}{}', 1, 8, /nothing may follow/],
  ['{"a":"\n"}', 1, 6, /control character/],
  ['{"a":"\\x"}', 1, 6, /invalid escape/],
  ['{"a":"b', 1, 6, /does not end/],
  ['{"a":', 1, 6, /ends too early/],
  ['', 1, 1, /ends too early/],
  ['\r\n\t', 2, 2, /ends too early/],
  ['\ufeff{}', 1, 1, /no JSON value/],
];

for (const [text, line, column, problem] of ROWS) {
  test(`${JSON.stringify(text)} stops being JSON at line ${line}, column ${column} (RFC 8259)`, () => {
    const error = jsonSyntaxError(text);
    assert.deepEqual([error?.line, error?.column], [line, column]);
    assert.match(error?.problem ?? '', problem);
  });
}

/** A generator of texts that are nearly JSON; the same texts in each run. */
function* nearlyJson(count: number): Generator<string> {
  const pieces =
    '{ } [ ] : , "a" " \\ 1 - 0 .5 e1 true nul null \n \t \' \u0001 "\\u00e9" "\\u00g0" 1e5 -0 /'.split(' ');
  pieces.push(' ');
  let state = 42;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  for (let made = 0; made < count; made += 1)
    yield Array.from({ length: 1 + next(9) }, () => pieces[next(pieces.length)]).join('');
}

test('a text has an error exactly if JSON.parse refuses it', () => {
  for (const text of nearlyJson(50_000)) {
    let parses = true;
    try {
      JSON.parse(text);
    } catch {
      parses = false;
    }
    assert.equal(jsonSyntaxError(text) === undefined, parses, JSON.stringify(text));
  }
});

test('a text of a million brackets, letters or digits is read once', () => {
  for (const [piece, closing] of [
    ['"', 'a'.repeat(1_000_000)],
    ['[', ''],
    ['{"a":', ''],
    ['"\\u0041', ''],
    ['1', 'x'],
    ['\\', ''],
  ] as const)
    assert.notEqual(jsonSyntaxError(`${piece.repeat(piece === '"' ? 1 : 1_000_000)}${closing}`), undefined);
});
