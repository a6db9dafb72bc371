import type { Log } from '../ports/log.ts';

/** Deliveries to other parties of one tenant. One process at a time attempts a leased delivery. */
export interface DeliveryLoop {
  /** Delivers until nothing is due. Returns at once while an earlier call does that. */
  deliverDue(): Promise<void>;
  /** Waits for the attempts under way. */
  close(): Promise<void>;
}

export interface DeliverySteps<Taken> {
  /** Plans what is to be taken. Returns whether there was anything to plan. */
  readonly plan: () => Promise<boolean>;
  /** Leases at most `limit` deliveries. */
  readonly take: (limit: number) => Promise<readonly Taken[]>;
  /** Makes one attempt and stores the outcome. Never rejects: without an outcome the lease expires. */
  readonly attempt: (taken: Taken) => Promise<void>;
  readonly log: Log;
  /** The line of the log if plan or take fails. */
  readonly failure: string;
}

/** Deliveries of a tenant at once; each needs a connection. */
const PARALLEL = 16;

/** Allows for a slow disk, in seconds. */
export const LEASE_MARGIN = 30;

export function deliveryLoop<Taken>(steps: DeliverySteps<Taken>): DeliveryLoop {
  const { plan, take, log, failure } = steps;
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  let nudge = Promise.withResolvers<void>();
  let isRunning = false;
  const begin = (taken: Taken): void => {
    const attempt = steps.attempt(taken).finally(() => underWay.delete(attempt));
    underWay.add(attempt);
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const planned = await plan();
      const limit = PARALLEL - underWay.size;
      const taken = limit === 0 ? [] : await take(limit);
      taken.forEach(begin);
      if (taken.length > 0 || (planned && underWay.size === 0)) continue;
      if (underWay.size === 0) return;
      await Promise.race([...underWay, nudge.promise]);
      nudge = Promise.withResolvers<void>();
    }
  };
  return {
    async deliverDue() {
      // A slow receiver keeps no other one waiting.
      nudge.resolve();
      if (isRunning) return;
      isRunning = true;
      try {
        await run();
      } catch (cause) {
        log.error({ cause }, failure);
      } finally {
        isRunning = false;
      }
    },
    async close() {
      closing.abort();
      nudge.resolve();
      await Promise.all(underWay);
    },
  };
}
