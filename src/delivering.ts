import type { Settings } from './config/settings.ts';
import type { Log } from './ports/log.ts';
import { systemClock } from './system/clock.ts';
import type { TenantInService } from './tenant-in-service.ts';
import type { Tenants } from './tenants.ts';

/** Tells clients of sessions that have ended, again and again, one round at a time: what nobody has told them yet. */
export function startDelivering(settings: Settings, tenants: Tenants, log: Log): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const timer = setInterval(() => {
    running ??= deliverAll(tenants, log).finally(() => {
      running = undefined;
    });
  }, settings['logout.delivery-interval'] * 1000);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

async function deliverAll(tenants: Tenants, log: Log): Promise<void> {
  try {
    const all = await tenants.all();
    await Promise.all(all.map(async (tenant) => await deliverOf(tenant, log)));
  } catch (cause) {
    log.error({ cause }, 'clients could not be told that sessions have ended');
  }
}

/** A tenant whose clients do not answer does not keep those of the others waiting; one with nothing to tell is not opened. */
async function deliverOf(tenant: TenantInService, log: Log): Promise<void> {
  try {
    const due = await tenant.storage.logoutNotifications.nextDue();
    if (due === undefined || due > systemClock.now()) return;
    const { logoutDelivery } = await tenant.opened();
    await logoutDelivery.deliverDue();
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, 'clients could not be told that sessions have ended');
  }
}
