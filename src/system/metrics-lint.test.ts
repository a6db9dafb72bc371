import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRICS, type MetricRow } from '../spec/metrics.ts';
import { prometheusMetrics } from './metrics.ts';

/** One family of an exposition: the rules of `promtool check metrics` are about these. */
interface Family {
  readonly name: string;
  readonly kind: string;
  readonly help: string;
  readonly samples: readonly string[];
}

function familiesOf(text: string): readonly Family[] {
  const found = new Map<string, { name: string; kind: string; help: string; samples: string[] }>();
  for (const line of text.split('\n')) {
    const [, what, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/u.exec(line) ?? [];
    const known = found.get(name) ?? { name, kind: '', help: '', samples: [] };
    if (what !== undefined) found.set(name, known);
    if (what === 'HELP') known.help = rest;
    if (what === 'TYPE') known.kind = rest;
    const last = [...found.values()].at(-1);
    if (what === undefined && line !== '') last?.samples.push(line);
  }
  return [...found.values()];
}

/** Units that promtool wants in their base form (https://prometheus.io/docs/practices/naming/). */
const NO_BASE_UNIT =
  /(?:^|_)(?:milliseconds?|ms|microseconds?|minutes?|hours?|days?|kilobytes?|kb|megabytes?|mb|percent)(?:_|$)/u;

/** The rules of `promtool check metrics` (prometheus/client_golang, promlint). */
const RULES: readonly (readonly [string, (family: Family) => boolean])[] = [
  ['has a help text', ({ help }) => help !== ''],
  ['has a type', ({ kind }) => kind !== ''],
  [
    'is a counter exactly if it ends with _total',
    ({ name, kind }) => (kind === 'counter') === name.endsWith('_total'),
  ],
  ['has no suffix of histograms', ({ name }) => !/_(?:count|sum|bucket)$/u.test(name)],
  ['has no unit but a base unit', ({ name }) => !NO_BASE_UNIT.test(name)],
  [
    'does not name its own type',
    ({ name }) => !/(?:^|_)(?:counter|gauge|histogram|summary)(?:_|$)/u.test(name),
  ],
  ['is in snake_case without colons', ({ name }) => /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/u.test(name)],
  [
    'has le only as the label of buckets',
    ({ samples }) => samples.every((line) => !line.includes('le="') || /_bucket\{|[a-z]le="/u.test(line)),
  ],
];

test('metrics obey each rule of promtool check metrics, also those of the library', async () => {
  const metrics = prometheusMetrics(() => [
    { name: 'clients', entries: 1, bytes: 2, bytesMax: 3, hits: 4, misses: 5, evictions: 6 },
  ]);
  metrics.observeRequest('token', 200, 0.1);
  const families = familiesOf(await metrics.text());
  assert.ok(families.length > 50, String(families.length));
  const offences = families.flatMap((family) =>
    RULES.flatMap(([rule, holds]) => (holds(family) ? [] : [`${family.name}: not so: ${rule}`])),
  );
  assert.deepEqual(offences, []);
});

for (const [what, text] of [
  ['a gauge named like a counter', '# HELP a_total Words.\n# TYPE a_total gauge\na_total 1\n'],
  ['a counter without _total', '# HELP a Words.\n# TYPE a counter\na 1\n'],
  ['milliseconds', '# HELP a_ms Words.\n# TYPE a_ms gauge\na_ms 1\n'],
  ['a metric without help', '# TYPE a gauge\na 1\n'],
  ['a name in camelCase', '# HELP aB Words.\n# TYPE aB gauge\naB 1\n'],
] as const) {
  test(`the rules of the test find ${what}`, () => {
    const families = familiesOf(text);
    assert.equal(families.length, 1);
    assert.ok(families.some((family) => RULES.some(([, holds]) => !holds(family))));
  });
}

/** A label with any of these would have a series for each client, account or tenant. */
const UNBOUNDED = /client_id|sub|tenant|entity|address|user|issuer|host|url|path/u;

test('no metric has a label whose values strangers or tenants multiply', () => {
  for (const [name, { labels }] of Object.entries<MetricRow>(METRICS))
    for (const label of labels) assert.doesNotMatch(label, UNBOUNDED, name);
});

test('the value of a label is escaped (text exposition format 0.0.4)', async () => {
  const metrics = prometheusMetrics();
  metrics.count('chancery_refusals_total', { endpoint: 'a"b', reason: 'c\\d\ne' });
  const text = await metrics.text();
  assert.ok(text.includes(String.raw`chancery_refusals_total{endpoint="a\"b",reason="c\\d\ne"} 1`), text);
});

test('a gauge shows what it reads at that moment, and a set gauge its last value', async () => {
  const metrics = prometheusMetrics();
  let waiting = 3;
  metrics.gauge('chancery_storage_writes_waiting', () => [[{}, waiting]]);
  metrics.set('chancery_clock_doubt_seconds', {}, 7);
  metrics.set('chancery_clock_doubt_seconds', {}, -2);
  waiting = 4;
  const text = await metrics.text();
  assert.match(text, /^chancery_storage_writes_waiting 4$/mu);
  assert.match(text, /^chancery_clock_doubt_seconds -2$/mu);
});
