import assert from 'node:assert/strict';
import test from 'node:test';
import { durationMs } from './duration.ts';

test('a duration is the sum of its units, the largest first', () => {
  const rows: readonly (readonly [text: string, ms: number])[] = [
    ['0s', 0],
    ['250ms', 250],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['30d', 2_592_000_000],
    ['1w2d3h4m5s6ms', 788_645_006],
  ];
  for (const [text, ms] of rows) assert.equal(durationMs(text), ms, text);
});

test('a text without a unit, with an unknown one, or with units in another order is no duration', () => {
  for (const text of [
    '',
    '10',
    'm',
    '10 m',
    '1.5h',
    '-1h',
    '30m1h',
    '1h1h',
    '1y',
    '10M',
    '1e3s',
    ' 1h',
    '9999999999s',
  ])
    assert.equal(durationMs(text), undefined, JSON.stringify(text));
});
