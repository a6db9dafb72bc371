import { pruneIdleClients } from './clients/prune-clients.ts';
import { sweepAuditEvents } from './clients/sweep-audit.ts';
import type { Settings } from './config/settings.ts';
import { tendServerKeys } from './keys/rotate-server-keys.ts';
import type { Log } from './ports/log.ts';
import { systemClock } from './system/clock.ts';
import type { Tenant } from './tenant.ts';
import { sweepExpired } from './tokens/sweep.ts';

/** Removes what has expired and ends what is idle, again and again, one round at a time. */
export function startSweeping(settings: Settings, tenant: Tenant, log: Log): { stop(): Promise<void> } {
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
  const { accessTokens, authorizationCodes, grants, replays, audit } = tenant.storage;
  const { accounts, sessions, interactions } = tenant.storage;
  const sweep = { clock: systemClock, log, batch: settings['storage.sweep-batch'] };
  await sweepExpired({ ...sweep, store: accessTokens, what: 'tokens' });
  await sweepExpired({ ...sweep, store: authorizationCodes, what: 'authorisation codes' });
  await sweepExpired({ ...sweep, store: grants, what: 'grants' });
  await sweepExpired({ ...sweep, store: replays, what: 'identifiers of client assertions' });
  await sweepExpired({ ...sweep, store: sessions, what: 'sessions' });
  await sweepExpired({ ...sweep, store: interactions, what: 'interactions' });
  await sweepExpired({ ...sweep, store: accounts, what: 'known browsers' });
  await sweepAuditEvents({ ...sweep, audit, lifetime: settings['audit.lifetime'] });
  await tendKeys(tenant, log);
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

/** A failure is logged: the next round finds the same to do. */
async function tendKeys({ serverKeys }: Tenant, log: Log): Promise<void> {
  try {
    await tendServerKeys(serverKeys.life);
  } catch (cause) {
    log.error({ cause }, 'server keys could not be tended');
  }
}
