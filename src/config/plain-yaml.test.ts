import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainDocuments } from './plain-yaml.ts';

const read = (content: string): unknown => JSON.parse(JSON.stringify(plainDocuments(content).documents));

test('plain YAML: several documents, anchors, and the numbers, texts and nulls of JSON', () => {
  assert.deepEqual(
    read('a: &x [1, 2.5, yes, "y", null, ~]\nb: *x\n---\n- c: |\n    text\n---\n{"json": {"n": -3e2}}'),
    [
      { a: [1, 2.5, 'yes', 'y', null, null], b: [1, 2.5, 'yes', 'y', null, null] },
      [{ c: 'text\n' }],
      { json: { n: -300 } },
    ],
  );
  assert.deepEqual(read(''), []);
});

test('plain YAML: a later anchor of the same name counts from there on', () => {
  assert.deepEqual(read('- &a 1\n- *a\n- &a 2\n- *a'), [[1, 1, 2, 2]]);
});

test('plain YAML: a key of the prototype is an ordinary key (H-562)', () => {
  const { documents } = plainDocuments('__proto__: {polluted: 1}\nconstructor: 2\n');
  assert.equal(JSON.stringify(documents), '[{"__proto__":{"polluted":1},"constructor":2}]');
  assert.equal(Object.getPrototypeOf(documents[0]), null);
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

const nested = (open: string, close: string, times: number): string =>
  open.repeat(times) + close.repeat(times);
const bomb = (levels: number): string =>
  Array.from(
    { length: levels },
    (_, level) =>
      `a${level}: &a${level} [${Array(10)
        .fill(level === 0 ? 'x' : `*a${level - 1}`)
        .join(', ')}]`,
  ).join('\n');

const REFUSED: readonly (readonly [what: string, content: string, line: number, because: RegExp])[] = [
  ['a key twice (H-561)', 'a:\n  b: 1\n  c: 2\n  b: 3', 4, /key "b" twice/],
  ['a key twice in a JSON object (H-561)', '{"a": 1, "a": 2}', 1, /key "a" twice/],
  ['aliases that stand for ten thousand million values (H-560)', bomb(10), 7, /more than 3000000 values/],
  ['an alias inside of its own anchor (H-560)', 'a: &a\n  b: *a', 2, /alias without an anchor/],
  ['an unknown alias', 'a: *b', 1, /is not plain YAML|without an anchor/],
  ['a merge key', 'a: &a {x: 1}\nb:\n  <<: *a', 3, /merge key/],
  ['a tag', 'a: !!binary AAAA', 1, /is not plain YAML: tag resolve failed/],
  ['a broken text, without quoting it', 'secret: "abc', 1, /^is not plain YAML: missing char$/],
  ['a hundred levels', nested('[', ']', 100), 1, /deeper than 64/],
  ['a hundred thousand levels (H-560)', nested('[', ']', 100_000), 1, /deeper than 64|is not plain YAML/],
  ['a whole number that JSON readers change', 'a: 9007199254740993', 1, /beyond 2\^53/],
  ['infinity', 'a: .inf', 1, /not finite/],
  ['a map as a key', '? {a: 1}\n: 2', 1, /key that is not text/],
];

for (const [what, content, line, because] of REFUSED) {
  test(`plain YAML refuses ${what}, with its line`, () => {
    const { problems } = plainDocuments(content);
    assert.match(problems[0]?.words ?? '', because);
    assert.equal(problems[0]?.line, line);
  });
}

test('plain YAML tells the line of a map', () => {
  const { documents, lineOf } = plainDocuments('a: 1\n---\nb:\n  c: 1\n');
  assert.equal(lineOf((documents[1] as { b: unknown }).b), 4);
});
