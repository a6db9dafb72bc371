import type { ClientLists } from '../../ports/client-lists.ts';

export interface FollowNeeds {
  readonly clientLists: Pick<ClientLists, 'isBehind' | 'catchUp'>;
  /** Resolves after a time in milliseconds, and at once if the process ends. */
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly isStopping: () => boolean;
  readonly milliseconds: () => number;
}

/** Clients of the first write, and of each write on a busy server. */
const LISTED_MIN = 25;
const LISTED_MAX = 200;
/** A write that took no longer is followed by a larger one, and a write that took twice as long by a smaller one. */
const STEP_MS = 4;

/**
 * Brings the lists of a tenant up to date, in small writes: requests that write wait for each one. After a write, it pauses for as
 * long as the write took.
 */
export async function followClients(needs: FollowNeeds): Promise<void> {
  const { clientLists, pause, isStopping, milliseconds } = needs;
  if (!(await clientLists.isBehind())) return;
  for (let clients = LISTED_MIN; ; ) {
    const began = milliseconds();
    if (isStopping() || !(await clientLists.catchUp(clients))) return;
    const took = milliseconds() - began;
    if (took <= STEP_MS) clients = Math.min(LISTED_MAX, clients * 2);
    else if (took > 2 * STEP_MS) clients = Math.max(LISTED_MIN, Math.floor(clients / 2));
    await pause(took);
  }
}
