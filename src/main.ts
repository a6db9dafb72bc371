import type { AddressInfo } from 'node:net';
import type { Settings } from './config/settings.ts';
import { openPasswords } from './end-users.ts';
import { healthLive, healthReady } from './endpoints/health/endpoint.ts';
import { metrics } from './endpoints/metrics/endpoint.ts';
import { startManagementHost, startMutualTlsHost, startPublicHost } from './listeners.ts';
import { openOutbound } from './opened-outbound.ts';
import { openStorage, requireRightKey, sealerOf } from './opened-storage.ts';
import type { Log } from './ports/log.ts';
import { DEFAULT_TENANT } from './spec/identifiers.ts';
import { startSweeping } from './sweeping.ts';
import { prometheusMetrics } from './system/metrics.ts';
import { openTenant, type Tenant } from './tenant.ts';
import { openTls } from './tls-material.ts';

export interface RunningServer {
  readonly address: AddressInfo;
  readonly managementAddress: AddressInfo;
  readonly tenant: Tenant;
  /** Finishes what is under way, then closes everything in the reverse order of its opening. */
  close(): Promise<void>;
}

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
    const measured = prometheusMetrics();
    const passwords = openPasswords(settings);
    const tls = openTls(settings, log);
    const tenant = await openTenant({
      id: DEFAULT_TENANT,
      settings,
      storage,
      sealer,
      outbound,
      log,
      passwords,
      onKeyEvent: (event) => measured.countServerKeyEvent(event),
      certificateAuthorities: tls.authorities,
    });
    closers.push(async () => await tenant.close());
    const sweeping = startSweeping(settings, tenant, log);
    closers.push(async () => await sweeping.stop());
    const hostNeeds = { settings, tenant, log, measured, tls: tls.material };
    const host = await startPublicHost(hostNeeds);
    closers.push(async () => await host.close());
    const hosts = [host];
    if (settings['listen.mtls-port'] !== 0) {
      const mutual = await startMutualTlsHost(hostNeeds);
      closers.push(async () => await mutual.close());
      hosts.push(mutual);
    }
    const watching = tls.watch((material) => hosts.forEach((each) => each.renewTls(material)));
    closers.push(async () => watching.stop());
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
