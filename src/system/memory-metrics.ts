import { readFileSync } from 'node:fs';
import type { CacheFigures } from '../spec/bounded-map.ts';

/** Renders the figures of caches, and the resident memory of this process (Prometheus text). */
export const memoryMetrics = (caches: readonly CacheFigures[]): string =>
  `${cacheMetrics(caches)}${residentMemory()}`;

type CacheNumber = Exclude<keyof CacheFigures, 'name'>;

const CACHE_METRICS: readonly (readonly [CacheNumber, string, 'gauge' | 'counter', string])[] = [
  ['entries', 'entries', 'gauge', 'Entries in memory, by cache.'],
  ['bytes', 'bytes', 'gauge', 'Estimated memory of the entries, by cache.'],
  ['bytesMax', 'bytes_max', 'gauge', 'The bound of the memory, by cache. cache.memory is their sum.'],
  ['hits', 'hits_total', 'counter', 'Look-ups that found an entry, by cache.'],
  ['misses', 'misses_total', 'counter', 'Look-ups that found no entry, by cache.'],
  ['evictions', 'evictions_total', 'counter', 'Entries that made room for others, by cache.'],
];

function cacheMetrics(caches: readonly CacheFigures[]): string {
  if (caches.length === 0) return '';
  const lines = CACHE_METRICS.flatMap(([figure, suffix, type, words]) => [
    `# HELP chancery_cache_${suffix} ${words}`,
    `# TYPE chancery_cache_${suffix} ${type}`,
    ...caches.map((cache) => `chancery_cache_${suffix}{cache="${cache.name}"} ${cache[figure]}`),
  ]);
  return [...lines, ''].join('\n');
}

const STATUS = '/proc/self/status';
const KINDS = [
  ['anonymous', 'RssAnon'],
  ['file', 'RssFile'],
] as const;

/** Returns `''` where the system does not tell. */
function residentMemory(): string {
  const status = statusText();
  const samples = KINDS.flatMap(([kind, field]) => {
    const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1];
    return kibibytes === undefined
      ? []
      : [`chancery_resident_memory_bytes{kind="${kind}"} ${Number(kibibytes) * 1024}`];
  });
  if (samples.length === 0) return '';
  return [
    '# HELP chancery_resident_memory_bytes Resident memory of the process: its own (anonymous), and pages of program files, which the system may take back (file).',
    '# TYPE chancery_resident_memory_bytes gauge',
    ...samples,
    '',
  ].join('\n');
}

function statusText(): string {
  try {
    return readFileSync(STATUS, 'latin1');
  } catch {
    return '';
  }
}
