import { environmentName } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import { type Host, type Listen, startHost } from '../http/host.ts';
import { BodyMemory } from '../http/request-body.ts';
import { buildRouter, type Site } from '../http/router.ts';
import type { Tenancy } from '../http/tenancy.ts';
import type { TlsListen, TlsMaterial } from '../http/tls-listener.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import { StorageUnavailable } from '../ports/storage.ts';
import type { Tracing } from '../ports/tracing.ts';
import { type RequestWaits, requestWaits } from '../storage/request-waits.ts';
import { managementTenancy } from './administration.ts';
import { FORWARDED } from './forwarding.ts';

/** New connections that one turn of the event loop accepts. */
const ACCEPTORS = 8;

/** Requests about health are short. */
const MANAGEMENT_CLOSE_TIMEOUT_MS = 1000;

export interface PublicHostNeeds {
  readonly settings: Settings;
  readonly sites: readonly Site[];
  readonly tenancy: Tenancy;
  readonly log: Log;
  readonly measured: Metrics;
  readonly tracing: Tracing;
  /** The memory of bodies that are under way, in bytes. */
  readonly bodies: number;
  readonly tls: TlsMaterial;
  /** Whether other processes listen at the same ports. */
  readonly shared: boolean;
}

/** Parts that the listeners of the protocol share. */
interface Common {
  readonly bodies: BodyMemory;
  readonly requests: RequestWaits;
}

/** Starts all listeners of the protocol; the first one is the public one. */
export async function startPublicHosts(needs: PublicHostNeeds): Promise<readonly [Host, ...Host[]]> {
  const common: Common = {
    bodies: new BodyMemory(needs.bodies),
    requests: requestWaits(needs.settings['storage.deadline']),
  };
  const host = await startPublicHost(needs, common);
  if (needs.settings['listen.mtls-port'] === 0) return [host];
  try {
    return [host, await startMutualTlsHost(needs, common)];
  } catch (failure) {
    await host.close();
    throw failure;
  }
}

async function startPublicHost(needs: PublicHostNeeds, common: Common): Promise<Host> {
  const { settings, tls } = needs;
  const asksForCertificates = settings['listen.tls-client-certificates'] !== 'off';
  return await startHostOfSites(needs, common, {
    port: settings['listen.port'],
    ...(tls.certificate === '' ? {} : { tls: tlsListen(needs, asksForCertificates) }),
  });
}

/** The listener that asks for certificates, so that the other need not (RFC 8705 §5). */
async function startMutualTlsHost(needs: PublicHostNeeds, common: Common): Promise<Host> {
  const { settings } = needs;
  const port = settings['listen.mtls-port'];
  return await startHostOfSites(needs, common, { port, tls: tlsListen(needs, true) });
}

function tlsListen({ settings, tls }: PublicHostNeeds, asksForCertificates: boolean): TlsListen {
  return {
    ...tls,
    asksForCertificates,
    minVersion: settings['listen.tls-min-version'],
    cipherSuites: settings['listen.tls-cipher-suites'],
    hstsMaxAge: settings['listen.tls-hsts-max-age'],
  };
}

async function startHostOfSites(
  { settings, sites, tenancy, log, measured, tracing, shared }: PublicHostNeeds,
  { bodies, requests }: Common,
  listener: Pick<Listen, 'port' | 'tls'>,
): Promise<Host> {
  const setting = listener.port === settings['listen.mtls-port'] ? 'listen.mtls-port' : 'listen.port';
  return await bound(setting, {
    sites,
    tenancy,
    listen: {
      ...listenOptions(settings),
      host: settings['listen.host'],
      reusePort: shared,
      acceptors: ACCEPTORS,
      connectionsPerNetwork: settings['listen.connections-per-network'],
      handshakesPerNetwork: settings['listen.tls-handshakes-per-network'],
      certificateHeader: settings['client-authentication.certificate-header'] !== 'off',
      ...listener,
    },
    limits: { body: settings['limits.body'], bodies, header: settings['limits.header'] },
    requests,
    tracing,
    log,
    observe: (endpoint, status, seconds) => measured.observeRequest(endpoint, status, seconds),
    connectionRefused: (reason) => measured.count('chancery_connections_refused_total', { reason }),
    observeRefusal: (endpoint, reason) => measured.count('chancery_refusals_total', { endpoint, reason }),
  });
}

/** Answers each request with 500, as with a database that goes away later. */
const NO_TENANTS_YET: PublicHostNeeds['tenancy'] = {
  several: () => true,
  names() {
    throw new StorageUnavailable('the database is away', { mayComeBack: true });
  },
  router() {
    throw new StorageUnavailable('the database is away', { mayComeBack: true });
  },
};

/** Answers at the ports of the protocol while the database is away. @returns a function that closes them */
export async function startWaitingHosts(
  needs: Omit<PublicHostNeeds, 'sites' | 'tenancy'>,
): Promise<() => Promise<void>> {
  // The log has said once that the database is away: each request does not say it again.
  const log: Log = { ...needs.log, error: () => undefined };
  const hosts = await startPublicHosts({ ...needs, log, sites: [], tenancy: NO_TENANTS_YET });
  return async () => void (await Promise.all(hosts.map((host) => host.close())));
}

export interface ManagementHostNeeds {
  readonly settings: Settings;
  /** Health and metrics. */
  readonly endpoints: Site['endpoints'];
  /** Returns the administration of the tenants; undefined until they are open. */
  readonly administration: () => Tenancy | undefined;
  readonly log: Log;
  readonly measured: Metrics;
  /** For a worker. Its supervisor alone knows the secret in front of each path, and passes requests on. */
  readonly behindSupervisor?: { readonly secret: string };
}

/** Where the supervisor reaches its workers. */
const LOOPBACK = '127.0.0.1';

export async function startManagementHost({
  settings,
  endpoints,
  administration,
  log,
  measured,
  behindSupervisor,
}: ManagementHostNeeds): Promise<Host> {
  const body = settings['limits.body'];
  const sites = [{ issuerPath: '', endpoints, allowedOrigins: [] }];
  // The supervisor passes on what workers count.
  const uncounted = new Set([...endpoints.map(({ contract }) => contract.name), FORWARDED]);
  const prefix = behindSupervisor === undefined ? '' : `/${behindSupervisor.secret}`;
  return await bound('management.listen-port', {
    sites,
    tenancy: managementTenancy(buildRouter(sites), administration, prefix),
    anyoneNamesTenant: true,
    requests: requestWaits(settings['storage.deadline']),
    listen: {
      ...listenOptions(settings),
      ...(behindSupervisor === undefined
        ? { host: settings['management.listen-host'], port: settings['management.listen-port'] }
        : { host: LOOPBACK, port: 0, trustedProxies: [`${LOOPBACK}/32`] }),
      closeTimeout: MANAGEMENT_CLOSE_TIMEOUT_MS,
    },
    limits: { body, bodies: new BodyMemory(body), header: settings['limits.header'] },
    log,
    // Scrapes and probes are not requests of anyone.
    observe: (endpoint, status, seconds) =>
      uncounted.has(endpoint) ? undefined : measured.observeRequest(endpoint, status, seconds),
    observeRefusal: (endpoint, reason) => measured.count('chancery_refusals_total', { endpoint, reason }),
  });
}

/** An address that the process cannot listen on. The message names the setting. */
class ListenFailed extends Error {
  override readonly name = 'ListenFailed';
}

type PortSetting = 'listen.port' | 'listen.mtls-port' | 'management.listen-port';

const BIND_FAILURES: Readonly<Partial<Record<string, string>>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'the process may not listen there (ports below 1024 need a privilege)',
  EADDRNOTAVAIL: 'this machine has no such address',
};

async function bound(setting: PortSetting, options: Parameters<typeof startHost>[0]): Promise<Host> {
  try {
    return await startHost(options);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? '';
    const reason = BIND_FAILURES[code];
    if (reason === undefined) throw cause;
    const { host, port } = options.listen;
    throw new ListenFailed(
      `${setting}: ${reason}: ${host}:${port} (${code}); set ${environmentName(setting)} to another port`,
      { cause },
    );
  }
}

function listenOptions(settings: Settings): Omit<Listen, 'host' | 'port'> {
  return {
    maxConnections: settings['listen.max-connections'],
    headersTimeout: settings['listen.headers-timeout'] * 1000,
    requestTimeout: settings['listen.request-timeout'] * 1000,
    checkInterval: settings['listen.timeout-check-interval'] * 1000,
    keepAliveTimeout: settings['listen.keep-alive-timeout'] * 1000,
    trustedProxies: settings['listen.trusted-proxies'],
    closeTimeout: settings['stop.deadline'] * 1000,
  };
}
