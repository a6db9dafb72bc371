import type { AddressInfo } from 'node:net';
import type { Mode } from './config/rules.ts';
import type { Settings } from './config/settings.ts';
import { startDelivering } from './delivering.ts';
import { openPasswords } from './end-users.ts';
import { healthLive, healthReady } from './endpoints/health/endpoint.ts';
import { metrics } from './endpoints/metrics/endpoint.ts';
import { startManagementHost, startMutualTlsHost, startPublicHost } from './listeners.ts';
import { openStorage, requireRightKey, sealerOf } from './opened-storage.ts';
import type { Log } from './ports/log.ts';
import { startSweeping } from './sweeping.ts';
import { prometheusMetrics } from './system/metrics.ts';
import type { Tenant } from './tenant.ts';
import { openTenants } from './tenants.ts';
import { openTls } from './tls-material.ts';

export interface RunningServer {
  readonly address: AddressInfo;
  readonly managementAddress: AddressInfo;
  /** The default one. */
  readonly tenant: Tenant;
  /** Finishes what is under way, then closes everything in the reverse order of its opening. */
  close(): Promise<void>;
}

/** Settings → storage → tenants → servers. What was opened is closed again when a later step fails. */
export async function startServer(settings: Settings, mode: Mode, log: Log): Promise<RunningServer> {
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer();
  };
  try {
    const sealer = sealerOf(settings);
    const storage = await openStorage(settings, { check: true, mode });
    closers.push(async () => await storage.close());
    await requireRightKey(storage, sealer);
    for (const concern of await storage.concerns()) log.warn({}, concern);
    const measured = prometheusMetrics();
    const passwords = openPasswords(settings);
    const tls = openTls(settings, log);
    const tenants = await openTenants({
      settings,
      mode,
      storage,
      sealer,
      log,
      passwords,
      onKeyEvent: (event) => measured.countServerKeyEvent(event),
      onLogoutAttempt: (outcome) => measured.countLogoutAttempt(outcome),
      certificateAuthorities: tls.authorities,
    });
    closers.push(async () => await tenants.close());
    const sweeping = startSweeping(settings, tenants, log);
    closers.push(async () => await sweeping.stop());
    const delivering = startDelivering(settings, tenants, log);
    closers.push(async () => await delivering.stop());
    const hostNeeds = { settings, tenants, log, measured, tls: tls.material };
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
      tenant: tenants.first,
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
