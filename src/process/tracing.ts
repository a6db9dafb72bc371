import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Settings } from '../config/settings.ts';
import type { Counting } from '../ports/metrics.ts';
import type { TenantStorage } from '../ports/storage.ts';
import type { Tracing } from '../ports/tracing.ts';
import { programVersion } from '../system/program-version.ts';
import { openTracing } from '../system/tracing.ts';
import type { ProcessPlatform } from './platform.ts';

/** The traces of a process. */
export interface ProcessTracing extends Tracing {
  /** Whether spans are recorded; otherwise nothing but requests and fetches is asked about traces. */
  readonly records: boolean;
  /** Sends the last spans. */
  close(): Promise<void>;
}

const INSTANCE_BYTES = 8;

/** Opens the traces that the settings ask for. The exporter is loaded only where spans are recorded. */
export async function openProcessTracing(
  settings: Settings,
  metrics: Pick<Counting, 'count'>,
): Promise<ProcessTracing> {
  const endpoint = settings['tracing.endpoint'];
  if (endpoint === 'none')
    return { ...openTracing(), records: false, close: async () => await Promise.resolve() };
  const { openSpanExporter } = await import('../system/span-exporter.ts');
  const exporter = openSpanExporter({
    endpoint,
    resource: {
      'service.name': 'chancery',
      'service.version': programVersion(),
      'service.instance.id': randomBytes(INSTANCE_BYTES).toString('hex'),
      'host.name': hostname(),
    },
    count: (outcome, spans) => metrics.count('chancery_trace_spans_total', { outcome }, spans),
  });
  const share = settings['tracing.sample-percent'] / 100;
  return {
    ...openTracing({ record: exporter.record, share }),
    records: true,
    close: async () => await exporter.close(),
  };
}

/** Adds spans for authentication, storage and signing to a platform. Without a recording it stays as it is. */
export function withSpans(platform: ProcessPlatform, tracing: ProcessTracing | undefined): ProcessPlatform {
  if (tracing?.records !== true) return platform;
  const { jose, passwords, cached } = platform;
  return {
    ...platform,
    tracing,
    jose: {
      ...jose,
      signer: {
        sign: async (claims, header, key) =>
          await tracing.span('sign', 'internal', { 'chancery.alg': header.alg }, () =>
            jose.signer.sign(claims, header, key),
          ),
        signOctets: async (octets, alg, key) =>
          await tracing.span('sign', 'internal', { 'chancery.alg': alg }, () =>
            jose.signer.signOctets(octets, alg, key),
          ),
      },
    },
    passwords: {
      hash: (password) => tracing.span('hash password', 'internal', {}, () => passwords.hash(password)),
      verify: (password, hash) =>
        tracing.span('authenticate end-user', 'internal', {}, () => passwords.verify(password, hash)),
      isOutdated: (hash) => passwords.isOutdated(hash),
    },
    cached: (storage, limits, caches) => cached(tracedStorage(storage, tracing), limits, caches),
  };
}

type Verb = (...values: readonly unknown[]) => unknown;

/** Adds a span to each verb of a storage. The journal is read before each answer: its reads are left out. */
function tracedStorage(storage: TenantStorage, tracing: Tracing): TenantStorage {
  const traced = (noun: string, verbs: object): object =>
    Object.fromEntries(
      Object.entries(verbs).map(([verb, act]: [string, Verb]) => [
        verb,
        (...values: readonly unknown[]) =>
          tracing.span(`storage ${noun}.${verb}`, 'client', {}, () => act(...values)),
      ]),
    );
  return Object.fromEntries(
    Object.entries(storage).map(([noun, verbs]: [string, object]) => [
      noun,
      noun === 'journal' ? verbs : traced(noun, verbs),
    ]),
  ) as unknown as TenantStorage;
}
