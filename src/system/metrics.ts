import { collectDefaultMetrics, Registry } from 'prom-client';
import type { FetchQueue, Metrics } from '../ports/metrics.ts';
import { FETCH_PURPOSES, type FetchPurpose } from '../ports/outbound-http.ts';
import type { FileSize } from '../ports/storage.ts';
import type { CacheFigures } from '../spec/bounded-map.ts';
import { memoryMetrics } from './memory-metrics.ts';

/** Upper bounds of the buckets, in seconds. Most answers take well below a millisecond. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** How often the lag of the event loop is sampled. At the library's 10 ms the samples are most of an idle server's CPU. */
const LAG_SAMPLE_MS = 50;

/** Counts of one endpoint, as plain numbers: the counters of a metrics library cost more than the counting. */
interface Tally {
  readonly byStatus: Map<number, number>;
  /** Requests per bucket: at most its bound and more than the previous bound. The last bucket has no bound. */
  readonly byDuration: number[];
  seconds: number;
}

/** @param caches returns the figures of all caches of this process */
export function prometheusMetrics(caches: () => readonly CacheFigures[] = () => []): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  const tallies = new Map<string, Tally>();
  const keyEvents = new Map<string, number>();
  const logoutAttempts = new Map<string, number>();
  const connectionRefusals = new Map<string, number>();
  const anchorEvents = new Map<string, number>();
  const refusals = new Map<string, number>();
  const tenantEvents = new Map<string, number>();
  const fetches = new Map<string, number>();
  let fetchQueue: ((purpose: FetchPurpose) => FetchQueue) | undefined;
  let encryptionKeyOpens: boolean | undefined;
  let clockDoubt = 0;
  let fileSize: FileSize | undefined;
  const count = (counts: Map<string, number>, what: string): void =>
    void counts.set(what, (counts.get(what) ?? 0) + 1);
  let failedReads = 0;
  return {
    contentType: registry.contentType,
    text: async () =>
      `${await registry.metrics()}\n${exposition(tallies)}${keyEventCounters(keyEvents)}${anchorEventCounters(anchorEvents)}${logoutCounters(logoutAttempts)}${connectionCounters(connectionRefusals)}${tenantCounters(tenantEvents)}${refusalCounters(refusals)}${fetchCounters(fetches)}${fetchGauges(fetchQueue)}${encryptionKeyGauge(encryptionKeyOpens)}${clockGauge(clockDoubt)}${failedReadCounter(failedReads)}${memoryMetrics(caches())}${fileGauges(fileSize)}`,
    observeFile: (size) => {
      fileSize = size;
    },
    observeClock: (seconds) => {
      clockDoubt = seconds;
    },
    countRefusal: (endpoint, reason) => count(refusals, `endpoint="${endpoint}",reason="${reason}"`),
    noteEncryptionKey: (opens) => void (encryptionKeyOpens = opens),
    countServerKeyEvent: (event) => count(keyEvents, event),
    countTrustAnchorEvent: (event) => count(anchorEvents, event),
    countLogoutAttempt: (outcome) => count(logoutAttempts, outcome),
    countConnectionRefusal: (reason) => count(connectionRefusals, reason),
    countTenant: (event) => count(tenantEvents, event),
    countFailedRead: () => {
      failedReads += 1;
    },
    countFetch: (purpose, outcome) => count(fetches, `purpose="${purpose}",outcome="${outcome}"`),
    showFetchQueues: (read) => {
      fetchQueue = read;
    },
    observeRequest(endpoint, status, seconds) {
      let tally = tallies.get(endpoint);
      if (tally === undefined) {
        tally = {
          byStatus: new Map(),
          byDuration: Array.from({ length: BOUNDS.length + 1 }, () => 0),
          seconds: 0,
        };
        tallies.set(endpoint, tally);
      }
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
      tally.seconds += seconds;
      let bucket = 0;
      while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] ?? Infinity)) bucket += 1;
      tally.byDuration[bucket] = (tally.byDuration[bucket] ?? 0) + 1;
    },
  };
}

/** Renders the Prometheus text exposition format 0.0.4. The endpoints' names need no escaping. */
function exposition(tallies: ReadonlyMap<string, Tally>): string {
  const counters = [...tallies].flatMap(([endpoint, { byStatus }]) =>
    [...byStatus].map(
      ([status, count]) => `chancery_http_requests_total{endpoint="${endpoint}",status="${status}"} ${count}`,
    ),
  );
  const histograms = [...tallies].flatMap(([endpoint, tally]) => histogram(endpoint, tally));
  return [
    '# HELP chancery_http_requests_total Requests answered, by endpoint and status.',
    '# TYPE chancery_http_requests_total counter',
    ...counters,
    '# HELP chancery_http_request_duration_seconds Time from the head of the request to the answer, by endpoint.',
    '# TYPE chancery_http_request_duration_seconds histogram',
    ...histograms,
    '',
  ].join('\n');
}

function failedReadCounter(count: number): string {
  const name = 'chancery_storage_failed_reads_total';
  return [
    `# HELP ${name} Reads of the database that failed because of the disk or the data.`,
    `# TYPE ${name} counter`,
    `${name} ${count}`,
    '',
  ].join('\n');
}

function keyEventCounters(events: ReadonlyMap<string, number>): string {
  return [
    '# HELP chancery_server_key_events_total Changes of server keys made by this process, by kind.',
    '# TYPE chancery_server_key_events_total counter',
    ...[...events].map(([event, count]) => `chancery_server_key_events_total{event="${event}"} ${count}`),
    '',
  ].join('\n');
}

function anchorEventCounters(events: ReadonlyMap<string, number>): string {
  const name = 'chancery_federation_trust_anchor_key_events_total';
  return [
    `# HELP ${name} Events of trust anchors' keys that this process saw, by kind.`,
    `# TYPE ${name} counter`,
    ...[...events].map(([event, count]) => `${name}{event="${event}"} ${count}`),
    '',
  ].join('\n');
}

function logoutCounters(attempts: ReadonlyMap<string, number>): string {
  const name = 'chancery_logout_attempts_total';
  return [
    `# HELP ${name} Attempts of this process to notify a client of the end of a session, by outcome.`,
    `# TYPE ${name} counter`,
    ...[...attempts].map(([outcome, count]) => `${name}{outcome="${outcome}"} ${count}`),
    '',
  ].join('\n');
}

function connectionCounters(refusals: ReadonlyMap<string, number>): string {
  const name = 'chancery_connections_refused_total';
  return [
    `# HELP ${name} Connections that this process refused or ended in their handshake, by the limit.`,
    `# TYPE ${name} counter`,
    ...[...refusals].map(([reason, count]) => `${name}{reason="${reason}"} ${count}`),
    '',
  ].join('\n');
}

/** @param refusals by their labels, which need no escaping */
function refusalCounters(refusals: ReadonlyMap<string, number>): string {
  const name = 'chancery_refusals_total';
  return [
    `# HELP ${name} Requests that an endpoint refused, by endpoint and reason.`,
    `# TYPE ${name} counter`,
    ...[...refusals].map(([labels, count]) => `${name}{${labels}} ${count}`),
    '',
  ].join('\n');
}

function tenantCounters(events: ReadonlyMap<string, number>): string {
  const name = 'chancery_tenant_openings_total';
  return [
    `# HELP ${name} Tenants that this process opened, failed to open, refused to open now, or closed for another one.`,
    `# TYPE ${name} counter`,
    ...[...events].map(([event, count]) => `${name}{outcome="${event}"} ${count}`),
    '',
  ].join('\n');
}

function fetchCounters(fetches: ReadonlyMap<string, number>): string {
  const name = 'chancery_outbound_fetches_total';
  return [
    `# HELP ${name} Fetches from other servers, by purpose and outcome; busy: the limits of fetches refused it or ended it.`,
    `# TYPE ${name} counter`,
    ...[...fetches].map(([labels, count]) => `${name}{${labels}} ${count}`),
    '',
  ].join('\n');
}

/** Renders the queues of fetches; nothing in a process that fetches nothing. */
function fetchGauges(read: ((purpose: FetchPurpose) => FetchQueue) | undefined): string {
  if (read === undefined) return '';
  const name = 'chancery_outbound_queue';
  return [
    `# HELP ${name} Fetches from other servers that run or wait for a slot, by purpose.`,
    `# TYPE ${name} gauge`,
    ...FETCH_PURPOSES.flatMap((purpose) =>
      Object.entries(read(purpose)).map(
        ([state, length]) => `${name}{purpose="${purpose}",state="${state}"} ${length}`,
      ),
    ),
    '',
  ].join('\n');
}

/** @param opens undefined for a process without a database */
function encryptionKeyGauge(opens: boolean | undefined): string {
  const name = 'chancery_encryption_key_opens_database';
  return [
    `# HELP ${name} 1 if encryption.key opens what the database holds, 0 if not.`,
    `# TYPE ${name} gauge`,
    ...(opens === undefined ? [] : [`${name} ${opens ? 1 : 0}`]),
    '',
  ].join('\n');
}

/** @param size undefined without a file */
function fileGauges(size: FileSize | undefined): string {
  const name = 'chancery_sqlite_bytes';
  return [
    `# HELP ${name} Bytes of the SQLite file, of its free pages (within the file), and of its write-ahead log.`,
    `# TYPE ${name} gauge`,
    ...Object.entries(size ?? {}).map(([part, bytes]) => `${name}{part="${part}"} ${bytes}`),
    '',
  ].join('\n');
}

function clockGauge(seconds: number): string {
  const name = 'chancery_clock_doubt_seconds';
  return [
    `# HELP ${name} How far the clock is ahead of the remembered time while it is in doubt; negative behind, 0 without doubt.`,
    `# TYPE ${name} gauge`,
    `${name} ${seconds}`,
    '',
  ].join('\n');
}

function histogram(endpoint: string, { byDuration, seconds }: Tally): readonly string[] {
  const name = 'chancery_http_request_duration_seconds';
  let count = 0;
  const buckets = byDuration.map((requests, index) => {
    count += requests;
    return `${name}_bucket{endpoint="${endpoint}",le="${BOUNDS[index] ?? '+Inf'}"} ${count}`;
  });
  return [
    ...buckets,
    `${name}_sum{endpoint="${endpoint}"} ${seconds}`,
    `${name}_count{endpoint="${endpoint}"} ${count}`,
  ];
}

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
