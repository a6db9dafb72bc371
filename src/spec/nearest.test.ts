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
