import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { StoredServerKey } from '../ports/server-key-store.ts';
import type { Storage } from '../ports/storage.ts';
import type { ProcessClock } from './clock.ts';
import { sweepTimes } from './sweep-times.ts';
import type { TenantInService } from './tenant-in-service.ts';

export interface SweepFiguresNeeds {
  readonly storage: Pick<Storage, 'objects'>;
  readonly metrics: Pick<Metrics, 'set' | 'count' | 'gauge'>;
  readonly clock: ProcessClock;
  readonly log: Log;
  /** Whether this process counts the rows of the database: one of a server does. */
  readonly counts: boolean;
}

/** Returns the same work, with its duration and its end among the metrics. */
export function timedSweep(
  { metrics, clock }: Pick<SweepFiguresNeeds, 'metrics' | 'clock'>,
  sweep: () => Promise<void>,
): () => Promise<void> {
  return async () => {
    const begun = performance.now();
    await sweep();
    metrics.set('chancery_sweep_duration_seconds', {}, (performance.now() - begun) / 1000);
    metrics.set('chancery_sweep_last_timestamp_seconds', {}, clock.serving.now());
  };
}

/** Notifications that are counted for one tenant. */
const LOGOUTS_COUNTED_MAX = 10_000;

/** Publishes what a sweep left, how much the database holds, and how old the keys of the open tenants are. */
export async function publishAfterSweep(
  { storage, metrics, clock, log, counts }: SweepFiguresNeeds,
  open: readonly TenantInService[],
): Promise<void> {
  const now = clock.serving.now();
  const ages = new Map<StoredServerKey['use'], number>();
  let [backlog, waiting] = [0, 0];
  try {
    for (const { storage: own, settings } of open) {
      if (await own.upkeep.isDue(sweepTimes(clock.deleting.now() - GRACE_SECONDS, settings))) backlog += 1;
      waiting += await own.logoutNotifications.countWaiting(LOGOUTS_COUNTED_MAX);
      for (const { use, active_at, retired_at } of await own.serverKeys.all())
        if (active_at <= now && (retired_at === null || retired_at > now))
          ages.set(use, Math.max(ages.get(use) ?? 0, now - active_at));
    }
    metrics.set('chancery_sweep_backlog_tenants', {}, backlog);
    metrics.set('chancery_logouts_waiting', {}, waiting);
    for (const [use, age] of ages) metrics.set('chancery_server_key_age_seconds', { use }, age);
    await publishExpiries(metrics, open, now);
    if (!counts) return;
    for (const [kind, rows] of Object.entries(await storage.objects()))
      metrics.set('chancery_storage_objects', { kind }, rows);
  } catch (cause) {
    log.warn({ cause }, 'figures about the database could not be read: metrics are older');
  }
}

/** Publishes what expires next in the federations of the open tenants. */
async function publishExpiries(
  metrics: Pick<Metrics, 'gauge'>,
  open: readonly TenantInService[],
  now: number,
): Promise<void> {
  let [registration, anchor] = [Infinity, Infinity];
  for (const tenant of open) {
    if (!tenant.settings['federation.enabled']) continue;
    registration = Math.min(registration, (await tenant.storage.clients.nextFederatedEnd(now)) ?? Infinity);
    anchor = Math.min(anchor, tenant.current()?.anchorExpiries?.nearest(now) ?? Infinity);
  }
  const show = (name: ExpiryGauge, at: number): void =>
    metrics.gauge(name, () => (at === Infinity ? [] : [[{}, at]]));
  show('chancery_federation_registration_expiry_timestamp_seconds', registration);
  show('chancery_federation_anchor_expiry_timestamp_seconds', anchor);
}

type ExpiryGauge = `chancery_federation_${'registration' | 'anchor'}_expiry_timestamp_seconds`;

/** Rows that expired while the sweep ran are no backlog. */
const GRACE_SECONDS = 60;
