import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prometheusMetrics } from '../../system/metrics.ts';
import { received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { metrics } from './endpoint.ts';

test('GET /metrics: 200 in the Prometheus text format, with what was observed until now', async () => {
  const source = prometheusMetrics();
  const endpoint = metrics(source);
  source.observeRequest('token', 200, 0.0004);
  source.observeRequest('token', 200, 0.2);
  source.observeRequest('token', 401, 0.0004);
  const answered = await received(
    contract,
    await answer(endpoint, requestOf(contract, {}), () => assert.fail('no failure')),
  );
  assert.equal(answered.status, 200);
  assert.match(answered.headers['content-type'] ?? '', /^text\/plain; version=0\.0\.4/);
  assert.equal(answered.headers['cache-control'], 'no-store');
  const lines = answered.body.split('\n');
  assert.ok(lines.includes('chancery_http_requests_total{endpoint="token",status="200"} 2'));
  assert.ok(lines.includes('chancery_http_requests_total{endpoint="token",status="401"} 1'));
});
