import { X509Certificate } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ServerFacts } from '../ports/server-facts.ts';
import type { Storage, StorageMeter } from '../ports/storage.ts';
import { programVersion } from '../system/program-version.ts';
import type { ProcessMemory } from './memory.ts';
import type { OpenedTls } from './tls.ts';

/** Returns the storage engine that the settings name. */
export const engineOf = (settings: Pick<Settings, 'storage.url'>): 'sqlite' | 'postgresql' =>
  settings['storage.url'].startsWith('sqlite:') ? 'sqlite' : 'postgresql';

/** Returns the engine and the place of the database, without user and password. */
function storageName(settings: Settings): string {
  const url = settings['storage.url'].replace(/\/\/[^/]*@/u, '//');
  return url.split('?', 1)[0] ?? url;
}

/** Writes the lines that say that a server begins or ends. The development mode prints a banner of its own. */
export function lifeLines(log: Log, mode: Mode, identity: Readonly<Record<string, unknown>>): LifeLines {
  const said = mode === 'production' ? log : undefined;
  return {
    serves(memory) {
      if (said !== undefined) memory.report(said);
      said?.info(identity, 'the server serves');
    },
    stops: () => said?.info(identity, 'the server stops'),
    stopped: () => said?.info(identity, 'the server has stopped'),
  };
}

interface LifeLines {
  serves(memory: Pick<ProcessMemory, 'report'>): void;
  stops(): void;
  stopped(): void;
}

/** Returns the members of those lines. */
export function identityOf(
  settings: Settings,
  hosts: readonly { readonly address: AddressInfo }[],
  tenants: number,
): Readonly<Record<string, unknown>> {
  return {
    version: programVersion(),
    node: process.versions.node,
    issuer: settings.issuer,
    storage: storageName(settings),
    listeners: hosts.map(({ address: { address, port, family } }) =>
      family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`,
    ),
    tenants,
  };
}

/** Counts the time and the batches of the storage. */
export function storageMeter(metrics: Metrics): StorageMeter {
  return {
    took: (kind, seconds) => metrics.observe('chancery_storage_duration_seconds', { kind }, seconds),
    batch: (writes) => metrics.observe('chancery_storage_batch_writes', {}, writes),
  };
}

/** Publishes what does not change, and what is read when the metrics are read. */
export function publishFigures(
  metrics: Metrics,
  settings: Settings,
  storage: Pick<Storage, 'figures'>,
  tls: OpenedTls,
): void {
  publishBuild(metrics, settings);
  publishStorage(metrics, storage);
  publishCertificates(metrics, tls);
}

/** Publishes the version of the program and of its parts. */
function publishBuild(metrics: Metrics, settings: Settings): void {
  const labels = { version: programVersion(), node: process.versions.node, storage: engineOf(settings) };
  metrics.set('chancery_build_info', labels, 1);
}

function publishStorage(metrics: Metrics, storage: Pick<Storage, 'figures'>): void {
  metrics.gauge('chancery_storage_writes_waiting', () => [[{}, storage.figures().writesWaiting]]);
  metrics.gauge('chancery_storage_connections', () =>
    storage
      .figures()
      .pools.flatMap(({ pool, ...states }) =>
        Object.entries(states).map(([state, count]) => [{ pool, state }, count] as const),
      ),
  );
}

/** Publishes when the certificates expire that the files hold now. */
function publishCertificates(metrics: Metrics, tls: OpenedTls): void {
  metrics.gauge('chancery_tls_certificate_expiry_timestamp_seconds', () =>
    certificateEnds(tls).map(({ name, expires_at }) => [{ certificate: name }, expires_at] as const),
  );
}

/** Returns when the certificate of the listener expires, and the first of those of the authorities for clients. */
export function certificateEnds(tls: OpenedTls): ReturnType<ServerFacts['certificates']> {
  const { certificate } = tls.material;
  const own = certificate === '' ? [] : [endOf(new X509Certificate(certificate))];
  const authorities = tls.authorities().map(({ x509 }) => endOf(x509));
  return [
    ...own.map((expires_at) => ({ name: 'listener', expires_at })),
    ...(authorities.length === 0 ? [] : [{ name: 'client-authority', expires_at: Math.min(...authorities) }]),
  ];
}

const endOf = ({ validToDate }: X509Certificate): number => Math.floor(validToDate.getTime() / 1000);
