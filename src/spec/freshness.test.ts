import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshFor } from './freshness.ts';

const BOUNDS = { min: 300, max: 86_400 };
const DATE = 'Sun, 22 Nov 2026 22:00:00 GMT';

// proves client-id-metadata-document-5.2-1
test('a response is fresh for as long as its headers say, within bounds (RFC 9111 §4.2.1)', () => {
  const rows: readonly (readonly [object, number])[] = [
    [{}, 3600],
    [{ 'cache-control': 'max-age=1000' }, 1000],
    [{ 'cache-control': 'public, Max-Age="1000"' }, 1000],
    [{ 'cache-control': 'max-age=1000', age: '400' }, 600],
    [{ 'cache-control': 'max-age=1000', age: '4000' }, 300],
    [{ 'cache-control': 'max-age=1000, s-maxage=2000' }, 2000],
    [{ 'cache-control': 'max-age=1000, max-age=5000' }, 1000],
    [{ 'cache-control': 'max-age=1' }, 300],
    [{ 'cache-control': 'max-age=99999999999999999999' }, 86_400],
    [{ 'cache-control': 'no-store, max-age=1000' }, 300],
    [{ 'cache-control': 'no-cache="a", max-age=1000' }, 300],
    [{ 'cache-control': 'private, max-age=1000' }, 300],
    [{ 'cache-control': 'max-age=soon' }, 300],
    [{ expires: 'Sun, 22 Nov 2026 23:30:00 GMT', date: DATE }, 5400],
    [{ expires: 'Sun, 22 Nov 2026 23:30:00 GMT', date: DATE, age: '1000' }, 4400],
    [{ expires: '0', date: DATE }, 300],
    [{ expires: 'Sun, 22 Nov 2026 23:30:00 GMT' }, 300],
    [{ expires: 'Sun, 22 Nov 2026 23:30:00 GMT', date: DATE, 'cache-control': 'max-age=700' }, 700],
    [{ 'cache-control': 'max-age=1000', vary: 'accept, accept-language' }, 1000],
    [{ 'cache-control': 'max-age=1000', vary: '*' }, 300],
  ];
  for (const [headers, seconds] of rows)
    assert.equal(freshFor(headers, BOUNDS), seconds, JSON.stringify(headers));
});
