import { setTimeout as sleep } from 'node:timers/promises';
import { followClients } from '../clients/listing/follow-clients.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';
import type { Tenants } from './tenants.ts';

interface ListingNeeds {
  readonly tenants: Pick<Tenants, 'open'>;
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly log: Log;
}

const INTERVAL_SECONDS = 30;
const UNLISTED = 'changed clients could not be listed';

/** Brings the lists of clients up to date, so that a request for a list finds little left to do (ADR 80). */
export function startListing({ tenants, clock, log }: ListingNeeds): Rounds {
  const stopping = new AbortController();
  const pause = async (milliseconds: number): Promise<void> => {
    await sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
  };
  const listAll = async (): Promise<void> => {
    for (const { id, storage } of await tenants.open()) {
      const { clientLists } = storage;
      const isStopping = (): boolean => stopping.signal.aborted;
      const milliseconds = (): number => clock.milliseconds();
      await followClients({ clientLists, pause, isStopping, milliseconds }).catch((cause: unknown) => {
        log.error({ tenant: id, cause }, UNLISTED);
      });
    }
  };
  const rounds = startRounds(INTERVAL_SECONDS, listAll, { log, failure: UNLISTED });
  return {
    async stop() {
      stopping.abort();
      await rounds.stop();
    },
  };
}
