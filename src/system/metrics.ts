import type { Registry } from 'prom-client';
import type { Metrics } from '../ports/metrics.ts';
import type { CacheFigures } from '../spec/bounded-map.ts';
import { METRICS, type MetricName, type MetricRow } from '../spec/metrics.ts';
import { residentMemory } from './resident-memory.ts';

/** How often the lag of the event loop is sampled. At the library's 10 ms the samples are most of an idle server's CPU. */
const LAG_SAMPLE_MS = 50;
/** Gauges of the library whose names end like those of counters; the same without `_total` have their parts. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

type Labels = Readonly<Record<string, string | number>>;

/** One series, as plain numbers: the counters of a metrics library cost more than the counting. */
interface Cell {
  readonly labels: Labels;
  value: number;
}

type Reading = () => Iterable<readonly [Labels, number]>;

/** A series of a histogram. */
interface Distribution {
  readonly labels: Labels;
  /** Values per bucket: at most its bound and more than the previous bound. The last bucket has no bound. */
  readonly buckets: number[];
  sum: number;
}

/** Requests of one endpoint: every request is counted here, without text of labels. */
interface Tally {
  readonly byStatus: Map<number, Cell>;
  readonly duration: Distribution;
}

/** @param caches returns the figures of all caches of this process */
export function prometheusMetrics(caches: () => readonly CacheFigures[] = () => []): Metrics {
  let runtime: ReturnType<typeof openRuntimeMetrics> | undefined;
  const cells = new Map<string, Map<string, Cell>>();
  const distributions = new Map<string, Map<string, Distribution>>();
  const gauges = new Map<string, Reading>();
  const tallies = new Map<string, Tally>();
  const cellOf = (name: string, labels: Labels): Cell =>
    seriesOf(cells, name, labels, () => ({ labels, value: 0 }));
  const distributionOf = (name: string, labels: Labels): Distribution =>
    seriesOf(distributions, name, labels, () => ({ labels, buckets: emptyBuckets(name), sum: 0 }));
  showCaches(gauges, caches);
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: async () => {
      runtime ??= openRuntimeMetrics();
      const rendered = Object.entries<MetricRow>(METRICS).map(([name, row]) =>
        row.kind === 'histogram'
          ? family(name, row, histogramLines(name, [...(distributions.get(name)?.values() ?? [])]))
          : family(name, row, sampleLines(name, samplesOf(name, row, cells, gauges))),
      );
      return `${await (await runtime).metrics()}\n${rendered.join('')}`;
    },
    count(name, labels, by = 1) {
      cellOf(name, labels).value += by;
    },
    counter(name, labels) {
      const cell = cellOf(name, labels);
      return () => {
        cell.value += 1;
      };
    },
    set(name, labels, value) {
      cellOf(name, labels).value = value;
    },
    observe: (name, labels, value) => add(name, distributionOf(name, labels), value),
    gauge: (name, read) => void gauges.set(name, read),
    answers() {
      const classes = new Map<string, number>();
      for (const { byStatus } of tallies.values())
        for (const [status, { value }] of byStatus) {
          const name = `${Math.floor(status / 100)}xx`;
          classes.set(name, (classes.get(name) ?? 0) + value);
        }
      return Object.fromEntries([...classes].toSorted(([one], [other]) => one.localeCompare(other)));
    },
    observeRequest(endpoint, status, seconds) {
      let tally = tallies.get(endpoint);
      if (tally === undefined) {
        tally = { byStatus: new Map(), duration: distributionOf(DURATION, { endpoint }) };
        tallies.set(endpoint, tally);
      }
      let answered = tally.byStatus.get(status);
      if (answered === undefined) {
        answered = cellOf('chancery_http_requests_total', { endpoint, status });
        tally.byStatus.set(status, answered);
      }
      answered.value += 1;
      add(DURATION, tally.duration, seconds);
    },
  };
}

/** Opens the metrics of the process and of Node. A process whose metrics are not read does not load the library. */
async function openRuntimeMetrics(): Promise<Registry> {
  const { collectDefaultMetrics, Registry: OwnRegistry } = await import('prom-client');
  const registry = new OwnRegistry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}

const DURATION = 'chancery_http_request_duration_seconds';

function seriesOf<Series>(
  all: Map<string, Map<string, Series>>,
  name: string,
  labels: Labels,
  make: () => Series,
): Series {
  let series = all.get(name);
  if (series === undefined) all.set(name, (series = new Map()));
  const key = labelText(labels);
  let one = series.get(key);
  if (one === undefined) series.set(key, (one = make()));
  return one;
}

const bucketsOf = (name: string): readonly number[] =>
  (METRICS as Readonly<Record<string, MetricRow>>)[name]?.buckets ?? [];

const emptyBuckets = (name: string): number[] => Array.from({ length: bucketsOf(name).length + 1 }, () => 0);

function add(name: string, distribution: Distribution, value: number): void {
  const bounds = bucketsOf(name);
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket += 1;
  distribution.buckets[bucket] = (distribution.buckets[bucket] ?? 0) + 1;
  distribution.sum += value;
}

function samplesOf(
  name: string,
  { kind, labels }: MetricRow,
  cells: ReadonlyMap<string, ReadonlyMap<string, Cell>>,
  gauges: ReadonlyMap<string, Reading>,
): readonly Cell[] {
  const read = gauges.get(name);
  if (read !== undefined) return [...read()].map(([own, value]) => ({ labels: own, value }));
  const counted = [...(cells.get(name)?.values() ?? [])];
  // A rate over a counter that appears with its first event misses that event.
  return counted.length === 0 && kind === 'counter' && labels.length === 0
    ? [{ labels: {}, value: 0 }]
    : counted;
}

const CACHE_FIGURES: readonly (readonly [MetricName, Exclude<keyof CacheFigures, 'name'>])[] = [
  ['chancery_cache_entries', 'entries'],
  ['chancery_cache_bytes', 'bytes'],
  ['chancery_cache_bytes_max', 'bytesMax'],
  ['chancery_cache_hits_total', 'hits'],
  ['chancery_cache_misses_total', 'misses'],
  ['chancery_cache_evictions_total', 'evictions'],
];

/** Publishes figures that are read when the metrics are read: those of caches, and the memory of the process. */
function showCaches(gauges: Map<string, Reading>, caches: () => readonly CacheFigures[]): void {
  for (const [name, figure] of CACHE_FIGURES)
    gauges.set(name, () => caches().map((cache) => [{ cache: cache.name }, cache[figure]] as const));
  gauges.set('chancery_resident_memory_bytes', residentMemory);
}

function family(name: string, { help, kind }: MetricRow, lines: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...lines, ''].join('\n');
}

const sampleLines = (name: string, samples: readonly Cell[]): readonly string[] =>
  samples.map(({ labels, value }) => `${name}${braced(labelText(labels))} ${value}`);

/** Renders the Prometheus text exposition format 0.0.4. */
function histogramLines(name: string, series: readonly Distribution[]): readonly string[] {
  const bounds = bucketsOf(name);
  return series.flatMap(({ labels, buckets, sum }) => {
    const own = labelText(labels);
    const before = own === '' ? '' : `${own},`;
    let count = 0;
    const lines = buckets.map((values, index) => {
      count += values;
      return `${name}_bucket{${before}le="${bounds[index] ?? '+Inf'}"} ${count}`;
    });
    return [...lines, `${name}_sum${braced(own)} ${sum}`, `${name}_count${braced(own)} ${count}`];
  });
}

const braced = (labels: string): string => (labels === '' ? '' : `{${labels}}`);

const labelText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(',');

const escaped = (value: string): string =>
  /["\\\n]/u.test(value)
    ? value.replaceAll('\\', String.raw`\\`).replaceAll('"', String.raw`\"`).replaceAll('\n', String.raw`\n`)
    : value;

const SAMPLE = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{(.*)\})? (.+)$/u;
const COMMENT = /^# (?:HELP|TYPE) ([A-Za-z_:][A-Za-z0-9_:]*) /u;

/** The comments and samples of one metric. */
interface Family {
  readonly comments: Set<string>;
  readonly samples: string[];
}

/**
 * Joins texts of the Prometheus exposition format (0.0.4), one per worker for instance. Each sample gets a label with the
 * key of its text. The samples of one metric stand together, as the format requires.
 */
export function labelled(label: string, texts: ReadonlyMap<string, string>): string {
  const families = new Map<string, Family>();
  for (const [whose, text] of texts) {
    let family: Family | undefined;
    for (const line of text.split('\n')) {
      const name = COMMENT.exec(line)?.[1];
      if (name !== undefined) {
        family = families.get(name) ?? { comments: new Set(), samples: [] };
        families.set(name, family);
        family.comments.add(line);
        continue;
      }
      const sample = SAMPLE.exec(line);
      if (sample === null || family === undefined) continue;
      const [, metric = '', labels = '', value = ''] = sample;
      const all = [`${label}="${whose}"`, ...(labels === '' ? [] : [labels])].join(',');
      family.samples.push(`${metric}{${all}} ${value}`);
    }
  }
  return [...families.values()]
    .flatMap(({ comments, samples }) => [...comments, ...samples])
    .concat('')
    .join('\n');
}
