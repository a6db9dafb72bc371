import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBearerNeeded, assertError } from '../../testing/exchange.ts';
import { MASTER, testTenant } from '../../testing/tenant.ts';

const QUERIES = [
  'limit=0',
  'limit=-1',
  'limit=1001',
  'limit=1e3',
  'limit=01',
  'limit=10 ',
  'limit=2&limit=2',
  'limit=%',
  'cursor=%2F',
  'cursor=a+b',
  `cursor=${'a'.repeat(1025)}`,
];

for (const query of QUERIES) {
  test(`GET /clients?${query.slice(0, 30)}: 400 invalid_request (decision 13)`, async () => {
    assertError(await testTenant().send('client-list', { bearer: MASTER, query }), 'invalid_request');
  });
}

test('credentials come before the query: 401 for nobody', async () => {
  assertBearerNeeded(await testTenant().send('client-list', { query: 'limit=0' }));
});

test('limit=1000 is the largest (decision 13)', async () => {
  const answered = await testTenant().send('client-list', { bearer: MASTER, query: 'limit=1000' });
  assert.equal(answered.body, '[]');
});
