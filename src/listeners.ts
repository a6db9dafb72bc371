import type { Settings } from './config/settings.ts';
import { type Host, type Listen, startHost } from './http/fastify-host.ts';
import type { Site } from './http/site.ts';
import type { TlsMaterial } from './http/tls-listener.ts';
import type { Log } from './ports/log.ts';
import type { Metrics } from './ports/metrics.ts';
import type { Tenants } from './tenants.ts';

/** How long a stopping server waits for requests under way. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface PublicHostNeeds {
  readonly settings: Settings;
  readonly tenants: Tenants;
  readonly log: Log;
  readonly measured: Metrics;
  readonly tls: TlsMaterial;
}

export async function startPublicHost(needs: PublicHostNeeds): Promise<Host> {
  const { settings, tls } = needs;
  const asksForCertificates = settings['listen.tls-client-certificates'] !== 'off';
  return await startHostOfSites(needs, {
    port: settings['listen.port'],
    ...(tls.certificate === '' ? {} : { tls: { ...tls, asksForCertificates } }),
  });
}

/** The listener that asks for certificates, so that the other need not (RFC 8705 §5). */
export async function startMutualTlsHost(needs: PublicHostNeeds): Promise<Host> {
  const { settings, tls } = needs;
  const port = settings['listen.mtls-port'];
  return await startHostOfSites(needs, { port, tls: { ...tls, asksForCertificates: true } });
}

async function startHostOfSites(
  { settings, tenants, log, measured }: PublicHostNeeds,
  listener: Pick<Listen, 'port' | 'tls'>,
): Promise<Host> {
  return await startHost({
    sites: [tenants.first.site(settings.issuer)],
    tenancy: tenants.tenancy,
    listen: {
      ...listenOptions(settings),
      host: settings['listen.host'],
      certificateHeader: settings['client-authentication.certificate-header'] !== 'off',
      ...listener,
    },
    limits: { body: settings['limits.body'], header: settings['limits.header'] },
    log,
    observe: (endpoint, status, seconds) => measured.observeRequest(endpoint, status, seconds),
  });
}

export async function startManagementHost(
  settings: Settings,
  endpoints: Site['endpoints'],
  log: Log,
): Promise<Host> {
  return await startHost({
    sites: [{ issuerPath: '', endpoints, allowedOrigins: [] }],
    listen: {
      ...listenOptions(settings),
      host: settings['management.listen-host'],
      port: settings['management.listen-port'],
    },
    limits: { body: settings['limits.body'], header: settings['limits.header'] },
    log,
    observe: () => undefined,
  });
}

function listenOptions(settings: Settings): Omit<Listen, 'host' | 'port'> {
  return {
    maxConnections: settings['listen.max-connections'],
    headersTimeout: settings['listen.headers-timeout'] * 1000,
    requestTimeout: settings['listen.request-timeout'] * 1000,
    checkInterval: settings['listen.timeout-check-interval'] * 1000,
    keepAliveTimeout: settings['listen.keep-alive-timeout'] * 1000,
    trustedProxies: settings['listen.trusted-proxies'],
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
}
