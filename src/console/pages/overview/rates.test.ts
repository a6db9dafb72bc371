import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersOf, ratePath, rateSince } from './rates.ts';

test('a rate is the answers for each second between two samples, and none after a restart of the server', () => {
  assert.equal(rateSince({ at: 1000, count: 10 }, { at: 11_000, count: 35 }), 2.5);
  assert.equal(rateSince({ at: 1000, count: 10 }, { at: 2000, count: 3 }), undefined);
  assert.equal(rateSince(undefined, { at: 2000, count: 3 }), undefined);
});

test('the answers of every class of status count', () => {
  const process = {
    pid: 1,
    workers: 1,
    node: '26',
    storage: 'sqlite',
    requests: { '2xx': 5, '4xx': 2 },
  } as const;
  assert.deepEqual(answersOf({ process }, 7), { at: 7, count: 7 });
  assert.deepEqual(answersOf({ process: null }, 7), { at: 7, count: 0 });
});

test('two rates are the first line of the picture, from its left edge to its right one', () => {
  const samples = [0, 10, 30].map((count, index) => ({ at: index * 1000, count }));
  assert.equal(ratePath(samples.slice(0, 2)), '');
  assert.match(ratePath(samples), /^M0\.0 \d+\.\dL300\.0 3\.0$/u);
});
