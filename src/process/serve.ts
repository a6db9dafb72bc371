import type { AddressInfo } from 'node:net';
import type { Mode } from '../config/rules.ts';
import type { Settings } from '../config/settings.ts';
import { healthLive, healthReady } from '../endpoints/health/endpoint.ts';
import { metrics } from '../endpoints/metrics/endpoint.ts';
import type { Log } from '../ports/log.ts';
import { prometheusMetrics } from '../system/metrics.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { startManagementHost } from './listeners.ts';
import { type Service, startService } from './service.ts';

export interface RunningServer {
  readonly address: AddressInfo;
  readonly managementAddress: AddressInfo;
  /** The default one. */
  readonly tenant: Tenant;
  /** Finishes what is under way, then closes everything in the reverse order of its opening. */
  close(): Promise<void>;
}

/**
 * The service and the management listener, in one process. The management listener is there before the service, which
 * may wait for its database, and goes after it.
 * Undefined where it was stopped while it waited.
 */
export async function startServer(
  settings: Settings,
  mode: Mode,
  log: Log,
  stopped: AbortSignal,
): Promise<RunningServer | undefined> {
  const measured = prometheusMetrics();
  let service: Service | undefined;
  const ready = healthReady(() => service?.state() ?? 'starting');
  const management = await startManagementHost(settings, [healthLive(), ready, metrics(measured)], log);
  try {
    service = await startService({ settings, mode, log, measured, shared: false, stopped });
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
    async close() {
      await running.close();
      await management.close();
    },
  };
}
