import type { AddressInfo } from 'node:net';
import { pruneIdleClients } from './clients/prune-clients.ts';
import { sweepAuditEvents } from './clients/sweep-audit.ts';
import type { Settings } from './config/settings.ts';
import { healthLive, healthReady } from './endpoints/health/endpoint.ts';
import { metrics } from './endpoints/metrics/endpoint.ts';
import { type Host, startHost } from './http/fastify-host.ts';
import { openOutboundHttp } from './outbound/outbound-http.ts';
import type { Log } from './ports/log.ts';
import type { Metrics } from './ports/metrics.ts';
import type { OutboundHttp } from './ports/outbound-http.ts';
import { SealBroken, type Sealer } from './ports/sealer.ts';
import { type Storage, StorageUnavailable } from './ports/storage.ts';
import { DEFAULT_TENANT } from './spec/identifiers.ts';
import { parsePortRange } from './spec/port-range.ts';
import { openSqliteStorage } from './storage/sqlite/open.ts';
import { systemClock } from './system/clock.ts';
import { prometheusMetrics } from './system/metrics.ts';
import { sealerWith } from './system/sealer.ts';
import { openTenant, type Tenant } from './tenant.ts';
import { sweepExpired } from './tokens/sweep.ts';

export interface RunningServer {
  readonly address: AddressInfo;
  readonly managementAddress: AddressInfo;
  readonly tenant: Tenant;
  /** Finishes what is under way, then closes everything in the reverse order of its opening. */
  close(): Promise<void>;
}

/** How long a stopping server waits for requests under way. */
const CLOSE_TIMEOUT_MS = 10_000;

const CANARY_PLACE = 'canary';

/** Settings → storage → tenants → servers. What was opened is closed again when a later step fails. */
export async function startServer(settings: Settings, log: Log): Promise<RunningServer> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer();
  };
  try {
    const sealer = sealerOf(settings);
    const storage = await openStorage(settings, { check: true });
    closers.push(async () => await storage.close());
    await requireRightKey(storage, sealer);
    const outbound = openOutbound(settings);
    const tenant = await openTenant({ id: DEFAULT_TENANT, settings, storage, sealer, outbound, log });
    closers.push(async () => await tenant.close());
    const sweeping = startSweeping(settings, tenant, log);
    closers.push(async () => await sweeping.stop());
    const measured = prometheusMetrics();
    const host = await startPublicHost(settings, tenant, log, measured);
    closers.push(async () => await host.close());
    let serving = true;
    const ready = healthReady({ storage, isServing: () => serving, log });
    const management = await startManagementHost(settings, [healthLive(), ready, metrics(measured)], log);
    closers.push(async () => await management.close());
    return {
      address: host.address,
      managementAddress: management.address,
      tenant,
      async close() {
        serving = false;
        await close();
      },
    };
  } catch (failure) {
    await close();
    throw failure;
  }
}

export function sealerOf(settings: Settings): Sealer {
  return sealerWith((settings['encryption.key'] ?? []).map((key) => Buffer.from(key, 'hex')));
}

export async function openStorage(
  settings: Settings,
  options: { readonly check: boolean },
): Promise<Storage> {
  return await openSqliteStorage(settings['storage.url'].slice('sqlite:'.length), options);
}

/** A wrong key is noticed here, in one clear line, and not by the first client that reads its secret. */
export async function requireRightKey(storage: Storage, sealer: Sealer): Promise<void> {
  const kept = await storage.sealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
  try {
    sealer.open(kept, CANARY_PLACE);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new StorageUnavailable(
      'encryption.key does not open what the database holds: it was sealed with another key',
      { cause },
    );
  }
}

export async function resealCanary(storage: Storage, sealer: Sealer): Promise<void> {
  await storage.replaceSealCanary(sealer.seal(CANARY_PLACE, CANARY_PLACE));
}

export function openOutbound(settings: Settings): OutboundHttp {
  return openOutboundHttp(
    {
      allowHttp: settings['outbound.allow-http'],
      ports: settings['outbound.ports'].flatMap((ports) => parsePortRange(ports) ?? []),
      allowNetworks: settings['outbound.allow-networks'],
      ownOrigins: [new URL(settings.issuer).origin],
      timeoutMs: settings['outbound.timeout'] * 1000,
      bodyMax: settings['outbound.body-limit'],
      fetchesPerHost: settings['outbound.fetches-per-host'],
      fetches: settings['outbound.fetches'],
      negativeCacheMs: settings['outbound.negative-cache'] * 1000,
    },
    { clock: systemClock },
  );
}

/** Removes what has expired and ends what is idle, again and again, one round at a time. */
function startSweeping(settings: Settings, tenant: Tenant, log: Log): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= sweepOnce(settings, tenant, log).finally(() => {
      running = undefined;
    });
  }, settings['storage.sweep-interval'] * 1000);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function sweepOnce(settings: Settings, tenant: Tenant, log: Log): Promise<void> {
  const { accessTokens, replays, audit } = tenant.storage;
  const sweep = { clock: systemClock, log, batch: settings['storage.sweep-batch'] };
  await sweepExpired({ ...sweep, store: accessTokens, what: 'tokens' });
  await sweepExpired({ ...sweep, store: replays, what: 'identifiers of client assertions' });
  await sweepAuditEvents({ ...sweep, audit, lifetime: settings['audit.lifetime'] });
  const idleSeconds = settings['registration.idle-client-lifetime'];
  if (idleSeconds === 0) return;
  // Who was seen in this very second is in memory only.
  await tenant.uses.flush();
  try {
    await pruneIdleClients(tenant.registry, {
      idleSeconds,
      tokenLifetimeMax: settings['access-token.lifetime-max'],
      dryRun: false,
      actor: 'server',
      request_id: 'sweep',
    });
  } catch (cause) {
    log.error({ cause }, 'idle clients could not be pruned');
  }
}

async function startPublicHost(
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

async function startManagementHost(
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
