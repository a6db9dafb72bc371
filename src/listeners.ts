import type { Settings } from './config/settings.ts';
import { type Host, startHost } from './http/fastify-host.ts';
import type { Log } from './ports/log.ts';
import type { Metrics } from './ports/metrics.ts';
import type { Tenant } from './tenant.ts';

/** How long a stopping server waits for requests under way. */
const CLOSE_TIMEOUT_MS = 10_000;

export async function startPublicHost(
  settings: Settings,
  tenant: Tenant,
  log: Log,
  measured: Metrics,
): Promise<Host> {
  return await startHost({
    sites: [tenant.site],
    listen: { ...listenOptions(settings), host: settings['listen.host'], port: settings['listen.port'] },
    limits: { body: settings['limits.body'], header: settings['limits.header'] },
    log,
    observe: (endpoint, status, seconds) => measured.observeRequest(endpoint, status, seconds),
  });
}

export async function startManagementHost(
  settings: Settings,
  endpoints: Tenant['site']['endpoints'],
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

function listenOptions(settings: Settings): Omit<Parameters<typeof startHost>[0]['listen'], 'host' | 'port'> {
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
