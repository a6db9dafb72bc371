import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResolvedSettings } from '../config/load-settings.ts';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import { type Readiness, storageState } from '../endpoints/health/endpoint.ts';
import type { Host } from '../http/host.ts';
import type { Tenancy } from '../http/tenancy.ts';
import type { Backups } from '../ports/backup-store.ts';
import type { DevelopmentFacts } from '../ports/development.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ServedFacts } from '../ports/server-facts.ts';
import type { FileCheckState, Storage } from '../ports/storage.ts';
import { systemClock } from '../system/clock.ts';
import { shorteningLog, tracedLog } from '../system/log.ts';
import { prometheusMetrics } from '../system/metrics.ts';
import { type RefusalBounds, rememberingRefusals } from '../system/recent-refusals.ts';
import { managementEndpoints } from '../tenant/management-endpoints.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { openServerBackups } from './backups.ts';
import { openListThreads } from './client-list-threads.ts';
import { doubtText, openProcessClock, type ProcessClock } from './clock.ts';
import { letCollectorsGoLast } from './collector-threads.ts';
import { openConsole } from './console.ts';
import { identityOf, lifeLines, publishFigures, storageMeter } from './figures.ts';
import { beginFileReading } from './file-reading.ts';
import { openKeyRing } from './key-ring.ts';
import { startManagementHost, startPublicHosts, startWaitingHosts } from './listeners.ts';
import { openMemory, type ProcessMemory } from './memory.ts';
import { serverFacts } from './server-facts.ts';
import { openStorageWhenThere, ringKeys, sqlitePath } from './storage.ts';
import { type ProcessStreams, processStreams } from './streams.ts';
import { openTenants, type TenantsNeeds } from './tenants.ts';
import { openTls } from './tls.ts';
import { openProcessTracing, type ProcessTracing } from './tracing.ts';
import { startUpkeep } from './upkeep.ts';

export interface RunningServer {
  readonly address: AddressInfo;
  readonly managementAddress: AddressInfo;
  /** The default one. */
  readonly tenant: Tenant;
  /**
   * Finishes what is under way, then closes everything in the reverse order of its opening.
   * @param atOnce closes the listeners without the grace period `stop.delay`
   */
  close(atOnce?: boolean): Promise<void>;
}

/**
 * The service and the management listener, in one process. The management listener is there before the service, which
 * may wait for its database, and goes after it.
 * Undefined where it was stopped while it waited.
 */
export async function startServer(
  given: Settings,
  mode: Mode,
  wholeLog: Log,
  stopped: AbortSignal,
  { origins, development }: Pick<ServiceNeeds, 'origins' | 'development'> = {},
): Promise<RunningServer | undefined> {
  let settings = given;
  const log = shorteningLog(wholeLog, settings);
  const memory = openMemory(settings);
  const measured = prometheusMetrics(() => memory.caches.figures());
  let service: Service | undefined;
  const state = (): Readiness | Promise<Readiness> => service?.state() ?? { status: 'starting' };
  const management = await startManagementHost({
    settings,
    endpoints: managementEndpoints({ metrics: measured, state, ...openConsole(() => settings) }),
    administration: () => service?.administration,
    log,
    measured,
  });
  // The console is known by the address of this listener, which may have taken a free port.
  settings = { ...settings, 'management.listen-port': management.address.port };
  try {
    service = await startService({
      settings,
      mode,
      log,
      measured,
      memory,
      shared: false,
      check: true,
      stopped,
      ...(origins === undefined ? {} : { origins }),
      ...(development === undefined ? {} : { development }),
    });
  } catch (failure) {
    await management.close();
    throw failure;
  }
  if (service === undefined) {
    await management.close();
    return undefined;
  }
  const running = service;
  return {
    address: running.address,
    managementAddress: management.address,
    tenant: running.tenant,
    async close(atOnce = false) {
      management.drain();
      await running.close(atOnce);
      await management.close();
    },
  };
}

export interface ServiceNeeds {
  readonly settings: Settings;
  readonly mode: Mode;
  readonly log: Log;
  readonly measured: Metrics;
  readonly memory: ProcessMemory;
  /** Whether other processes of this server listen at the same ports. */
  readonly shared: boolean;
  /** Whether this process checks the SQLite file. */
  readonly check: boolean;
  /** Ends the waiting for a database that is away. */
  readonly stopped: AbortSignal;
  /** The source of each setting. */
  readonly origins?: ResolvedSettings['origins'];
  /** For the start page; absent in production. */
  readonly development?: DevelopmentFacts;
  /** Asks the other workers; absent for a server with one process. */
  readonly servedByOthers?: () => Promise<readonly ServedFacts[]>;
}

/** The protocol, served by this process. */
export interface Service {
  readonly address: AddressInfo;
  /** The default one. */
  readonly tenant: Tenant;
  /** For the management listener. */
  readonly administration: Tenancy;
  state(): Promise<Readiness>;
  /** Returns what this process has answered and refused. */
  served(): ServedFacts;
  /** Resolves with the damage that the check of the database file finds; never if it finds none. */
  readonly damage: Promise<string>;
  /** Refuses every write from now on. */
  stopWrites(reason: string): void;
  /**
   * Serves for `stop.delay` more while readiness is 503, finishes what is under way, closes everything.
   * @param atOnce closes the listeners without that grace period
   */
  close(atOnce?: boolean): Promise<void>;
}

/**
 * Opens settings, storage, tenants and listeners in this order. If a step fails, closes the earlier ones.
 * Returns undefined if it is stopped while it waits for the database.
 */
export async function startService(needs: ServiceNeeds): Promise<Service | undefined> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer();
  };
  const { log, refusals } = rememberingRefusals(needs.log, () => systemClock.now(), REFUSALS_MAX);
  const served = (): ServedFacts => ({ requests: needs.measured.answers(), refusals: refusals() });
  const { settings, measured: metrics, check: counts, development } = needs;
  const offered = {
    backups: openServerBackups({ settings, log, metrics, counts, closers }),
    ...openConsole(() => settings),
    ...(development === undefined ? {} : { development }),
  };
  try {
    const service = await open({ ...needs, log, served, offered }, closers, close);
    if (service === undefined) return undefined;
    void letCollectorsGoLast();
    return { ...service, served };
  } catch (failure) {
    await close();
    throw failure;
  }
}

/** Parts of the process that its default tenant offers. */
interface Offered extends Pick<ServiceNeeds, 'development'>, ReturnType<typeof openConsole> {
  readonly backups: Backups;
}

/** Refusals that the administration can show. */
const REFUSALS_MAX: RefusalBounds = { latest: 500, perClient: 10, clients: 300 };

/** Opens the traces of the process, and a log that names them. */
async function openTraces(
  { settings, measured, log }: Pick<ServiceNeeds, 'settings' | 'measured' | 'log'>,
  closers: (() => Promise<void>)[],
): Promise<{ readonly tracing: ProcessTracing; readonly log: Log }> {
  const tracing = await openProcessTracing(settings, measured);
  closers.push(async () => await tracing.close());
  return { tracing, log: tracedLog(log, tracing) };
}

async function open(
  needs: ServiceNeeds & Pick<Service, 'served'> & { readonly offered: Offered },
  closers: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<Omit<Service, 'served'> | undefined> {
  const { settings, mode, measured, memory, shared, check, stopped } = needs;
  const { tracing, log } = await openTraces(needs, closers);
  const tls = openTls(settings, log);
  const waiting = { settings, log, measured, tracing, bodies: memory.bodies, shared };
  const opened = await openStorageWhenThere({
    settings,
    mode,
    log,
    check,
    meter: storageMeter(measured),
    failedRead: () => measured.count('chancery_storage_failed_reads_total', {}),
    stopped,
    meanwhile: async () => await startWaitingHosts({ ...waiting, tls: tls.material }),
  });
  if (opened === undefined) return undefined;
  const { storage } = opened;
  closers.push(async () => await storage.close());
  publishFigures(measured, settings, storage, tls);
  const keyRing = await openKeyRing({ settings, storage, sealer: opened.sealer, log, metrics: measured });
  closers.push(async () => await keyRing.stop());
  const clock = await openProcessClock({ settings, storage, log, metrics: measured });
  const streams = processStreams(settings);
  const tenants = await openTenants({
    streams,
    settings,
    clock: clock.serving,
    mode,
    storage,
    sealer: keyRing.sealer,
    ...openLists(settings, log, closers),
    log,
    caches: memory.caches,
    metrics: measured,
    tracing,
    certificateAuthorities: tls.authorities,
    server: serverFacts({ ...needs, storage, tls }),
    ...needs.offered,
  });
  closers.push(async () => await tenants.close());
  const upkeep = startUpkeep({ settings, tenants, storage, metrics: measured, clock, log, counts: check });
  closers.push(async () => await upkeep.stop());
  const sites = [await tenants.first.site(settings.issuer)];
  const hosts = await startPublicHosts({ ...waiting, sites, tenancy: tenants.tenancy, tls: tls.material });
  closers.push(renewingCertificates(tls, hosts, streams));
  closers.push(await beginFileReading({ settings, storage, check, log }));
  const lines = lifeLines(log, mode, identityOf(settings, hosts, tenants.count()));
  lines.serves(memory);
  let stopping = false;
  return {
    address: hosts[0].address,
    tenant: tenants.first,
    administration: tenants.administration,
    damage: damageOf(storage, log),
    stopWrites: (reason) => storage.stopWrites?.(reason),
    state: async () =>
      stopping ? { status: 'stopping' } : withDoubt(clock, await storageState(storage, log, keyRing.check)),
    async close(atOnce = false) {
      stopping = true;
      lines.stops();
      if (!atOnce) await drain(hosts, settings['stop.delay']);
      await close();
      lines.stopped();
    },
  };
}

function withDoubt(clock: ProcessClock, state: Readiness): Readiness {
  const doubt = clock.doubt();
  return doubt === undefined ? state : { ...state, clock: doubtText(doubt) };
}

/** Logs damage of the database file where the check finds it. */
function damageOf(storage: Storage, log: Log): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const report = (outcome: FileCheckState): void => {
    if (outcome.state !== 'damaged') return;
    log.error(
      { reason: outcome.reason },
      'the database is damaged: writes are refused; restore it from a backup',
    );
    resolve(`the database is damaged (${outcome.reason}): restore it from a backup`);
  };
  void storage.fileCheck?.ended.then(report);
  return promise;
}

/** Opens the threads of long lists of clients. A database server is read by the main thread. */
function openLists(
  settings: Settings,
  log: Log,
  closers: (() => Promise<void>)[],
): Pick<TenantsNeeds, 'clientPagesFor'> {
  const path = sqlitePath(settings);
  if (path === undefined) return {};
  const threads = openListThreads({ path, keys: ringKeys(settings), log });
  closers.push(async () => await threads.close());
  return { clientPagesFor: (tenant) => threads.forTenant(tenant) };
}

/** Waits until load balancers have seen the readiness, and tells each connection with its answer to close. */
async function drain(hosts: readonly Host[], seconds: number): Promise<void> {
  if (seconds === 0) return;
  for (const host of hosts) host.drain();
  await sleep(seconds * 1000);
}

/** Renews the certificates of listeners as they change. Returns what closes them; streams end first, as the last answers. */
function renewingCertificates(
  tls: ReturnType<typeof openTls>,
  hosts: readonly Host[],
  { streams, revocationStreams }: ProcessStreams,
): () => Promise<void> {
  const watching = tls.watch((material) => hosts.forEach((host) => host.renewTls(material)));
  return async () => {
    watching.stop();
    streams.stop();
    revocationStreams.stop();
    await Promise.all(hosts.map((host) => host.close()));
  };
}
