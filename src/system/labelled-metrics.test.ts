import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelled, prometheusMetrics } from './metrics.ts';

test('labelled adds a label to each sample, keeps each comment once and groups the samples of a metric', () => {
  const one =
    '# HELP a Words.\n# TYPE a counter\na{x="}"} 1\n\n# HELP b More.\n# TYPE b histogram\nb_sum 2\nb_count 3\n';
  const other = '# HELP a Words.\n# TYPE a counter\na 4\n';
  const texts = new Map([
    ['1', one],
    ['2', other],
  ]);
  assert.equal(
    labelled('worker', texts),
    '# HELP a Words.\n# TYPE a counter\na{worker="1",x="}"} 1\na{worker="2"} 4\n' +
      '# HELP b More.\n# TYPE b histogram\nb_sum{worker="1"} 2\nb_count{worker="1"} 3\n',
  );
});

test('labelled keeps every sample of a real process', async () => {
  const source = prometheusMetrics();
  source.observeRequest('token', 200, 0.0004);
  const text = await source.text();
  const samples = (of: string): number => of.split('\n').filter((line) => /^[a-z]/u.test(line)).length;
  assert.ok(samples(text) > 50);
  assert.equal(samples(labelled('worker', new Map([['1', text]]))), samples(text));
});
