import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prometheusMetrics } from './metrics.ts';

const NAME = 'chancery_http_request_duration_seconds';

/** The samples of one series, by the rest of its name and its labels in alphabetical order. */
function samples(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name?.startsWith('chancery_') === true)
      found.set(`${name} ${labels.split(',').toSorted().join(' ')}`, Number(value));
  }
  return found;
}

async function observed(
  ...requests: readonly (readonly [endpoint: string, status: number, seconds: number])[]
): Promise<ReadonlyMap<string, number>> {
  const metrics = prometheusMetrics();
  for (const request of requests) metrics.observeRequest(...request);
  return samples(await metrics.text());
}

test('requests are counted by endpoint and status', async () => {
  const found = await observed(
    ['token', 200, 0.1],
    ['token', 401, 0.1],
    ['token', 200, 0.1],
    ['jwk-set', 200, 0.1],
  );
  assert.equal(found.get('chancery_http_requests_total endpoint="token" status="200"'), 2);
  assert.equal(found.get('chancery_http_requests_total endpoint="token" status="401"'), 1);
  assert.equal(found.get('chancery_http_requests_total endpoint="jwk-set" status="200"'), 1);
});

test('buckets are cumulative, a bound belongs to its bucket, and +Inf holds everything (Prometheus histograms)', async () => {
  const found = await observed(
    ['token', 200, 0.0005],
    ['token', 200, 0.0006],
    ['token', 200, 5],
    ['token', 200, 6],
  );
  const bucket = (le: string): number | undefined => found.get(`${NAME}_bucket endpoint="token" le="${le}"`);
  assert.deepEqual(['0.0005', '0.001', '1', '5', '+Inf'].map(bucket), [1, 2, 2, 3, 4]);
  assert.equal(found.get(`${NAME}_count endpoint="token"`), 4);
  assert.ok(Math.abs((found.get(`${NAME}_sum endpoint="token"`) ?? 0) - 11.0011) < 1e-9);
});

test('every series has its HELP and TYPE once, before its samples (text exposition format 0.0.4)', async () => {
  const metrics = prometheusMetrics();
  metrics.observeRequest('a', 200, 1);
  metrics.observeRequest('b', 200, 1);
  const lines = (await metrics.text()).split('\n');
  for (const [name, type] of [
    ['chancery_http_requests_total', 'counter'],
    [NAME, 'histogram'],
  ]) {
    assert.equal(lines.filter((line) => line === `# TYPE ${name} ${type}`).length, 1);
    const first = lines.findIndex(
      (line) => line.startsWith(`${name}{`) || line.startsWith(`${name}_bucket{`),
    );
    assert.ok(lines.indexOf(`# TYPE ${name} ${type}`) < first);
  }
  assert.ok(lines.some((line) => line.startsWith('process_cpu_seconds_total ')));
});

test('two sets of metrics do not share a registry', async () => {
  const [one, other] = [prometheusMetrics(), prometheusMetrics()];
  one.observeRequest('token', 200, 1);
  assert.doesNotMatch(await other.text(), /chancery_http_\w+\{/u);
});
