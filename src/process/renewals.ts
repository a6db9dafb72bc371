import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { ProcessClock } from './clock.ts';
import type { TenantInService } from './tenant-in-service.ts';
import type { Tenants } from './tenants.ts';

export interface RenewingNeeds {
  readonly settings: Pick<Settings, 'federation.renewals' | 'federation.renewal-interval'>;
  readonly tenants: Pick<Tenants, 'open'>;
  readonly clock: Pick<ProcessClock, 'doubt'>;
  readonly log: Log;
}

const UNRENEWED = 'federated clients could not be renewed';

/**
 * Renews federated clients that are due, at an interval. The superiors of one tenant may be slow, so that each tenant has its own
 * time. A closed tenant serves none of them here; its clients are renewed as they return.
 */
export function startRenewing({ settings, tenants, clock, log }: RenewingNeeds): Rounds {
  const running = new Map<TenantId, Promise<void>>();
  let stopped = false;
  const parallel = settings['federation.renewals'];
  const isOver = (): boolean => stopped || clock.doubt() !== undefined;
  const renew = async ({ id, current }: Pick<TenantInService, 'id' | 'current'>): Promise<void> => {
    try {
      await current()?.federated?.renewDue({ parallel, stopped: isOver });
    } catch (cause) {
      log.error({ tenant: id, cause }, UNRENEWED);
    } finally {
      running.delete(id);
    }
  };
  const begin = async (): Promise<void> => {
    for (const tenant of await tenants.open())
      if (!running.has(tenant.id) && !isOver()) running.set(tenant.id, renew(tenant));
  };
  const rounds = startRounds(settings['federation.renewal-interval'], begin, { log, failure: UNRENEWED });
  return {
    async stop() {
      stopped = true;
      await rounds.stop();
      await Promise.all(running.values());
    },
  };
}
