import { sweepAuditEvents } from '../clients/audit-trail.ts';
import { endExpiredClients, pruneIdleClients } from '../clients/upkeep/prune-clients.ts';
import type { Settings } from '../config/settings.ts';
import { tendServerKeys } from '../keys/rotate-server-keys.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { LogoutNotificationStore } from '../ports/logout-notification-store.ts';
import { patientClock, processElapsed, systemClock } from '../system/clock.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { sweepExpired } from '../tokens/sweep.ts';
import type { TenantInService } from './tenant-in-service.ts';
import type { Tenants } from './tenants.ts';

/**
 * Delays the deletion of expired records, because a clock may jump ahead and be set right again. Otherwise used assertions
 * would be accepted again. Longer than any assertion lives (`assertion-grants.lifetime-max` is at most a day).
 */
const PATIENCE_S = 90_000;
/** Further than this a clock goes ahead of itself by jumps only. */
const DOUBTFUL_S = 60;

const UNSWEPT = 'what has expired could not be removed';

/** Starts the periodic work of a process: sweeps of expired rows, and deliveries of logout tokens. */
export function startUpkeep(settings: Settings, tenants: Tenants, log: Log): Rounds {
  const sweeping = startSweeping(settings, tenants, log);
  const delivering = startDelivering(settings, tenants, log);
  return {
    async stop() {
      await delivering.stop();
      await sweeping.stop();
    },
  };
}

/** Removes expired rows and ends idle clients, at an interval. */
function startSweeping(settings: Settings, tenants: Tenants, log: Log): Rounds {
  const clock = patientClock(systemClock, processElapsed, PATIENCE_S);
  let doubted = false;
  const sweepAll = async (): Promise<void> => {
    const ahead = systemClock.now() - clock.now();
    const doubtful = ahead > DOUBTFUL_S;
    if (doubtful && !doubted)
      log.warn({ seconds: ahead }, 'the clock has jumped ahead: for a day what expires by that is kept');
    doubted = doubtful;
    for (const tenant of await tenants.all()) await sweepOf(tenant, { clock, doubtful }, log);
  };
  return startRounds(settings['storage.sweep-interval'], sweepAll, { log, failure: UNSWEPT });
}

/** Sweeps one tenant; a failure does not stop the sweep of the others. */
async function sweepOf(
  tenant: TenantInService,
  { clock, doubtful }: { readonly clock: Clock; readonly doubtful: boolean },
  log: Log,
): Promise<void> {
  try {
    // Keys are announced by the clock by which they are used.
    if (!doubtful) await tendKeys(tenant.current(), log);
    await sweepTenant(tenant, clock, log);
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, UNSWEPT);
  }
}

async function sweepTenant(tenant: TenantInService, clock: Clock, log: Log): Promise<void> {
  const { settings, storage } = tenant;
  const { accessTokens, authorizationCodes, grants, replays, rates, audit } = storage;
  const { accounts, sessions, interactions, logoutNotifications } = storage;
  const sweep = { clock, log, batch: settings['storage.sweep-batch'] };
  await sweepExpired({ ...sweep, store: accessTokens, what: 'tokens' });
  await sweepExpired({ ...sweep, store: authorizationCodes, what: 'authorisation codes' });
  await sweepExpired({ ...sweep, store: grants, what: 'grants' });
  await sweepExpired({ ...sweep, store: replays, what: 'identifiers of client assertions' });
  await sweepExpired({ ...sweep, store: rates, what: 'rates' });
  await sweepExpired({ ...sweep, store: sessions, what: 'sessions' });
  await sweepExpired({ ...sweep, store: toldLongAgo(logoutNotifications, settings), what: 'logouts' });
  await sweepExpired({ ...sweep, store: interactions, what: 'interactions' });
  await sweepExpired({ ...sweep, store: accounts, what: 'known browsers' });
  await sweepAuditEvents({ ...sweep, audit, lifetime: settings['audit.lifetime'] });
  await endExpired(tenant, clock, log);
  const idleSeconds = settings['registration.idle-client-lifetime'];
  if (idleSeconds === 0 || (await storage.clients.countOpen()) === 0) return;
  const { registry, uses } = await tenant.opened();
  // Uses of the current second are in memory only.
  await uses.flush();
  await pruneIdleClients(
    { ...registry, clock },
    {
      idleSeconds,
      tokenLifetimeMax: settings['access-token.lifetime-max'],
      dryRun: false,
      actor: 'server',
      request_id: 'sweep',
    },
  );
}

/** Clients whose registration has expired, in a tenant that is open or not. */
async function endExpired(
  { id, storage: { clients, audit } }: TenantInService,
  clock: Clock,
  log: Log,
): Promise<void> {
  try {
    await endExpiredClients({ clients, audit, clock, log });
  } catch (cause) {
    log.error({ tenant: id, cause }, 'expired clients could not be ended');
  }
}

function toldLongAgo(
  notifications: LogoutNotificationStore,
  settings: Settings,
): Parameters<typeof sweepExpired>[0]['store'] {
  return {
    sweepExpired: async (now, limit) =>
      await notifications.sweepSettled(now - settings['logout.log-lifetime'], limit),
  };
}

/** Rotates the keys of a tenant that is open here. A failure is logged; the next round retries. */
async function tendKeys(tenant: Tenant | undefined, log: Log): Promise<void> {
  if (tenant === undefined) return;
  try {
    await tendServerKeys(tenant.serverKeys.life);
  } catch (cause) {
    log.error({ cause }, 'server keys could not be tended');
  }
}

const UNTOLD = 'logout notifications could not be delivered';

/** Delivers logout tokens that are due, at an interval. */
function startDelivering(settings: Settings, tenants: Tenants, log: Log): Rounds {
  const deliverAll = async (): Promise<void> => {
    const all = await tenants.all();
    await Promise.all(all.map(async (tenant) => await deliverOf(tenant, log)));
  };
  return startRounds(settings['logout.delivery-interval'], deliverAll, { log, failure: UNTOLD });
}

/** Delivers for one tenant: slow clients of one tenant do not delay those of others. A tenant without due tokens is not opened. */
async function deliverOf(tenant: TenantInService, log: Log): Promise<void> {
  try {
    const due = await tenant.storage.logoutNotifications.nextDue();
    if (due === undefined || due > systemClock.now()) return;
    const { logoutDelivery } = await tenant.opened();
    await logoutDelivery.deliverDue();
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, UNTOLD);
  }
}
