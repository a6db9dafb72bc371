import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest, suggestion } from './nearest.ts';

test('the nearest word is found over a missing, a wrong, an added and two swapped letters', () => {
  const words = ['serve', 'config check', 'version'];
  for (const typed of ['serv', 'sreve', 'servee', 'sarve'])
    assert.equal(nearest(typed, words), 'serve', typed);
});

test('the nearer of two close words is taken', () => {
  assert.equal(nearest('lifetime-mux', ['lifetime-min', 'lifetime-max']), 'lifetime-max');
});

test('nothing is suggested when nothing is close', () => {
  assert.equal(nearest('deploy', ['serve', 'config check', 'version']), undefined);
  assert.equal(suggestion('deploy', ['serve']), '');
  assert.equal(suggestion('sevre', ['serve']), '; did you mean serve?');
});

test('H-233 a word of 300,000 characters is compared in a time proportional to its length', () => {
  // A table of all pairs of characters has 90 billion cells for each candidate: the test would not end.
  const word = 'ab'.repeat(150_000);
  const close = `${word.slice(0, 100_000)}xyz${word.slice(100_001)}`;
  const candidates = ['ba'.repeat(150_000), `x${word}yx`, close, `${word}1234567`];
  assert.equal(nearest(word, candidates), 'ba'.repeat(150_000));
  assert.equal(nearest(word, candidates.slice(1)), `x${word}yx`);
  assert.equal(nearest(word, candidates.slice(3)), undefined);
});

test('the number of edits is exact up to the limit', () => {
  const distances: [string, string, boolean][] = [
    ['abcdefgh', 'abXdeYgh', true],
    ['abcdefgh', 'abXdeYgZ', false],
    ['abcdefgh', 'cdefgh', true],
    ['abcdefgh', 'defgh', false],
    ['abcdefgh', 'abcdefghij', true],
    ['abcdefgh', 'xyabcdefgh', true],
    ['abcdefgh', 'xyabcdefghz', false],
    ['abc', '', false],
    ['a', '', true],
  ];
  for (const [word, candidate, close] of distances)
    assert.equal(nearest(word, [candidate]), close ? candidate : undefined, `${word} ${candidate}`);
});
