import { setImmediate as nextTurn } from 'node:timers/promises';
import { sweepAuditEvents } from '../clients/audit-trail.ts';
import { sweepHistory } from '../clients/history/sweep-history.ts';
import { endExpiredClients, pruneIdleClients } from '../clients/upkeep/prune-clients.ts';
import type { Settings } from '../config/settings.ts';
import { tendServerKeys } from '../keys/rotate-server-keys.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { LogoutNotificationStore } from '../ports/logout-notification-store.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ReplayStore } from '../ports/replay-store.ts';
import type { Storage } from '../ports/storage.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { Tenant } from '../tenant/tenant.ts';
import { sweepExpired } from '../tokens/sweep.ts';
import { startBackchannel } from './backchannel.ts';
import { startListing } from './client-lists.ts';
import type { ProcessClock } from './clock.ts';
import { startClearing } from './deleted-tenants.ts';
import { warnOfLargeLog } from './large-log.ts';
import { startRenewing } from './renewals.ts';
import { startSignals } from './signals.ts';
import { publishAfterSweep, timedSweep } from './sweep-figures.ts';
import { SweepPace } from './sweep-pace.ts';
import { sweepTimes } from './sweep-times.ts';
import type { TenantInService } from './tenant-in-service.ts';
import type { ClosedTenant, Tenants } from './tenants.ts';
import { startWebhooks } from './webhooks.ts';

/** How long an expired client of a federation can still be renewed. */
const RENEWABLE = 'federation.expired-client-retention';

const UNSWEPT = 'what has expired could not be removed';

export interface UpkeepNeeds {
  readonly settings: Settings;
  readonly tenants: Tenants;
  readonly storage: Pick<Storage, 'file' | 'objects' | 'tenants'>;
  readonly metrics: Pick<Metrics, 'set' | 'count' | 'gauge'>;
  readonly clock: ProcessClock;
  readonly log: Log;
  /** Whether this process counts the rows of the database, and removes those of deleted tenants: one of a server does. */
  readonly counts: boolean;
}

/**
 * Starts the periodic work of a process: sweeps of expired rows, removal of deleted tenants, deliveries of logout tokens,
 * renewals of federated clients, lists of clients, and the sightings of its clock.
 */
export function startUpkeep(needs: UpkeepNeeds): Rounds {
  const remembering = needs.clock.start();
  const sweeping = startSweeping(needs);
  const delivering = startDelivering(needs);
  const renewing = startRenewing(needs);
  const webhooks = startWebhooks(needs);
  const signals = startSignals(needs);
  const backchannel = startBackchannel(needs);
  const clearing = needs.counts ? startClearing({ ...needs, clock: needs.clock.serving }) : undefined;
  const listing = needs.counts ? startListing({ ...needs, clock: needs.clock.serving }) : undefined;
  return {
    async stop() {
      await listing?.stop();
      await remembering.stop();
      await renewing.stop();
      await signals.stop();
      await backchannel.stop();
      await webhooks.stop();
      await delivering.stop();
      await sweeping.stop();
      await clearing?.stop();
    },
  };
}

/**
 * Removes expired rows, ends idle clients and tends server keys, at an interval. While the clock is in doubt, none of this
 * happens: it cannot be undone (ADR 43).
 */
function startSweeping(needs: UpkeepNeeds): Rounds {
  const { settings, tenants, clock, log } = needs;
  const interval_s = settings['storage.sweep-interval'];
  const pace = new SweepPace(interval_s);
  const sweepAll = async (): Promise<void> => {
    pace.begin();
    const open = await tenants.open();
    for (const tenant of open) {
      if (clock.doubt() !== undefined) return;
      await sweepOf(tenant, needs, pace);
    }
    for (const closed of await tenants.someClosed()) {
      // A look-up of SQLite takes no turn of its own.
      await nextTurn();
      if (clock.doubt() !== undefined) return;
      await sweepClosed(closed, needs, pace);
    }
    await giveBackSpace(needs);
    if (needs.counts && needs.storage.file !== undefined) warnOfLargeLog(needs.storage.file, log);
    await publishAfterSweep(needs, open);
  };
  const rounds = startRounds(interval_s, timedSweep(needs, sweepAll), { log, failure: UNSWEPT });
  return {
    async stop() {
      pace.stop();
      await rounds.stop();
    },
  };
}

/** Pages that one write gives back: 1 MiB. Writes of requests come in between. */
const PAGES_AT_ONCE = 256;
/** Bounds the writes of one round: 64 MiB. The next round goes on. */
const STEPS_MAX = 64;
/** A share of the file that stays free, so that rows of the next minutes need no new pages. */
const SPARE = 1 / 8;
const SPARE_BYTES_MIN = 1_048_576;

/** Gives free pages of the database file back to the file system, in small steps, and shows its size. */
export async function giveBackSpace({
  storage: { file },
  metrics,
}: {
  readonly storage: Pick<Storage, 'file'>;
  readonly metrics: Pick<Metrics, 'set'>;
}): Promise<void> {
  if (file === undefined) return;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const size = file.size();
    if (size.free <= Math.max(SPARE_BYTES_MIN, size.file * SPARE)) break;
    if ((await file.giveBack(PAGES_AT_ONCE)) === 0) break;
  }
  for (const [part, bytes] of Object.entries(file.size()))
    metrics.set('chancery_sqlite_bytes', { part }, bytes);
}

/** Sweeps one tenant; a failure does not stop the sweep of the others. */
async function sweepOf(tenant: TenantInService, needs: UpkeepNeeds, pace: SweepPace): Promise<void> {
  const { clock, log } = needs;
  try {
    await tendKeys(tenant.current(), log);
    void deliverOf(tenant, clock.serving, log);
    await sweepTenant(tenant, needs, pace);
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, UNSWEPT);
  }
}

/** Sweeps a closed tenant if there is anything to sweep: one question instead of one for each table. */
async function sweepClosed(closed: ClosedTenant, needs: UpkeepNeeds, pace: SweepPace): Promise<void> {
  const { clock, log } = needs;
  try {
    const isSwept = await isDue(closed, clock.deleting);
    // Delivered here only if an older program noted them, which does not say so to the others.
    const isTold = (await closed.storage().logoutNotifications.nextDue()) !== undefined;
    const tenant = isSwept || isTold ? closed.tenant() : undefined;
    if (tenant === undefined) return;
    if (isTold) void deliverOf(tenant, clock.serving, log);
    if (isSwept) await sweepTenant(tenant, needs, pace);
  } catch (cause) {
    log.error({ tenant: closed.id, cause }, UNSWEPT);
  }
}

async function isDue(closed: ClosedTenant, clock: Clock): Promise<boolean> {
  const { clients, upkeep } = closed.storage();
  const times = sweepTimes(clock.now(), {
    'audit.lifetime': closed.seconds('audit.lifetime'),
    'logout.log-lifetime': closed.seconds('logout.log-lifetime'),
    [RENEWABLE]: closed.seconds(RENEWABLE),
    'history.deleted-lifetime': closed.seconds('history.deleted-lifetime'),
    'history.lifetime': closed.seconds('history.lifetime'),
    'history.versions-per-client': closed.seconds('history.versions-per-client'),
  });
  if (await upkeep.isDue(times)) return true;
  return closed.seconds('registration.idle-client-lifetime') > 0 && (await clients.countOpen()) > 0;
}

async function sweepTenant(
  tenant: TenantInService,
  { clock: { deleting: clock }, log, metrics }: UpkeepNeeds,
  pace: SweepPace,
): Promise<void> {
  const { settings, storage } = tenant;
  const { accessTokens, authorizationCodes, grants, replays, rates, audit } = storage;
  const { accounts, sessions, interactions, logoutNotifications, webhooks, eventStreams } = storage;
  const goOn = async (): Promise<boolean> => await pace.goOn();
  const sweep = { clock, log, batch: settings['storage.sweep-batch'], goOn };
  const expiring: readonly (readonly [what: string, store: Sweepable])[] = [
    ['tokens', accessTokens],
    ['authorisation codes', authorizationCodes],
    ['grants', grants],
    ['identifiers of client assertions', keptLonger(replays, settings)],
    ['rates', rates],
    ['sessions', sessions],
    ['logouts', toldLongAgo(logoutNotifications, settings)],
    ['interactions', interactions],
    ['requests of clients without a browser', storage.backchannelRequests],
    ['known browsers', accounts],
    [
      'failed deliveries of webhooks',
      failedLongAgo(async (...batch) => await webhooks.sweepFailed(...batch), settings),
    ],
    [
      'failed security events',
      failedLongAgo(async (...batch) => await eventStreams.sweep(...batch), settings),
    ],
  ];
  let removed = 0;
  for (const [what, store] of expiring) removed += await sweepExpired({ ...sweep, store, what });
  removed += await sweepAuditEvents({ ...sweep, audit, lifetime: settings['audit.lifetime'] });
  removed += await sweepHistory({ ...sweep, clientHistory: storage.clientHistory, settings });
  metrics.count('chancery_sweep_rows_total', {}, removed);
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
  { id, settings, storage: { clients, audit } }: TenantInService,
  clock: Clock,
  log: Log,
): Promise<void> {
  try {
    await endExpiredClients({ clients, audit, clock, log }, settings[RENEWABLE]);
  } catch (cause) {
    log.error({ tenant: id, cause }, 'expired clients could not be ended');
  }
}

type Sweepable = Parameters<typeof sweepExpired>[0]['store'];

/** Keeps used assertions for `clock.behind-max` longer, because a clock that is set back by less is believed. */
function keptLonger(
  replays: Pick<ReplayStore, 'sweepExpired'>,
  settings: Settings,
): Pick<ReplayStore, 'sweepExpired'> {
  return {
    sweepExpired: async (now, limit) => await replays.sweepExpired(now - settings['clock.behind-max'], limit),
  };
}

function toldLongAgo(notifications: LogoutNotificationStore, settings: Settings): Sweepable {
  return {
    sweepExpired: async (now, limit) =>
      await notifications.sweepSettled(now - settings['logout.log-lifetime'], limit),
  };
}

/** Deliveries that failed go with the audit events of their time. */
function failedLongAgo(sweep: WebhookStore['sweepFailed'], settings: Settings): Sweepable {
  const kept = settings['audit.lifetime'];
  return {
    sweepExpired: async (now, limit) => await sweep(kept === 0 ? 0 : now - kept, limit),
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
function startDelivering({ settings, tenants, clock, log }: UpkeepNeeds): Rounds {
  const deliverAll = async (): Promise<void> => {
    const waiting = await tenants.withLogouts();
    await Promise.all(waiting.map(async (tenant) => await deliverOf(tenant, clock.serving, log)));
  };
  return startRounds(settings['logout.delivery-interval'], deliverAll, { log, failure: UNTOLD });
}

/** Delivers for one tenant: slow clients of one tenant do not delay those of others. A tenant without due tokens is not opened. */
async function deliverOf(tenant: TenantInService, clock: Clock, log: Log): Promise<void> {
  try {
    const due = await tenant.storage.logoutNotifications.nextDue();
    if (due === undefined || due > clock.now()) return;
    const { logoutDelivery } = await tenant.opened();
    await logoutDelivery.deliverDue();
  } catch (cause) {
    log.error({ tenant: tenant.id, cause }, UNTOLD);
  }
}
